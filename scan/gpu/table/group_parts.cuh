// SPDX-License-Identifier: MIT
// Groups of a table that is much larger than the cache: rows go to parts by the upper bits of their
// keys' hashes first (one radix pass, as S3.2's joins have it), each with what cells take of it,
// and then come to their groups part by part. Keys of a part have neighbouring buckets, so that
// what is in use of the table stays in the cache. A part's places are given out by an atomic
// addition; rows for which there is no room, as of a key that most rows have, come to their groups
// at once, which then are in the cache anyway.
// Tests: tests/simt/query_on_gpu_test.cpp.
#pragma once

#include "scan/gpu/table/groups.cuh"

namespace presso::gpu {

PRESSO_DEVICE u64* part_word(const Pipeline& of, u32 part, u32 word) {
  return of.part_records + (u64{part} * of.part_words + word) * of.part_rows;
}

/// Returns which of the rows had no room in their parts, with their groups in the register that
/// says so.
template <bool kDense>
PRESSO_DEVICE u32 write_to_parts(const ProgramSpace& program, const ChunkRows<kDense>& rows,
                                 u32 alive, u64 first_row) {
  const Pipeline& of = program.of;
  // The step that would have asked for groups is behind the others.
  const PipelineStep& group = of.program[of.steps];
  u64* places[kChunkSteps];
  u64 values[kChunkSteps] = {};
  program.read(group.a, rows, values);
  u32 left = 0;
  PRESSO_UNROLL
  for (u32 k = 0; k < kChunkSteps; ++k) {
    if ((alive >> k & 1) == 0) continue;
    const u32 part = simt::multiply_high(upper_word(hash_key(values[k])), of.parts);
    const u32 place = simt::atomic_add(of.part_counts + part * kPartCountWords, 1u);
    if (place >= of.part_rows) left |= 1u << k;
    places[k] = part_word(of, part, 0) + place;
  }
  const u32 taken = alive & ~left;
  rows.for_each([&](u32 k) {
    if ((taken >> k & 1) == 0) return;
    *places[k] = values[k];
    places[k][of.part_rows] = order_of(of, program.registers_at(), first_row + rows.row(k), k);
  });
  for (u32 i = 0; i < of.cells; ++i) {
    if (of.cell[i].part_word == 0) continue;
    const CellValues cell(program, of.cell[i], rows, taken);
    const u64 at = u64{of.cell[i].part_word} * of.part_rows;
    rows.for_each([&](u32 k) {
      if ((taken >> k & 1) == 0) return;
      places[k][at] = cell.takes(k) ? cell.value[k] : initial_cell(of.cell[i].kind);
    });
  }
  if (!simt::any(left != 0)) return 0;
  return group_keys(of, program.registers_at(), group.a, group.to, left);
}

inline constexpr u32 kPartItems = 4;

/// Brings the rows of all parts to their groups. Threads to data: a thread block takes tiles of
/// kPartItems rows for each thread, the grid's thread blocks side by side, so that all work on few
/// parts at a time.
PRESSO_DEVICE void add_parts_body(const Pipeline& of) {
  const u32 tile_rows = kPartItems * simt::block_threads();
  const u32 tiles = (of.part_rows + tile_rows - 1) / tile_rows;
  for (u32 tile = simt::block_index(); tile < tiles * of.parts; tile += simt::grid_blocks()) {
    const u32 part = tile / tiles;
    const u32 counted = simt::load_readonly(of.part_counts + part * kPartCountWords);
    const u32 count = counted < of.part_rows ? counted : of.part_rows;
    const u32 first = tile % tiles * tile_rows + simt::thread_in_block();
    const u64* const words = part_word(of, part, 0) + first;
    u64 keys[kPartItems] = {};
    u32 groups[kPartItems];
    u32 alive = 0;
    PRESSO_UNROLL
    for (u32 k = 0; k < kPartItems; ++k) {
      const u32 at = k * simt::block_threads();
      if (first + at >= count) continue;
      alive |= 1u << k;
      keys[k] = words[at];
    }
    alive = find_groups(of, alive, keys, groups);
    PRESSO_UNROLL
    for (u32 k = 0; k < kPartItems; ++k) {
      if ((alive >> k & 1) == 0) continue;
      const u64* const row = words + k * simt::block_threads();
      u64* const cells = of.cells_out + u64{groups[k]} * of.group_words;
      lower_first_row(cells, row[of.part_rows]);
      for (u32 i = 0; i < of.cells; ++i) {
        const PipelineCell& cell = of.cell[i];
        const u64 value = cell.part_word == 0 ? 1 : row[u64{cell.part_word} * of.part_rows];
        combine_atomically(cell.kind, cells + kGroupCells + i, value);
      }
    }
  }
}

}  // namespace presso::gpu
