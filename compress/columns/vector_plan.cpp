// SPDX-License-Identifier: MIT
// Chooses among the kinds of coding 4 (integers) for a vector and writes it. Sizes follow from
// least and greatest values alone. For exceptions there is one pass for each width that is tried;
// trying stops when more than 255 values exceed the width, mostly after the first. Tested by
// tests/unit/decompress/columns.
#include "compress/columns/vector_plan.h"

#include <array>
#include <cstring>

namespace presso {
namespace {

template <class U>
VectorStatistics<U> statistics_of(const VectorValues<U>& values, const IntegerLoops& loops) {
  VectorStatistics<U> statistics;
  loops.of<U>().statistics(values.of, values.n, statistics);
  return statistics;
}

/// Tries ever smaller widths, with the values that exceed them as exceptions, as long as those
/// are few enough: patched frame of reference (Zukowski, Heman, Nes and Boncz, 2006).
template <class U>
void try_exceptions(const VectorValues<U>& values, U origin, U range, bool down,
                    const ExactDivision<U>& division, const IntegerLoops& loops,
                    VectorPlan<U>& best) {
  std::uint32_t width = bits_of<U>(range / division.divisor);
  // Each round drops at least one bit; the greatest value below the threshold may allow to drop
  // more.
  while (width > 0) {
    const U threshold = static_cast<U>(division.divisor << (width - 1));
    const Excess<U> excess =
        loops.of<U>().count_excess(values.of, values.n, origin, down, threshold);
    const std::uint32_t listed = exception_words(IntegerKind::kPacked, excess.count);
    if (excess.count > kMaxExceptions || listed >= best.words) return;
    width = bits_of<U>(excess.greatest_below / division.divisor);
    const std::uint32_t words = packed_words(values.n, width) + listed;
    // A smaller width may still win, with more exceptions.
    if (words >= best.words) continue;
    best = {};
    best.words = words;
    best.width = width;
    best.exceptions = excess.count;
    best.origin = origin;
    best.threshold = threshold;
    best.down = down;
    const U most = static_cast<U>(((U{1} << width) - 1) * division.divisor);
    // Counted down, packed values still count up from the base.
    best.base = down ? static_cast<U>(origin - most) : origin;
  }
}

/// Takes one value for each run of equal values.
template <class U>
void gather_runs(const VectorValues<U>& values, VectorValues<U>& to) {
  to.of[0] = values.of[0];
  std::uint32_t runs = 1;
  for (std::uint32_t i = 1; i < values.n; ++i) {
    to.of[runs] = values.of[i];  // overwritten by the next where no run starts; no branch
    runs += values.of[i] != values.of[i - 1] ? 1 : 0;
  }
  to.n = runs;
}

// A vector of runs takes a map of where they start and their values in the best of the plain kinds.
template <class U>
void try_runs(const VectorValues<U>& values, const ExactDivision<U>& division,
              const IntegerLoops& loops, VectorPlan<U>& best) {
  VectorValues<U> of_runs;
  gather_runs(values, of_runs);
  VectorPlan<U> plan = plan_plain(statistics_of(of_runs, loops), of_runs.n, division.divisor);
  plan.words += kRunMapWords;
  if (plan.words >= best.words) return;
  plan.runs_kind = plan.kind;
  plan.kind = IntegerKind::kRuns;
  best = plan;
}

}  // namespace

/// The sizes follow exactly from the statistics, without a pass over the values.
template <class U>
VectorPlan<U> plan_plain(const VectorStatistics<U>& of, std::uint32_t n, U divisor) {
  VectorPlan<U> best;
  best.width = bits_of<U>(static_cast<U>(of.greatest - of.least) / divisor);
  best.words = packed_words(n, best.width);
  best.base = of.least;
  // Differences to the row 32 before: all lanes decode at once.
  if (n > kLanes) {
    VectorPlan<U> plan;
    plan.kind = IntegerKind::kDelta32;
    plan.width = bits_of<U>(static_cast<U>(of.greatest_lane_step - of.least_lane_step) / divisor);
    plan.width2 = bits_of<U>(static_cast<U>(of.greatest_first - of.least_first) / divisor);
    plan.words = plain_words(plan.kind, n, plan.width, plan.width2);
    plan.base = of.least_lane_step;
    plan.first_base = of.least_first;
    if (plan.words < best.words) best = plan;
  }
  // Differences to the row before: smaller, but decoding needs a prefix sum.
  if (n > 1) {
    VectorPlan<U> plan;
    plan.kind = IntegerKind::kDelta1;
    plan.width = bits_of<U>(static_cast<U>(of.greatest_step - of.least_step) / divisor);
    plan.words = plain_words(plan.kind, n, plan.width, 0);
    plan.base = of.least_step;
    if (plan.words < best.words) best = plan;
  }
  return best;
}

/// Tries the cheap kinds first and skips trials that cannot win.
template <class U>
VectorPlan<U> plan_vector(const VectorValues<U>& values, const ExactDivision<U>& division,
                          const IntegerLoops& loops) {
  constexpr std::uint32_t kLeastException = 3;  // words
  const VectorStatistics<U> statistics = statistics_of(values, loops);
  VectorPlan<U> best = plan_plain(statistics, values.n, division.divisor);
  const U range = static_cast<U>(statistics.greatest - statistics.least);
  if (best.words > kLeastException) {
    try_exceptions(values, statistics.least, range, false, division, loops, best);
    try_exceptions(values, statistics.greatest, range, true, division, loops, best);
  }
  // A run needs a bit of the map and a value: no gain where nearly every row starts one.
  if (best.words > kRunMapWords && statistics.runs < values.n - values.n / 8) {
    try_runs(values, division, loops, best);
  }
  return best;
}

/// Whole vectors are packed directly into the output; short ones by way of a buffer.
void append_packed(std::uint32_t* values, std::uint32_t n, std::uint32_t width,
                   const IntegerLoops& loops, Buffer& to) {
  if (width == 0) return;
  const std::size_t at = to.size();
  // Short vectors store fewer words than a full one.
  const std::uint32_t words = lane_words(n, width);
  to.grow(at + 4 * words);
  if (n == kVectorRows) return loops.pack(values, width, to.data() + at);
  std::memset(values + n, 0, 4 * (kVectorRows - n));
  std::array<Byte, 4 * kVectorRows> packed;
  loops.pack(values, width, packed.data());
  std::memcpy(to.data() + at, packed.data(), 4 * words);
}

/// Two 32-bit words of a payload, lower first.
void append_words(Buffer& to, std::uint64_t two_words) {
  const std::size_t at = to.size();
  to.grow(at + 8);
  store<std::uint64_t>(to.data() + at, two_words);
}

namespace {

/// Packs the quotients of all values with `width` bits.
template <class U>
void append_quotients(const VectorValues<U>& values, std::uint32_t width,
                      const QuotientsOf<U>& quotients, const IntegerLoops& loops, Buffer& to) {
  if (width == 0) return;
  alignas(64) std::array<std::uint32_t, kVectorRows> low;
  alignas(64) std::array<std::uint32_t, sizeof(U) == 8 ? kVectorRows : 1> high;
  loops.of<U>().quotients(values.of, values.n, quotients, low.data(), high.data());
  append_packed(low.data(), values.n, width < 32 ? width : 32, loops, to);
  if constexpr (sizeof(U) == 8) {
    if (width > 32) append_packed(high.data(), values.n, width - 32, loops, to);
  }
}

// Appends the rows that have no row 32 rows before them, packed one after another.
template <class U>
void append_first_rows(const VectorValues<U>& values, const VectorPlan<U>& plan, U divisor,
                       Buffer& to) {
  const std::uint32_t rows = values.n < kLanes ? values.n : kLanes;
  const std::uint32_t words = first_rows_words(values.n, plan.width2);
  std::array<std::uint32_t, 2 * kLanes + 2> packed{};
  for (std::uint32_t i = 0; i < rows; ++i) {
    const std::uint64_t value = static_cast<U>(values.of[i] - plan.first_base) / divisor;
    const std::uint32_t bit = i * plan.width2;
    // A value of up to 64 bits touches up to three words.
    const std::uint32_t shift = bit % 32;
    packed[bit / 32] |= static_cast<std::uint32_t>(value << shift);
    packed[bit / 32 + 1] |= static_cast<std::uint32_t>((value << shift) >> 32);
    if (shift != 0) packed[bit / 32 + 2] |= static_cast<std::uint32_t>(value >> (64 - shift));
  }
  to.append({reinterpret_cast<const Byte*>(packed.data()), 4 * words});
}

/// Appends a vector of the kinds 0 to 2: what precedes the packed part, then the quotients.
template <class U>
void append_plain(const VectorValues<U>& values, const VectorPlan<U>& plan, IntegerKind kind,
                  const ExactDivision<U>& division, const ImageRule& images,
                  const IntegerLoops& loops, Buffer& to) {
  // Kind 0 subtracts the base only; the other kinds also an earlier row.
  QuotientsOf<U> quotients{0, plan.base, static_cast<U>(~U{0}), division};
  if (plan.exceptions > 0) quotients.mask = static_cast<U>((U{1} << plan.width) - 1);
  if (kind == IntegerKind::kDelta1) {
    quotients.back = 1;
    append_words(to, images.of(values.of[0]));
  } else if (kind == IntegerKind::kDelta32) {
    quotients.back = kLanes;
    append_words(to, images.of(plan.first_base));
    append_first_rows(values, plan, division.divisor, to);
  }
  append_quotients(values, plan.width, quotients, loops, to);
}

/// Lists rows and values of the exceptions, in ascending order of rows.
template <class U>
void append_exceptions_of_plan(const VectorValues<U>& values, const VectorPlan<U>& plan,
                               const ImageRule& images, Buffer& to) {
  std::array<std::uint16_t, kMaxExceptions + 1> rows{};
  std::array<std::uint64_t, kMaxExceptions> listed;
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < values.n && count < plan.exceptions; ++i) {
    const U value = values.of[i];
    const U x = static_cast<U>(plan.down ? plan.origin - value : value - plan.origin);
    if (x < plan.threshold) continue;
    rows[count] = static_cast<std::uint16_t>(i);
    listed[count++] = images.of(value);
  }
  to.append({reinterpret_cast<const Byte*>(rows.data()), 4 * exception_row_words(count)});
  to.append({reinterpret_cast<const Byte*>(listed.data()), 8 * std::size_t{count}});
}

// Sets a bit for row 0 and for each row that differs from the one before.
template <class U>
void append_run_map(const VectorValues<U>& values, Buffer& to) {
  std::array<std::uint32_t, kVectorRows> starts{};
  starts[0] = 1;
  for (std::uint32_t i = 1; i < values.n; ++i) {
    starts[i] = values.of[i] != values.of[i - 1] ? 1 : 0;
  }
  std::array<std::uint32_t, kRunMapWords> map{};
  for (std::uint32_t i = 0; i < kVectorRows; ++i) map[i / 32] |= starts[i] << (i % 32);
  to.append({reinterpret_cast<const Byte*>(map.data()), sizeof map});
}

}  // namespace

