// SPDX-License-Identifier: MIT
// Adds rows to the cells of their groups, wherever these are (GroupPlace):
//
//   lanes    each lane of each warp has cells of its own in shared memory, so that nothing is
//            atomic; they are added up when the warp has no more rows. For few groups
//   block    the warps of a thread block share cells in shared memory. Up to a few thousand groups
//   device   all share cells in device memory, which stay in L2 up to some millions of groups; a
//            row's are in one sector, where they are few. A group is told by its number, or by its
//            key, which has a place in a table (group_table.cuh)
//
// Additions may come in any order: sums are modulo 2^64, and the host has seen to it that they are
// right there, or splits values (kSumLow, kSumHigh). First rows: rows of a lane ascend.
// Tests: tests/simt/query_on_gpu_test.cpp.
#pragma once

#include "scan/gpu/table/program.cuh"

namespace presso::gpu {

/// What a cell takes of a value.
PRESSO_DEVICE u64 part_of(PipelineCell::Kind kind, u64 value) {
  using Kind = PipelineCell::Kind;
  if (kind == Kind::kCount) return 1;
  if (kind == Kind::kSumLow) return static_cast<u32>(value);
  if (kind == Kind::kSumHigh) {
    return static_cast<u64>(static_cast<std::int64_t>(value) >> kWordBits);
  }
  if (kind == Kind::kMin || kind == Kind::kMax) return value ^ kImageTopBit;
  return value;
}

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

PRESSO_DEVICE u32 cells_of_group(const Pipeline& of) {
  return of.cells + kGroupCells;
}

/// Which of the chunk's rows, of those alive, have a value in all of the columns.
template <bool kDense>
PRESSO_DEVICE u32 with_values(const ProgramSpace& program, u32 columns,
                              const ChunkRows<kDense>& rows, u32 alive) {
  for (u32 left = columns & program.of.nullable_columns; left != 0; left &= left - 1) {
    const u32 column = simt::find_first_set(left) - 1;
    PRESSO_UNROLL
    for (u32 k = 0; k < kChunkSteps; ++k) {
      if (!program.is_valid(column, rows.row(k))) alive &= ~(1u << k);
    }
  }
  return alive;
}

/// The groups of a lane's rows; those that are not alive have 0.
struct ChunkGroups {
  u32 group[kChunkSteps];

  /// Rows whose group there is not, since zones have said something else of its keys, are not
  /// alive any more.
  PRESSO_DEVICE ChunkGroups(const ProgramSpace& program, u32& alive) {
    const u32* const from = program.narrow(program.of.group_register);
    PRESSO_UNROLL
    for (u32 k = 0; k < kChunkSteps; ++k) {
      const bool has_group = program.of.has_groups && (alive >> k & 1) != 0;
      group[k] = has_group ? from[k * kWarpSize] : 0;
      if (group[k] < program.of.groups) continue;
      group[k] = 0;
      alive &= ~(1u << k);
      *program.of.fault = kKeyIsOutside;
    }
  }
};

/// Calls call.template operator()<kind>(), so that loops over rows need not ask for the kind.
template <class Call>
PRESSO_DEVICE void with_kind(PipelineCell::Kind kind, const Call& call) {
  using Kind = PipelineCell::Kind;
  switch (kind) {
    case Kind::kCount:
      return call.template operator()<Kind::kCount>();
    case Kind::kSum:
      return call.template operator()<Kind::kSum>();
    case Kind::kSumLow:
      return call.template operator()<Kind::kSumLow>();
    case Kind::kSumHigh:
      return call.template operator()<Kind::kSumHigh>();
    case Kind::kMin:
      return call.template operator()<Kind::kMin>();
    case Kind::kMax:
      return call.template operator()<Kind::kMax>();
  }
}

/// What a cell takes of a chunk, one value for each of the rows in `counted`.
struct CellValues {
  u32 counted;
  u64 value[kChunkSteps];

