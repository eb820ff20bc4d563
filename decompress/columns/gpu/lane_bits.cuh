// SPDX-License-Identifier: MIT
// Bits of the rows of a vector of 1,024 as a warp has them, and values that are packed by lanes
// (FORMAT.md 16.1). *Lane masks* tell of rows: bit s of lane l is of row 32 * s + l. Code that is
// compiled at run time includes this header, so that it includes nothing of the system.
// Tests: tests/simt/integer_column_suite.cpp.
#pragma once

#include "decompress/gpu/simt/global_memory.h"
#include "format/columns/lane_packing.h"

namespace presso::gpu {

static_assert(kLanes == kWarpSize);

using simt::kWordBits;
inline constexpr u32 kVectorSteps = kVectorRows / kWarpSize;

PRESSO_DEVICE u32 steps_of(u32 n) {
  return (n + kWarpSize - 1) / kWarpSize;
}
PRESSO_DEVICE u32 lanes_below() {
  return (1u << simt::lane()) - 1;
}
PRESSO_DEVICE u32 low_ones(u32 bits) {
  return bits == 0 ? 0 : simt::kFullMask >> (kWordBits - bits);
}

/// Value `step` of `width` bits (0 to 32) of the lane whose words are words[0], words[kLanes], ...
PRESSO_DEVICE u32 lane_value(const u32* words, u32 width, u32 step) {
  if (width == 0) return 0;
  const u32 bit = step * width;
  const u32* const from = words + bit / kWordBits * kLanes;
  const u32 shift = bit % kWordBits;
  const u32 high = shift + width > kWordBits ? from[kLanes] : 0;
  return simt::funnel_shift_right(from[0], high, shift) & low_ones(width);
}

/// The lane mask of rows below n.
PRESSO_DEVICE u32 mask_of_rows(u32 n) {
  const u32 whole = n / kWarpSize;
  return low_ones(whole + (simt::lane() < n % kWarpSize ? 1 : 0));
}

/// The 32 words of a warp, one a lane, as lane masks: bit s of lane l is bit l of lane s, and the
/// other way round.
PRESSO_DEVICE u32 transposed(u32 word) {
  // Halves of ever smaller squares change places (Warren, Hacker's Delight, 7-3).
  u32 low_half = 0x0000FFFFu;
  PRESSO_UNROLL
  for (u32 half = kWarpSize / 2; half != 0; half /= 2) {
    const u32 other = simt::shuffle_xor(word, half);
    const bool is_low = (simt::lane() & half) == 0;
    // The lower row keeps its low columns and gets the upper row's low ones above them.
    word = is_low ? (word & low_half) | (other & low_half) << half
                  : (word & ~low_half) | (other >> half & low_half);
    low_half ^= low_half << (half / 2);
  }
  return word;
}

}  // namespace presso::gpu