// The words of a vector are the map of runs, first values, packed values, and exceptions, as far as
// its kind has them (FORMAT.md 16.2).
template <class U>
void append_vector(const VectorValues<U>& values, const VectorPlan<U>& plan,
                   const ExactDivision<U>& division, const ImageRule& images,
                   const IntegerLoops& loops, VectorEntry& entry, Buffer& to) {
  const bool is_runs = plan.kind == IntegerKind::kRuns;
  const IntegerKind kind = is_runs ? plan.runs_kind : plan.kind;
  entry.kind = static_cast<Byte>(plan.kind);
  entry.width = static_cast<Byte>(plan.width);
  entry.width2 = static_cast<Byte>(plan.width2);
  entry.exceptions =
      static_cast<Byte>(is_runs ? static_cast<std::uint32_t>(kind) : plan.exceptions);
  entry.base =
      kind == IntegerKind::kPacked ? images.of(plan.base) : ImageRule::of_difference(plan.base);
  if (is_runs) {
    VectorValues<U> of_runs;
    gather_runs(values, of_runs);
    append_run_map(values, to);
    append_plain(of_runs, plan, kind, division, images, loops, to);
    return;
  }
  append_plain(values, plan, kind, division, images, loops, to);
  if (plan.exceptions > 0) append_exceptions_of_plan(values, plan, images, to);
}

#define PRESSO_FOR_VECTORS_OF(U)                                                              \
  template VectorPlan<U> plan_plain(const VectorStatistics<U>&, std::uint32_t, U);            \
  template VectorPlan<U> plan_vector(const VectorValues<U>&, const ExactDivision<U>&,         \
                                     const IntegerLoops&);                                    \
  template void append_vector(const VectorValues<U>&, const VectorPlan<U>&,                   \
                              const ExactDivision<U>&, const ImageRule&, const IntegerLoops&, \
                              VectorEntry&, Buffer&)
PRESSO_FOR_VECTORS_OF(std::uint32_t);
PRESSO_FOR_VECTORS_OF(std::uint64_t);
#undef PRESSO_FOR_VECTORS_OF

}  // namespace presso