  template <bool kDense>
  PRESSO_DEVICE CellValues(const ProgramSpace& program, const PipelineCell& what,
                           const ChunkRows<kDense>& rows, u32 alive)
      : counted(alive) {
    if (what.valid_columns != 0) counted = with_values(program, what.valid_columns, rows, counted);
    if (what.has_valid) counted = where_true(program, what.valid, rows, counted);
    if (what.kind == PipelineCell::Kind::kCount) {
      rows.for_each([&](u32 k) { value[k] = 1; });
      return;
    }
    if (what.part != RealPart::kNone) {
      const RegisterPlace parts = program.of.part_register;
      take_parts(what, program.registers_at(), parts, counted, program.of.fault);
      program.read(parts, rows, value);
      return;
    }
    program.read(what.from, rows, value);
    if (what.kind == PipelineCell::Kind::kSum) return;
    with_kind(what.kind, [&]<PipelineCell::Kind kKind>() {
      rows.for_each([&](u32 k) { value[k] = part_of(kKind, value[k]); });
    });
  }
  PRESSO_DEVICE bool takes(u32 k) const { return (counted >> k & 1) != 0; }
};

/// First rows of groups whose cells are the lane's own.
template <bool kDense>
PRESSO_DEVICE void lower_first_rows(const ProgramSpace& program, const ChunkRows<kDense>& rows,
                                    u32 alive, const ChunkGroups& groups, u64 first_row,
                                    u64* cells) {
  const u32 each = cells_of_group(program.of) * kWarpSize;
  rows.for_each([&](u32 k) {
    if ((alive >> k & 1) == 0) return;
    u64* const first = cells + groups.group[k] * each;
    const u64 row = order_of(program.of, program.registers_at(), first_row + rows.row(k), k);
    if (row < *first) *first = row;
  });
}

/// Adds without groups: the rows of a chunk are put together first.
template <bool kDense>
PRESSO_DEVICE void add_to_one(const ProgramSpace& program, const ChunkRows<kDense>& rows, u32 alive,
                              u64* cells) {
  const Pipeline& of = program.of;
  for (u32 i = 0; i < of.cells; ++i) {
    const CellValues values(program, of.cell[i], rows, alive);
    u64* const own = cells + (kGroupCells + i) * kWarpSize;
    with_kind(of.cell[i].kind, [&]<PipelineCell::Kind kKind>() {
      u64 all = *own;
      rows.for_each([&](u32 k) {
        if (values.takes(k)) all = combined(kKind, all, values.value[k]);
      });
      *own = all;
    });
  }
}

/// Cells that are the lane's own: group g's cell i at (g * cells + i) * 32 + lane.
template <bool kDense>
PRESSO_DEVICE void add_to_lanes(const ProgramSpace& program, const ChunkRows<kDense>& rows,
                                u32 alive, const ChunkGroups& groups, u64 first_row, u64* cells) {
  const Pipeline& of = program.of;
  const u32 each = cells_of_group(of) * kWarpSize;
  cells += simt::lane();
  if (!of.has_groups) return add_to_one(program, rows, alive, cells);
  lower_first_rows(program, rows, alive, groups, first_row, cells);
  for (u32 i = 0; i < of.cells; ++i) {
    const CellValues values(program, of.cell[i], rows, alive);
    u64* const own = cells + (kGroupCells + i) * kWarpSize;
    with_kind(of.cell[i].kind, [&]<PipelineCell::Kind kKind>() {
      rows.for_each([&](u32 k) {
        if (!values.takes(k)) return;
        u64* const cell = own + groups.group[k] * each;
        *cell = combined(kKind, *cell, values.value[k]);
      });
    });
  }
}

/// Adds to a cell of 64 bits in shared memory, for which there is no atomic addition: its halves
/// are added to one after another, the upper one where there is something to add.
PRESSO_DEVICE void add_in_halves(u64* cell, u64 value) {
  auto* const halves = reinterpret_cast<u32*>(cell);
  const u32 low = static_cast<u32>(value);
  const u32 before = simt::atomic_add(halves, low);
  const u32 carry = before + low < before ? 1 : 0;
  const u32 high = static_cast<u32>(value >> kWordBits) + carry;
  if (high != 0) simt::atomic_add(halves + 1, high);
}

/// Cells that others add to as well: in shared memory group g's cell i at i * groups + g, else at
/// g * group_words + i.
template <bool kShared, bool kDense>
PRESSO_DEVICE void add_to_all(const ProgramSpace& program, const ChunkRows<kDense>& rows, u32 alive,
                              const ChunkGroups& groups, u64 first_row, u64* cells) {
  const Pipeline& of = program.of;
  const auto cell_of = [&](u32 i, u32 k) {
    if constexpr (kShared) return cells + i * static_cast<u32>(of.groups) + groups.group[k];
    return cells + u64{groups.group[k]} * of.group_words + i;
  };
  rows.for_each([&](u32 k) {
    if (!of.has_groups || (alive >> k & 1) == 0) return;
    u64* const cell = cell_of(0, k);
    // A stale value is greater than the cell's: at worst the atomic is asked for in vain.
    const u64 row = order_of(program.of, program.registers_at(), first_row + rows.row(k), k);
    if (*static_cast<volatile u64*>(cell) > row) simt::atomic_min(cell, row);
  });
  for (u32 i = 0; i < of.cells; ++i) {
    const CellValues values(program, of.cell[i], rows, alive);
    with_kind(of.cell[i].kind, [&]<PipelineCell::Kind kKind>() {
      constexpr bool kIsSum =
          kKind != PipelineCell::Kind::kMin && kKind != PipelineCell::Kind::kMax;
      rows.for_each([&](u32 k) {
        if (!values.takes(k)) return;
        u64* const cell = cell_of(kGroupCells + i, k);
        if constexpr (kShared && kIsSum) {
          add_in_halves(cell, values.value[k]);
        } else {
          combine_atomically(kKind, cell, values.value[k]);
        }
      });
    });
  }
}

/// The sum, modulo 2^64, of the column's values of the lane's rows of the mask; without a program.
PRESSO_DEVICE u64 sum_of_column(const Pipeline& of, const WarpSpace& space,
                                const PipelineCell& what, const VectorPlace& at, u32 mask) {
  const ColumnTask& task = space.columns()[what.column];
  const TableBlock& block = task.block;
  const VectorEntry& entry = task.entries[at.vector % kTaskVectors];
  const StagedWords staged = task.staged[at.vector % kTaskVectors];
  if (block.words == nullptr) return 0;
  if ((of.nullable_columns >> what.column & 1) != 0 && block.validity != nullptr) {
    mask &= transposed(valid_bits(block, at.vector, at.rows, space.staging()));
  }
  u64 sum = 0;
  const u32* const words = space.words(what.column, at.vector);
  if (staged.form == StagedWords::Form::kPacked) {
    if (staged.width != 0) {
      for_width(staged.width,
                [&]<u32 kWidth>() { sum = packed_sum<kWidth>(words + simt::lane(), mask); });
    }
    const u64 base = widened(entry.base, block.width_bytes, block.is_signed);
    return sum * block.divisor + base * simt::popcount(mask);
  }
  for_each_bits(block, entry, at, words, space.staging(), [&](u32 step, u64 value) {
    if ((mask >> step & 1) != 0) sum += widened(value, block.width_bytes, block.is_signed);
  });
  return sum;
}

/// The kind by which cell `i`, counted from a group's first, is put together.
PRESSO_DEVICE PipelineCell::Kind kind_of_cell(const Pipeline& of, u32 i) {
  if (i == 0) return PipelineCell::Kind::kMin;
  return of.cell[i - kGroupCells].kind;
}

/// Sets a warp's own cells to what they are without a row; by the warp.
PRESSO_DEVICE void clear_lanes(const Pipeline& of, u64* cells) {
  const u32 each = cells_of_group(of);
  for (u32 i = 0; i < of.groups * each; ++i) {
    cells[i * kWarpSize + simt::lane()] = initial_cell(kind_of_cell(of, i % each));
  }
}
PRESSO_DEVICE void clear_block(const Pipeline& of, u64* cells) {
  const u32 all = static_cast<u32>(of.groups) * cells_of_group(of);
  for (u32 i = simt::thread_in_block(); i < all; i += simt::block_threads()) {
    cells[i] = initial_cell(kind_of_cell(of, i / static_cast<u32>(of.groups)));
  }
}

PRESSO_DEVICE u64* cells_out_of(const Pipeline& of, u64 group) {
  return of.cells_out + group * of.group_words;
}

/// Adds a warp's own cells to those of the device.
PRESSO_DEVICE void flush_lanes(const Pipeline& of, const u64* cells) {
  const u32 each = cells_of_group(of);
  for (u32 group = 0; group < of.groups; ++group) {
    for (u32 i = 0; i < each; ++i) {
      const auto kind = kind_of_cell(of, i);
      u64 value = cells[(group * each + i) * kWarpSize + simt::lane()];
      for (u32 half = kWarpSize / 2; half != 0; half /= 2) {
        value = combined(kind, value, simt::shuffle_xor(value, half));
      }
      if (of.has_groups && i == 0 && value == kNoRowYet) break;
      if (simt::lane() == 0) combine_atomically(kind, cells_out_of(of, group) + i, value);
    }
  }
}
PRESSO_DEVICE void flush_block(const Pipeline& of, const u64* cells) {
  const u32 groups = static_cast<u32>(of.groups);
  for (u32 group = simt::thread_in_block(); group < groups; group += simt::block_threads()) {
    if (of.has_groups && cells[group] == kNoRowYet) continue;
    for (u32 i = 0; i < cells_of_group(of); ++i) {
      combine_atomically(kind_of_cell(of, i), cells_out_of(of, group) + i,
                         cells[i * groups + group]);
    }
  }
}

}  // namespace presso::gpu
