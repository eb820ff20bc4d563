// SPDX-License-Identifier: MIT
// Decodes the columns of vectors that are not usual for the second kernel of generated code
// (query_kernel.cuh), whatever form they are stored in: values of 64 bits, and bits of rows that
// are not null. It is compiled once, not for each question.
// Tests: tests/queries/one_table.txt.
#pragma once

#include "query/gpu/kernels/any_vector.cuh"
#include "query/gpu/kernels/query_arguments.h"

namespace presso::gpu {

inline constexpr u32 kDecodeWarps = 2;

/// A warp's shared memory.
struct DecodeSpace {
  /// A map of runs, packed numbers, and what may be read behind them in vain.
  u32 words[kVectorRows + 3 * kRunMapWords];
  u32 staging[2 * kVectorRows];
};

/// Words of a vector that come to shared memory (is_staged()).
PRESSO_DEVICE u32 words_to_stage(const u32* words, const VectorEntry& entry, u32 n) {
  if (!has_packed_runs(entry)) return lane_words(n, entry.width);
  const u32 runs = simt::reduce_add(simt::popcount(simt::load_readonly(words + simt::lane())));
  return kRunMapWords + lane_words(runs, entry.width);
}

/// Calls sink(step, bits of the value) as for_each_bits() does, for a vector of a block that has
/// words; by the warp.
template <class Sink>
PRESSO_DEVICE void decode_vector(const TableBlock& block, const VectorPlace& at, DecodeSpace& space,
                                 const Sink& sink) {
  VectorEntry entry;
  if (!block.is_plain) {
    entry = load_entry(reinterpret_cast<const Byte*>(block.words), at.vector);
    if (is_staged(block, entry)) {
      const u32* const words = block.words + directory_words(block) + entry.word_offset;
      stage_words(words, words_to_stage(words, entry, at.rows), space.words);
    }
  }
  for_each_bits(block, entry, at, space.words, space.staging, sink);
}

/// Decodes one column's vector; by the warp.
PRESSO_DEVICE void decode_other(const QueryArguments& q, u32 column, const VectorPlace& at, u64 to,
                                DecodeSpace& space) {
  const TableBlock& block = q.table.blocks[u64{column} * q.table.slice_count + at.slice];
  u64* const values = q.decoded + to * kVectorRows;
  if (q.columns[column].reads_nulls) {
    q.decoded_valid[to * kLanes + simt::lane()] =
        valid_bits(block, at.vector, at.rows, space.staging);
  }
  if (!q.columns[column].is_read) return;
  if (block.words == nullptr || block.is_unread) {
    for (u32 row = simt::lane(); row < kVectorRows; row += kWarpSize) values[row] = 0;
    return;
  }
  decode_vector(block, at, space, [&](u32 step, u64 value) {
    const bool is_bit = block.width_bytes == 0;
    values[step * kWarpSize + simt::lane()] =
        is_bit ? value : widened(value, block.width_bytes, block.is_signed);
  });
  simt::warp_sync();
}

/// Those of the list from q.first_other to before q.end_other. Threads to data: a warp takes one
/// column of one vector after another.
PRESSO_DEVICE void decode_others_body(const QueryArguments& q) {
  const u32 warp = simt::shuffle(simt::warp_in_block(), 0);
  auto& space = reinterpret_cast<DecodeSpace*>(simt::shared_memory())[warp];
  const u32 count = *q.other_count;
  const u32 end = count < q.end_other ? count : q.end_other;
  const u64 all = q.first_other < end ? u64{end - q.first_other} * q.column_count : 0;
  for (u64 i = u64{simt::block_index()} * kDecodeWarps + warp; i < all;
       i += u64{simt::grid_blocks()} * kDecodeWarps) {
    const u32 other = q.others[q.first_other + i / q.column_count];
    const u32 slice = other / kSliceVectors;
    const u32 vector = other % kSliceVectors;
    const VectorPlace at{slice, vector, vector_rows(q.table.slices[slice].rows, vector)};
    decode_other(q, static_cast<u32>(i % q.column_count), at, i, space);
  }
}

}  // namespace presso::gpu
