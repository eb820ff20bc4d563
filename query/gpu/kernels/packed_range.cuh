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

/// The packed numbers of a vector whose values lie in an interval.
struct PackedRange {
  bool is_none = true;  ///< no number has such a value
  bool is_all = false;  ///< each has
  u32 least = 0;        ///< where neither is so
  u32 most = 0;         ///< included
};

/// `begin`: the zone image of the vector's base. `span`: what the greatest number stands for above
/// it.
PRESSO_DEVICE PackedRange packed_range(const ImageInterval& interval, u64 begin, u64 span,
                                       u64 divisor) {
  if (interval.most < begin || interval.least > interval.most) return {};
  const u64 from = interval.least <= begin ? 0 : interval.least - begin;
  const u64 to = interval.most - begin;
  if (from > span) return {};
  if (from == 0 && to >= span) return {false, true, 0, 0};
  const u64 least = divided(from + divisor - 1, divisor);
  const u64 most = divided(to < span ? to : span, divisor);
  return {least > most, false, static_cast<u32>(least), static_cast<u32>(most)};
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
