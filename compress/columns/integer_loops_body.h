// SPDX-License-Identifier: MIT
// The loops of integer_loops.h, written so that compilers vectorise them, and compiled once for
// each CPU level (presso_cpu_levels). Nothing of the standard library is used
// (format/cpu_loops.h).
#include "compress/columns/integer_loops.h"
#include "format/columns/alp_powers.h"
#include "format/steps.h"

namespace presso {
namespace PRESSO_LEVEL {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

/// std::make_signed without the standard library.
template <class U>
struct SignedOf;
template <>
struct SignedOf<u32> {
  using type = std::int32_t;
};
template <>
struct SignedOf<u64> {
  using type = std::int64_t;
};

/// The least and the greatest of the values so far, as signed numbers.
template <class U>
struct Range {
  using S = typename SignedOf<U>::type;
  S least = static_cast<S>(~U{0} >> 1);
  S greatest = static_cast<S>(~(~U{0} >> 1));

  /// Two selections without a branch.
  inline void add(U value) {
    const S number = static_cast<S>(value);
    least = number < least ? number : least;
    greatest = number > greatest ? number : greatest;
  }
};

/// All three ranges in one loop: each is a chain of dependent operations, and the chains
/// overlap.
template <class U>
void statistics(const U* values, u32 n, VectorStatistics<U>& to) {
  const u32 first = n < 32 ? n : 32;
  Range<U> all;
  Range<U> steps;
  Range<U> lane_steps;
  U same = 0;
  all.add(values[0]);
  for (u32 i = 1; i < first; ++i) {
    all.add(values[i]);
    steps.add(values[i] - values[i - 1]);
    same += values[i] == values[i - 1] ? 1 : 0;
  }
  to.least_first = static_cast<U>(all.least);
  to.greatest_first = static_cast<U>(all.greatest);
  for (u32 i = 32; i < n; ++i) {
    all.add(values[i]);
    steps.add(values[i] - values[i - 1]);
    lane_steps.add(values[i] - values[i - 32]);
    same -= values[i] == values[i - 1] ? ~U{0} : 0;
  }
  to.least = static_cast<U>(all.least);
  to.greatest = static_cast<U>(all.greatest);
  to.least_step = static_cast<U>(steps.least);
  to.greatest_step = static_cast<U>(steps.greatest);
  to.least_lane_step = static_cast<U>(lane_steps.least);
  to.greatest_lane_step = static_cast<U>(lane_steps.greatest);
  to.runs = n - static_cast<u32>(same);
}

/// Maps unsigned numbers of 64 bits to signed order, since vector registers compare no others;
/// 32 bits stay. Apart from its type it is its own inverse.
inline i64 ordered(u64 value) {
  return static_cast<i64>(value ^ u64{1} << 63);
}
inline u32 ordered(u32 value) {
  return value;
}

/// One pass that counts values at or above the threshold and keeps the greatest below it.
template <class U>
Excess<U> count_excess(const U* values, u32 n, U origin, bool down, U threshold) {
  const U flip = down ? ~U{0} : 0;  // origin - v = ~v + 1 + origin
  const U add = down ? origin + 1 : U{0} - origin;
  const auto least_excess = ordered(threshold);
  U count = 0;
  auto greatest = ordered(U{0});
  for (u32 i = 0; i < n; ++i) {
    const U x = (values[i] ^ flip) + add;
    const U below = ordered(x) < least_excess ? ~U{0} : 0;
    count += below;
    const auto value = ordered(x & below);
    greatest = value > greatest ? value : greatest;
  }
  return {n + static_cast<u32>(count), static_cast<U>(ordered(static_cast<U>(greatest)))};
}

/// A size is a multiple of the divisor if size * inverse, rotated by the divisor's power of
/// two, is at most (2^n - 1) / divisor (Granlund and Montgomery, 1994).
template <class U>
Divisibility check_divisible(const U* values, u32 n, U origin, const ExactDivision<U>& by) {
  using S = typename SignedOf<U>::type;
  constexpr u32 kBits = 8 * sizeof(U);
  constexpr U kTop = U{1} << (kBits - 1);
  const S limit = static_cast<S>(static_cast<U>(~U{0} / by.divisor) ^ kTop);
  const U inverse = by.inverse;
  const u32 right = by.shift;
  const u32 left = (kBits - right) % kBits;  // both 0: a value twice
  U failed = 0;
  U far = 0;
  for (u32 i = 0; i < n; ++i) {
    const U difference = values[i] - origin;
    const U sign = static_cast<S>(difference) < 0 ? ~U{0} : 0;
    const U size = (difference ^ sign) - sign;
    far |= ((values[i] ^ origin) & (values[i] ^ difference)) | size | size << 1;
    // Remainders end up in the highest bits, whichever of both factors of the divisor they are of.
    const U product = size * inverse;
    const U rotated = product >> right | product << left;
    failed |= static_cast<S>(rotated ^ kTop) > limit ? ~U{0} : 0;
  }
  return {failed == 0, (far & kTop) != 0};
}

/// Writes the low word and, for 64 bits, the high word of a value.
template <class U>
void split(U value, u32* low, u32* high, u32 i) {
  low[i] = static_cast<u32>(value);
  if constexpr (sizeof(U) == 8) high[i] = static_cast<u32>(value >> 32);
}

/// `before` is nullptr where no earlier value is subtracted. Without kDivide there is no
/// multiplication.
template <bool kDivide, class U>
void quotients_loop(const U* __restrict values, const U* __restrict before, u32 n,
                    const QuotientsOf<U>& of, u32* __restrict low, u32* __restrict high) {
  const U base = of.base;
  const U mask = of.mask;
  const U inverse = of.division.inverse;
  const u32 shift = of.division.shift;
  if (before == nullptr) {
    for (u32 i = 0; i < n; ++i) {
      const U x = values[i] - base;
      split<U>((kDivide ? x * inverse >> shift : x) & mask, low, high, i);
    }
    return;
  }
  for (u32 i = 0; i < n; ++i) {
    const U x = values[i] - before[i] - base;
    split<U>((kDivide ? x * inverse >> shift : x) & mask, low, high, i);
  }
}

/// Rows below `back` have no predecessor; their quotient is 0.
template <class U>
void quotients(const U* values, u32 n, const QuotientsOf<U>& of, u32* low, u32* high) {
  const u32 back = of.back < n ? of.back : n;
  for (u32 i = 0; i < back; ++i) split<U>(0, low, high, i);
  const U* const before = back == 0 ? nullptr : values;
  u32* const high_from = sizeof(U) == 8 ? high + back : high;
  if (of.division.divisor == 1) {
    quotients_loop<false>(values + back, before, n - back, of, low + back, high_from);
  } else {
    quotients_loop<true>(values + back, before, n - back, of, low + back, high_from);
  }
}

// Packing is unrolled by templates: every shift is a constant, and each lane keeps its word in
// a register.
template <u32 kWidth, u32 kStep>
inline void pack_step(const u32* values, u32& word, std::uint8_t* to) {
  constexpr u32 kShift = kStep * kWidth % 32;
  constexpr u32 kWord = kStep * kWidth / 32;
  const u32 value = values[32 * kStep];
  if constexpr (kShift == 0) {
    word = value;
  } else {
    word |= value << kShift;
  }
  if constexpr (kShift + kWidth >= 32) {
    __builtin_memcpy(to + 128 * kWord, &word, 4);
    if constexpr (kShift + kWidth > 32) word = value >> (32 - kShift);
  }
}

/// Lane after lane; the compiler vectorises over lanes.
template <u32 kWidth, u32... kSteps>
inline void pack_steps(const u32* __restrict values, std::uint8_t* __restrict to,
                       Steps<kSteps...>) {
  for (u32 lane = 0; lane < 32; ++lane) {
    u32 word = 0;
    (pack_step<kWidth, kSteps>(values + lane, word, to + 4 * lane), ...);
  }
}
/// All 1,024 values of a vector with one width.
template <u32 kWidth>
void pack_width(const u32* __restrict values, std::uint8_t* __restrict to) {
  pack_steps<kWidth>(values, to, typename MakeSteps<32>::type{});
}

/// One packing function for each width, chosen once a vector.
struct PackTable {
  void (*of_width[32])(const u32*, std::uint8_t*);
};
template <u32... kNumbers>
constexpr PackTable make_pack_table(Steps<kNumbers...>) {
  return {{pack_width<kNumbers + 1>...}};
}
constexpr PackTable kPack = make_pack_table(typename MakeSteps<32>::type{});

/// `width` is 1 to 32; 0 takes no words.
void pack(const u32* values, u32 width, std::uint8_t* to) {
  kPack.of_width[width - 1](values, to);
}

/// Adding 1.5 * 2^52 rounds a double to an integer, which then stands in its low bits, so that
/// no conversion is needed. Values at 2^51 or more are exceptions.
template <bool kStore>
AlpIntegers alp_loop(const double* __restrict values, u32 n, u32 e, u32 f,
                     i64* __restrict integers) {
  constexpr double kRound = 6755399441055744.0;
  constexpr u64 kRoundBits = 0x4338000000000000;
  constexpr double kLimit = 2251799813685248.0;  // 2^51
  const double up = kAlpPowers[e];
  const double down = kAlpInversePowers[f];
  const double back_up = kAlpPowers[f];
  const double back_down = kAlpInversePowers[e];
  constexpr u64 kGreatest = ~u64{0} >> 1;
  i64 least = static_cast<i64>(kGreatest);
  i64 greatest = static_cast<i64>(~kGreatest);
  u64 bad = 0;
  for (u32 i = 0; i < n; ++i) {
    const double scaled = values[i] * up * down;
    const double rounded = scaled + kRound;
    const double whole = rounded - kRound;
    const double back = whole * back_up * back_down;
    // Masks of 64 bits: compilers make vectors of these, but not of bools.
    u64 good = scaled < kLimit ? ~u64{0} : 0;
    good &= scaled > -kLimit ? ~u64{0} : 0;
    good &= __builtin_bit_cast(u64, back) == __builtin_bit_cast(u64, values[i]) ? ~u64{0} : 0;
    const u64 integer = __builtin_bit_cast(u64, rounded) - kRoundBits;
    const i64 for_least = static_cast<i64>((integer & good) | (kGreatest & ~good));
    const i64 for_greatest = static_cast<i64>((integer & good) | (~kGreatest & ~good));
    least = for_least < least ? for_least : least;
    greatest = for_greatest > greatest ? for_greatest : greatest;
    bad += good + 1;
    if constexpr (kStore) integers[i] = for_greatest;
  }
  return {static_cast<u32>(bad), least, greatest};
}

/// There are two instances, so that choosing exponents does not write integers.
AlpIntegers alp(const double* values, u32 n, u32 e, u32 f, i64* integers) {
  return integers == nullptr ? alp_loop<false>(values, n, e, f, nullptr)
                             : alp_loop<true>(values, n, e, f, integers);
}

template <class U>
constexpr VectorLoops<U> kVectorLoops = {statistics<U>, count_excess<U>, check_divisible<U>,
                                         quotients<U>};
constexpr IntegerLoops kLoops = {kVectorLoops<u32>, kVectorLoops<u64>, pack, alp};

}  // namespace PRESSO_LEVEL

const IntegerLoops IntegerLoops::PRESSO_LEVEL = PRESSO_LEVEL::kLoops;

}  // namespace presso
