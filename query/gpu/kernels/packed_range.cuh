// SPDX-License-Identifier: MIT
// From an interval of a column's values to the range of packed numbers that stand for them. Code
// that is compiled at run time includes this header. Tests: tests/queries/one_table.txt.
#pragma once

#include "decompress/columns/gpu/lane_bits.cuh"
#include "query/gpu/kernels/table_layout.h"

namespace presso::gpu {

/// Turns signed numbers into zone images (FORMAT.md 15.4), and back.
inline constexpr u64 kImageTopBit = u64{1} << 63;

/// floor(numerator / divisor), where it is below 2^33 and the divisor below 2^32.
PRESSO_DEVICE u64 divided(u64 numerator, u64 divisor) {
  if (divisor == 1) return numerator;
  // The double is off by less than one.
  u64 quotient = static_cast<u64>(static_cast<double>(numerator) / static_cast<double>(divisor));
  if (quotient * divisor > numerator) {
    --quotient;
  } else if (numerator - quotient * divisor >= divisor) {
    ++quotient;
  }
  return quotient;
}

/// The packed numbers of a vector whose values lie in an interval. Number: u32, or u64 for numbers
/// of up to 64 bits.
template <class Number>
struct PackedRange {
  bool is_none = true;  ///< no number has such a value
  bool is_all = false;  ///< each has
  Number least = 0;     ///< where neither is so
  Number most = 0;      ///< included
};

/// `begin`: the zone image of the vector's base. `span`: what the greatest number stands for above
/// it.
template <class Number>
PRESSO_DEVICE PackedRange<Number> packed_range(const ImageInterval& interval, u64 begin, u64 span,
                                               u64 divisor) {
  if (interval.most < begin || interval.least > interval.most) return {};
  const u64 from = interval.least <= begin ? 0 : interval.least - begin;
  const u64 to = interval.most - begin;
  if (from > span) return {};
  if (from == 0 && to >= span) return {false, true, 0, 0};
  const u64 end = to < span ? to : span;
  u64 least = from;
  u64 most = end;
  if constexpr (sizeof(Number) == sizeof(u32)) {
    least = divided(from + divisor - 1, divisor);
    most = divided(end, divisor);
  } else if (divisor != 1) {
    least = from / divisor + (from % divisor != 0 ? 1 : 0);
    most = end / divisor;
  }
  return {least > most, false, static_cast<Number>(least), static_cast<Number>(most)};
}

/// What a value at the top of a word is compared with: whether it is one of `least` to `most`.
struct TopRange {
  u32 from = 0;
  u32 span = 0;

  PRESSO_DEVICE static TopRange of(u32 width, u32 least, u32 most) {
    const u32 below = kWordBits - width;
    return {least << below, ((most - least) << below) + ((1u << below) - 1)};
  }
};

}  // namespace presso::gpu
