// SPDX-License-Identifier: MIT
// Writes the rows that are left to arrays, in any order: the values that a query or a join wants of
// them (GroupPlace::kRows), or what they add to their groups (GroupPlace::kParts). Tests:
// tests/queries/joins.txt, tests/queries/groups_in_parts.txt.
#pragma once

#include "query/gpu/kernels/group_part_plan.h"
#include "query/gpu/kernels/groups.cuh"

namespace presso::gpu {

/// The next places that are free, one for each of a chunk's rows that are alive. By the warp.
template <bool kDense>
struct WrittenPlaces {
  const Pipeline& of;
  const ChunkRows<kDense>& rows;
  u32 alive;
  u64 begin = 0;
  u32 place[kChunkSteps] = {};

  PRESSO_DEVICE WrittenPlaces(const Pipeline& pipeline, const ChunkRows<kDense>& chunk, u32 left)
      : of(pipeline), rows(chunk), alive(left) {
    const u32 count = simt::reduce_add(simt::popcount(alive));
    if (simt::lane() == 0) begin = simt::atomic_add(of.rows_out, u64{count});
    begin = simt::shuffle(begin, 0);
    u32 before = 0;
    rows.for_each([&](u32 k) {
      const u32 step = simt::ballot((alive >> k & 1) != 0);
      place[k] = before + simt::popcount(step & lanes_below());
      before += simt::popcount(step);
    });
  }

  /// Rows for which the arrays have no room are only counted.
  PRESSO_DEVICE void write(const RowArray& to, const u64 (&values)[kChunkSteps]) const {
    rows.for_each([&](u32 k) {
      if ((alive >> k & 1) == 0 || begin + place[k] >= of.most_rows_out) return;
      if (to.is_wide) {
        static_cast<u64*>(to.values)[begin + place[k]] = values[k];
      } else {
        static_cast<u32*>(to.values)[begin + place[k]] = static_cast<u32>(values[k]);
      }
    });
  }
};

/// Of GroupPlace::kRows.
template <bool kDense>
PRESSO_DEVICE void write_rows(const ProgramSpace& program, const ChunkRows<kDense>& rows,
                              u32 alive) {
  const Pipeline& of = program.of;
  const WrittenPlaces<kDense> places(of, rows, alive);
  for (u32 i = 0; i < of.outputs; ++i) {
    u64 values[kChunkSteps] = {};
    program.read(of.output[i].from, rows, values);
    places.write(of.output[i].to, values);
  }
}

/// Of GroupPlace::kParts: keys, which the group's register has, the order, and what cells take; of
/// a row that a cell does not take, what changes nothing.
template <bool kDense>
PRESSO_DEVICE void write_group_rows(const ProgramSpace& program, const ChunkRows<kDense>& rows,
                                    u32 alive, u64 first_row) {
  const Pipeline& of = program.of;
  const WrittenPlaces<kDense> places(of, rows, alive);
  u64 values[kChunkSteps] = {};
  program.read(of.group_register, rows, values);
  places.write(of.output[kKeyArray].to, values);
  rows.for_each(
      [&](u32 k) { values[k] = order_of(of, program.registers_at(), first_row + rows.row(k), k); });
  places.write(of.output[kOrderArray].to, values);
  simt::warp_sync();  // the register of parts may lie where the keys were
  u32 array = kCellArrays;
  for (u32 i = 0; i < of.cells; ++i) {
    const PipelineCell& cell = of.cell[i];
    if (word_of(cell) == CellWord::kNone) continue;
    const CellValues taken(program, cell, rows, alive);
    const u64 otherwise = initial_cell(cell.kind);
    rows.for_each([&](u32 k) { values[k] = taken.takes(k) ? taken.value[k] : otherwise; });
    places.write(of.output[array++].to, values);
  }
}

}  // namespace presso::gpu
