// SPDX-License-Identifier: MIT
// Groups in device memory before a query's kernel has run and afterwards: their cells are cleared,
// and those that have rows are listed. The kernel itself is generated (query/gpu/code). Tests:
// tests/queries/one_table.txt.
#pragma once

#include "decompress/columns/gpu/lane_bits.cuh"
#include "decompress/gpu/simt/simt.h"
#include "query/gpu/kernels/pipeline.h"

namespace presso::gpu {

using simt::u32;
using simt::u64;

PRESSO_DEVICE u64 combined(PipelineCell::Kind kind, u64 a, u64 b) {
  using Kind = PipelineCell::Kind;
  if (kind == Kind::kMin) return a < b ? a : b;
  if (kind == Kind::kMax) return a > b ? a : b;
  return a + b;
}

PRESSO_DEVICE void combine_atomically(PipelineCell::Kind kind, u64* cell, u64 part) {
  using Kind = PipelineCell::Kind;
  if (kind == Kind::kMin) {
    simt::atomic_min(cell, part);
  } else if (kind == Kind::kMax) {
    simt::atomic_max(cell, part);
  } else {
    simt::atomic_add(cell, part);
  }
}

PRESSO_DEVICE u64* cells_out_of(const Pipeline& of, u64 group) {
  return of.cells_out + group * of.group_words;
}

/// What word `i` of a group has in device memory before there is any row.
PRESSO_DEVICE u64 initial_word(const Pipeline& of, u32 i) {
  if (i == 0) return kNoRowYet;
  const u32 cell = i - kGroupCells;
  return cell < of.cells ? initial_cell(of.cell[cell].kind) : 0;
}

/// Sets the cells of all groups to what they are without a row, and all keys to none. Threads to
/// data: words side by side.
PRESSO_DEVICE void clear_cells_body(const Pipeline& of) {
  const u32 words = of.group_words;
  const u64 cells = of.groups * words;
  const u64 threads = u64{simt::grid_blocks()} * simt::block_threads();
  const u64 first = u64{simt::block_index()} * simt::block_threads() + simt::thread_in_block();
  const u32 step = static_cast<u32>(threads % words);
  u32 word = static_cast<u32>(first % words);
  for (u64 i = first; i < cells; i += threads) {
    of.cells_out[i] = initial_word(of, word);
    word = word + step < words ? word + step : word + step - words;
  }
  for (u64 i = first; i < table_places(of); i += threads) of.table_keys[i] = kNoKey;
}

PRESSO_DEVICE u64 key_of_group(const Pipeline& of, u64 group) {
  return group < table_places(of) ? of.table_keys[group] : kNoKey;
}

/// Threads to data: a warp takes kListedSteps groups for each lane at a time, for which it asks for
/// places together.
PRESSO_DEVICE void list_groups_body(const Pipeline& of, const GroupList& list) {
  constexpr u32 kListedSteps = 8;
  constexpr u32 kListed = kListedSteps * kWarpSize;
  const u64 warps = u64{simt::grid_blocks()} * (simt::block_threads() / kWarpSize);
  const u64 warp = u64{simt::block_index()} * (simt::block_threads() / kWarpSize) + uniform_warp();
  for (u64 first = list.begin + warp * kListed; first < list.end; first += warps * kListed) {
    u64 first_rows[kListedSteps];
    PRESSO_UNROLL
    for (u32 k = 0; k < kListedSteps; ++k) {
      const u64 group = first + k * kWarpSize + simt::lane();
      first_rows[k] = group < list.end ? *cells_out_of(of, group) : kNoRowYet;
    }
    u32 place[kListedSteps];
    u32 listed = 0;
    PRESSO_UNROLL
    for (u32 k = 0; k < kListedSteps; ++k) {
      const u32 with_rows = simt::ballot(first_rows[k] != kNoRowYet);
      place[k] = listed + simt::popcount(with_rows & lanes_below());
      listed += simt::popcount(with_rows);
    }
    if (listed == 0) continue;
    u64 begin = 0;
    if (simt::lane() == 0) begin = simt::atomic_add(list.count, u64{listed});
    begin = simt::shuffle(begin, 0);
    PRESSO_UNROLL
    for (u32 k = 0; k < kListedSteps; ++k) {
      if (first_rows[k] == kNoRowYet) continue;
      const u64 group = first + k * kWarpSize + simt::lane();
      const u64* const from = cells_out_of(of, group);
      u64* const to = list.records + (begin + place[k]) * record_words(of);
      to[0] = first_rows[k];
      for (u32 i = 0; i < of.cells; ++i) to[kGroupCells + i] = from[kGroupCells + i];
      to[kGroupCells + of.cells] = of.place == GroupPlace::kTable ? key_of_group(of, group) : group;
    }
  }
}

}  // namespace presso::gpu
