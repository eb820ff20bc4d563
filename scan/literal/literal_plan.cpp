// SPDX-License-Identifier: MIT
// plan_literals() plans the probe of a set of literals; the loops of hash probes are here, too.
// Every choice rests on a table of how frequent bytes are in text and logs (byte_frequency.h): a
// probe is as good as the candidates that it lets through are few. All of it runs once for each
// pattern; for thousands of literals it takes milliseconds. Tested by
// tests/unit/scan/literal/scan_literal_test.cpp.

#include "scan/literal/literal_plan.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "scan/bytes/byte_frequency.h"

namespace presso::scan_detail {
namespace {

constexpr std::size_t kMaxNibbleLiterals = 64;
constexpr std::size_t kBuckets = 8;
constexpr std::size_t kHashWidth = sizeof(std::uint32_t);
/// Probes look at the first bytes of long literals only, which keeps kMaxReach.
constexpr std::size_t kMaxOffset = 96;
static_assert(kMaxOffset + sizeof(std::uint32_t) <= kMaxReach);

// --- One literal ------------------------------------------------------------------------------

/// Consecutive units [begin, end), each of a fixed size, so that their bytes have fixed distances.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A place of a pair probe, and how often a byte of ordinary text passes it.
struct RatedPlace {
  PairProbe::Place place;
  double probability = 1;
};

/// Rates one byte of a unit as a place of the probe. The mask drops the bits in which the variants
/// of the unit differ, so that one comparison covers both cases of a letter, and some other bytes.
RatedPlace rate_place(const LiteralUnit& unit, std::size_t byte, std::size_t offset) {
  const auto first = static_cast<Byte>(unit.variants.front()[byte]);
  Byte differing = 0;
  for (const std::string& variant : unit.variants) {
    differing = static_cast<Byte>(differing | (static_cast<Byte>(variant[byte]) ^ first));
  }
  RatedPlace rated;
  rated.place.offset = static_cast<std::uint32_t>(offset);
  rated.place.mask = static_cast<Byte>(~differing);
  rated.place.value = static_cast<Byte>(first & rated.place.mask);
  rated.probability = 0;
  for (unsigned value = 0; value < 256; ++value) {
    if ((value & rated.place.mask) == rated.place.value) {
      rated.probability += byte_probability(static_cast<Byte>(value));
    }
  }
  return rated;
}

/// The two rarest places of the stretch; offsets count from its first byte. With a single place the
/// second one is the same place with probability 1.
std::pair<RatedPlace, RatedPlace> rarest_places(const LiteralUnits& units, Stretch stretch) {
  std::vector<RatedPlace> places;
  std::size_t offset = 0;
  for (std::size_t i = stretch.begin; i < stretch.end && offset < kMaxOffset; ++i) {
    for (std::size_t byte = 0; byte < units[i].min_bytes(); ++byte) {
      places.push_back(rate_place(units[i], byte, offset++));
    }
  }
  std::stable_sort(places.begin(), places.end(), [](const RatedPlace& a, const RatedPlace& b) {
    return a.probability < b.probability;
  });
  if (places.size() == 1) return {places[0], {places[0].place, 1}};
  return {places[0], places[1]};
}

/// The runs of neighbouring units whose variants all have the same size, each as long as it can be.
std::vector<Stretch> fixed_stretches(const LiteralUnits& units) {
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < units.size();) {
    Stretch stretch{i, i};
    while (stretch.end < units.size() && units[stretch.end].has_fixed_size()) ++stretch.end;
    if (stretch.end > stretch.begin) stretches.push_back(stretch);
    i = stretch.end + 1;
  }
  return stretches;
}

/// Plans the probe of a single literal: the two bytes of one stretch that are rarest together.
/// Returns false if no letter of the literal has a fixed size (as "ss" with case ignored), which
/// leaves no bytes at fixed distances to compare.
bool plan_pair(const LiteralUnits& units, LiteralPlan& plan) {
  double best = std::numeric_limits<double>::max();
  for (const Stretch stretch : fixed_stretches(units)) {
    const auto [first, second] = rarest_places(units, stretch);
    const double probability = first.probability * second.probability;
    if (probability >= best) continue;
    best = probability;
    PairProbe probe{first.place, second.place};
    plan.characters_before = stretch.begin;
    plan.reach = std::max(probe.first.offset, probe.second.offset);
    plan.probe = probe;
  }
  return best != std::numeric_limits<double>::max();
}

/// If everything before the stretch has a fixed size too, lets the offsets count from the beginning
/// of the literal, so that a candidate is where a match begins.
void anchor_at_beginning(const LiteralUnits& units, LiteralPlan& plan) {
  const LiteralUnits before(units.begin(),
                            units.begin() + static_cast<std::ptrdiff_t>(plan.characters_before));
  const std::size_t bytes = min_bytes(before);
  if (bytes != fixed_prefix_bytes(before) || bytes + plan.reach > kMaxOffset) return;
  PairProbe& probe = std::get<PairProbe>(plan.probe);
  probe.first.offset += static_cast<std::uint32_t>(bytes);
  probe.second.offset += static_cast<std::uint32_t>(bytes);
  plan.reach += bytes;
  plan.characters_before = 0;
}

// --- Several literals -------------------------------------------------------------------------

/// The windows of all literals at one offset, one list for each literal.
using AllWindows = std::vector<std::vector<std::string>>;

/// The windows of each literal: the byte strings that may stand at that offset.
AllWindows all_windows(const std::vector<LiteralUnits>& literals, std::size_t offset,
                       std::size_t width) {
  AllWindows result;
  for (const LiteralUnits& units : literals) result.push_back(windows(units, offset, width));
  return result;
}

/// All windows of all literals, each once, in ascending order.
std::vector<std::string> distinct(const AllWindows& all) {
  std::vector<std::string> sorted;
  for (const auto& list : all) sorted.insert(sorted.end(), list.begin(), list.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

/// How often text is expected to show one of the windows; equal ones count once.
double expected_hits(const AllWindows& all) {
  double total = 0;
  for (const std::string& window : distinct(all)) {
    double probability = 1;
    for (const char byte : window) probability *= byte_probability(static_cast<Byte>(byte));
    total += probability;
  }
  return total;
}

/// The offset, common to all literals, at which their windows are rarest.
std::size_t best_offset(const std::vector<LiteralUnits>& literals, std::size_t width,
                        std::size_t shortest) {
  std::size_t limit = std::min(shortest - width, kMaxOffset);
  for (const LiteralUnits& units : literals) limit = std::min(limit, fixed_prefix_bytes(units));
  // Trying every offset of thousands of literals would cost more than it gains.
  limit = std::min<std::size_t>(limit, literals.size() > 1000 ? 8 : 32);
  std::size_t best = 0;
  double fewest = std::numeric_limits<double>::max();
  for (std::size_t offset = 0; offset <= limit; ++offset) {
    const double hits = expected_hits(all_windows(literals, offset, width));
    if (hits >= fewest) continue;
    fewest = hits;
    best = offset;
  }
  return best;
}

/// Fills the nibble tables. The windows are sorted and cut into eight buckets of equal size, so
/// that literals with similar windows share a bucket: fewer nibbles a bucket mean fewer false
/// candidates.
void fill_nibbles(const AllWindows& all, NibbleProbe& probe) {
  const std::vector<std::string> sorted = distinct(all);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto bucket = static_cast<Byte>(1u << (i * kBuckets / sorted.size()));
    for (std::size_t place = 0; place < probe.width; ++place) {
      const auto byte = static_cast<Byte>(sorted[i][place]);
      probe.low[place][byte & 15] = static_cast<Byte>(probe.low[place][byte & 15] | bucket);
      probe.high[place][byte >> 4] = static_cast<Byte>(probe.high[place][byte >> 4] | bucket);
    }
  }
}

std::uint32_t as_number(const std::string& window) {
  std::uint32_t number = 0;
  std::memcpy(&number, window.data(), window.size());
  return number;
}

/// A Bloom filter over the windows of all literals at `offset`.
HashProbe make_hashes(const AllWindows& all, std::size_t offset, std::size_t width) {
  HashProbe probe;
  probe.width = static_cast<std::uint32_t>(width);
  probe.offset = static_cast<std::uint32_t>(offset);
  std::size_t count = 0;
  for (const auto& list : all) count += list.size();
  // 16 bits an entry: two hashes pass 1.5 % of what is not there. At most 2 MiB.
  probe.bits_log2 =
      static_cast<std::uint32_t>(std::clamp<std::size_t>(std::bit_width(16 * count), 12, 24));
  probe.filter.resize((std::size_t{1} << probe.bits_log2) / 64);
  for (const auto& list : all) {
    for (const std::string& window : list) probe.insert(as_number(window));
  }
  return probe;
}

/// Plans the probe of several literals: nibble tables for few of them, confirmed by hashes;
/// otherwise strides where the literals allow them, else hashes alone.
void plan_several(const std::vector<LiteralUnits>& literals, std::size_t shortest, bool ignore_case,
                  LiteralPlan& plan) {
  const std::size_t width = std::min(shortest, kHashWidth);
  const std::size_t offset = best_offset(literals, width, shortest);
  const AllWindows all = all_windows(literals, offset, width);
  HashProbe hashes = make_hashes(all, offset, width);
  plan.reach = offset + width - 1;
  // Many literals with one prefix may have few windows.
  const bool few =
      literals.size() <= kMaxNibbleLiterals || distinct(all).size() <= kMaxNibbleLiterals;
  if (!few) {
    std::optional<StrideProbe> strides = plan_strides(literals, ignore_case);
    if (strides) {
      plan.reach = shortest - 1;
      plan.probe = std::move(*strides);
    } else {
      plan.probe = std::move(hashes);
    }
    return;
  }
  NibbleProbe nibbles;
  nibbles.width = static_cast<std::uint32_t>(std::min(width, NibbleProbe::kMaxWidth));
  nibbles.offset = static_cast<std::uint32_t>(offset);
  fill_nibbles(all_windows(literals, offset, nibbles.width), nibbles);
  plan.probe = nibbles;
  plan.confirm = std::move(hashes);
}

/// A HashProbe with its numbers held in registers. Both hash functions are taken from different
/// bits of one product.
struct HashTest {
  explicit HashTest(const HashProbe& probe)
      : filter(probe.filter.data()),
        shift(64 - probe.bits_log2),
        place_mask((1u << probe.bits_log2) - 1),
        window_mask(~0u >> (32 - 8 * probe.width)) {}

  std::uint64_t first(std::uint64_t mixed) const { return mixed >> shift; }
  std::uint64_t second(std::uint64_t mixed) const { return mixed >> (shift - 24) & place_mask; }
  static std::uint64_t mix(std::uint32_t window) { return window * 0x9E3779B97F4A7C15u; }

  /// Returns 1 if both bits are set. There is no branch between them, since the first alone passes
  /// too often to be predicted well.
  std::uint64_t passes(std::uint32_t window) const {
    const std::uint64_t mixed = mix(window & window_mask);
    const std::uint64_t a = first(mixed);
    const std::uint64_t b = second(mixed);
    return filter[a / 64] >> (a % 64) & filter[b / 64] >> (b % 64) & 1;
  }

  const std::uint64_t* filter;
  std::uint32_t shift;
  std::uint32_t place_mask;
  std::uint32_t window_mask;
};

}  // namespace

/// Sets the filter's two bits for a window.
void HashProbe::insert(std::uint32_t window) {
  const HashTest test(*this);
  const std::uint64_t mixed = HashTest::mix(window);
  for (const std::uint64_t place : {test.first(mixed), test.second(mixed)}) {
    filter[place / 64] |= std::uint64_t{1} << (place % 64);
  }
}

/// The window at a place; near the text's end it is read byte by byte.
std::uint32_t HashProbe::window_at(Bytes text, std::size_t at) const {
  if (at + kHashWidth <= text.size()) return load<std::uint32_t>(text.data() + at);
  std::uint32_t window = 0;
  std::memcpy(&window, text.data() + at, width);
  return window;
}

/// Gathers the places whose window passes the filter, four at a time while nothing passes. Returns
/// how far it has swept.
std::size_t find_hashes(const HashProbe& probe, Bytes text, std::size_t from, std::size_t limit,
                        CandidateBatch& batch) {
  const HashTest test(probe);
  const auto append_if_passed = [&](std::size_t at) {
    batch.at[batch.count] = at;
    batch.count += test.passes(probe.window_at(text, at + probe.offset));
  };
  const Byte* const base = text.data() + probe.offset;
  const auto passes = [&](std::size_t at) { return test.passes(load<std::uint32_t>(base + at)); };
  // All of four windows can be read whatever their width.
  while (from + 4 + kHashWidth <= limit) {
    if ((passes(from) | passes(from + 1) | passes(from + 2) | passes(from + 3)) != 0) {
      if (!batch.has_room()) return from;
      for (std::size_t i = 0; i < 4; ++i) append_if_passed(from + i);
    }
    from += 4;
  }
  if (!batch.has_room()) return from;
  for (; from < limit; ++from) append_if_passed(from);
  return from;
}

/// Keeps those candidates of a batch that pass the filter as well.
void keep_hashes(const HashProbe& probe, Bytes text, CandidateBatch& batch) {
  const HashTest test(probe);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const std::size_t at = batch.at[i];
    batch.at[kept] = at;
    kept += test.passes(probe.window_at(text, at + probe.offset));
  }
  batch.count = kept;
}

/// Chooses the probe for the literals: two rare bytes for one literal, tables of nibbles for few,
/// hashes of windows for many.
LiteralPlan plan_literals(const std::vector<std::string>& literals, bool ignore_case) {
  LiteralPlan plan;
  std::vector<LiteralUnits> all;
  std::size_t shortest = std::numeric_limits<std::size_t>::max();
  for (const std::string& literal : literals) {
    all.push_back(units_of(literal, ignore_case));
    shortest = std::min(shortest, min_bytes(all.back()));
  }
  if (all.empty()) return plan;
  if (shortest == 0) {
    plan.probe = EverywhereProbe{};
  } else if (all.size() == 1 && plan_pair(all.front(), plan)) {
    anchor_at_beginning(all.front(), plan);
  } else {
    plan_several(all, shortest, ignore_case, plan);
  }
  return plan;
}

}  // namespace presso::scan_detail
