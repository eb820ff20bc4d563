// SPDX-License-Identifier: MIT
// Lane packing (FORMAT.md 16.1) as a warp sees it: lane l of the warp is lane l of the packing.
// So a step of the warp is 32 consecutive rows, the words of a step are one access of 128
// bytes, and neither needs a shuffle. Widths are known at run time only: a value takes one or
// two words of shared memory and a funnel shift, 6 instructions; a template for each width
// would save two of them and cost 65 times the code for each consumer. Tested by
// tests/simt/integer_column_suite.cpp.
#pragma once

#include <type_traits>

#include "decompress/columns/gpu/lane_bits.cuh"
#include "decompress/gpu/simt/global_memory.h"
#include "format/columns/integer_layout.h"

namespace presso::gpu {

/// Two words as a number; they need not stand at a multiple of 8.
PRESSO_DEVICE u64 two_words(const u32* at) {
  return simt::load_readonly(at) | u64{simt::load_readonly(at + 1)} << kWordBits;
}
/// Half i, of 16 bits, of the words from `at` on.
PRESSO_DEVICE u32 half_word(const u32* at, u32 i) {
  return simt::load_readonly(at + i / 2) >> (16 * (i % 2)) & 0xFFFF;
}

/// A lane's packed values, of up to 64 bits if Word has as many.
template <class Word>
struct PackedLane {
  const u32* low = nullptr;
  const u32* high = nullptr;  ///< the bits above the low 32
  u32 low_width = 0;
  u32 high_width = 0;

  PRESSO_DEVICE Word at(u32 step) const {
    const u32 value = lane_value(low, low_width, step);
    if constexpr (sizeof(Word) == 8) {
      if (high_width > 0) {
        return value | u64{lane_value(high, high_width, step)} << kWordBits;
      }
    }
    return value;
  }
};

/// This lane's part of n values, packed with `width` bits, at `words`.
template <class Word>
PRESSO_DEVICE PackedLane<Word> packed_lane(const u32* words, u32 n, u32 width) {
  const u32 low_width = width < kWordBits ? width : kWordBits;
  const u32* const high = words + lane_words(n, low_width);
  return {words + simt::lane(), high + simt::lane(), low_width, width - low_width};
}

/// Copies `count` words into the warp's part of shared memory. All copies are under way at
/// once, so the warp waits for memory once instead of once for each step.
PRESSO_DEVICE void stage_words(const u32* from, u32 count, u32* to) {
  simt::warp_sync();  // what was there has been read
  for (u32 i = simt::lane(); i < count; i += kWarpSize) simt::copy_async_4(to + i, from + i);
  simt::copy_async_commit();
  simt::copy_async_wait<0>();
  simt::warp_sync();
}

PRESSO_DEVICE u32 scan_lanes(u32 value) {
  return simt::inclusive_sum(value);
}
PRESSO_DEVICE u64 scan_lanes(u64 value) {
  for (u32 distance = 1; distance < kWarpSize; distance *= 2) {
    const u64 below = simt::shuffle_up(value, distance);
    if (simt::lane() >= distance) value += below;
  }
  return value;
}

/// A bit for each row of a vector: lane l holds the bits of step l, and the number of bits
/// before them.
struct RowMap {
  u32 bits = 0;
  u32 before = 0;

  PRESSO_DEVICE static RowMap of(u32 bits) {
    const u32 count = simt::popcount(bits);
    return {bits, simt::inclusive_sum(count) - count};
  }
};
/// One step of the map, in all lanes.
struct MapStep {
  u32 bits;
  u32 before;

  PRESSO_DEVICE MapStep(const RowMap& map, u32 step)
      : bits(simt::shuffle(map.bits, step)), before(simt::shuffle(map.before, step)) {}
  PRESSO_DEVICE bool has_row() const { return (bits >> simt::lane() & 1) != 0; }
  /// The number of bits of rows before this lane's row.
  PRESSO_DEVICE u32 rank() const { return before + simt::popcount(bits & lanes_below()); }
};

}  // namespace presso::gpu
