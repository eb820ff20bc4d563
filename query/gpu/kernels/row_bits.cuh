// SPDX-License-Identifier: MIT
// Moves bits of rows to the places that slices have for them (row_bits.h), or back. A thread block
// handles a slice, or a block, and a thread one word of 32 rows, which come from one block or from
// several. Tests:
// tests/simt/row_bits_test.cpp.
#pragma once

#include "decompress/columns/gpu/lane_values.cuh"
#include "query/gpu/kernels/row_bits.h"
#include "query/gpu/kernels/table_block.h"

namespace presso::gpu {

inline constexpr u32 kPlaceBitsThreads = 256;

/// The bits of rows [first, first + count) of the row group, at most 32, those of all other rows 0.
PRESSO_DEVICE u32 bits_from(const BitSource& source, u32 first, u32 count) {
  const u32 source_end = source.first_row + source.rows;
  const u32 begin = first > source.first_row ? first : source.first_row;
  const u32 end = first + count < source_end ? first + count : source_end;
  if (begin >= end) return 0;
  const u32 at = begin - source.first_row;
  const u32 shift = at % kWordBits;
  const u32 low = simt::load_readonly(source.bits + at / kWordBits);
  const bool has_next = shift + (end - begin) > kWordBits;
  const u32 high = has_next ? simt::load_readonly(source.bits + at / kWordBits + 1) : 0;
  return (simt::funnel_shift_right(low, high, shift) & low_ones(end - begin)) << (begin - first);
}

/// Grid: a thread block for each slice.
PRESSO_DEVICE void place_bits_body(const RowBits& of) {
  const u32 number = simt::block_index();
  const BitSlice slice = of.slices[number];
  u32* const to = of.to + u64{number} * kSliceVectors * kVectorSteps;
  const u32 words = vectors_of(slice.rows) * kVectorSteps;
  for (u32 word = simt::thread_in_block(); word < words; word += simt::block_threads()) {
    const u32 row = word * kWordBits;
    const u32 left = slice.rows > row ? slice.rows - row : 0;
    const u32 count = left < kWordBits ? left : kWordBits;
    u32 bits = 0;
    for (u32 i = slice.first_source; i < slice.end_source; ++i) {
      bits |= bits_from(of.sources[i], slice.first_row + row, count);
    }
    if (of.negated && slice.first_source < slice.end_source) bits = ~bits & low_ones(count);
    if (of.left != nullptr) {
      bits &= simt::load_readonly(of.left + u64{number} * kSliceVectors * kVectorSteps + word);
    }
    to[word] = bits;
  }
}

/// Gives each block the bits of its rows in `of.left`; of slices that are not there they are 0.
/// Grid: a thread block for each source.
PRESSO_DEVICE void take_bits_body(const RowBits& of) {
  const BitSource source = of.sources[simt::block_index()];
  const u32 words = (source.rows + kWordBits - 1) / kWordBits;
  u32 number = source.first_slice;
  for (u32 word = simt::thread_in_block(); word < words; word += simt::block_threads()) {
    const u32 row = source.first_row + word * kWordBits;
    const u32 behind = source.rows - word * kWordBits;
    const u32 count = behind < kWordBits ? behind : kWordBits;
    u32 bits = 0;
    for (; number < source.end_slice; ++number) {
      const BitSlice slice = of.slices[number];
      u32* const from = const_cast<u32*>(of.left) + u64{number} * kSliceVectors * kVectorSteps;
      bits |= bits_from({from, slice.first_row, slice.rows, 0, 0}, row, count);
      if (slice.first_row + slice.rows >= row + count) break;
    }
    source.bits[word] = bits;
  }
}

}  // namespace presso::gpu
