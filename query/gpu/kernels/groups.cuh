// SPDX-License-Identifier: MIT
// Adds rows to the cells of their groups, which lie in one of three places (GroupPlace):
//
//   lanes    each lane of each warp has cells of its own in shared memory, so additions need not be
//            atomic; cells are added up when the warp has no more rows. For few groups
//   block    the warps of a thread block share cells in shared memory. Up to a few thousand groups
//   device   all threads share cells in device memory, which stay in L2 up to some millions of
//            groups. If a group has few cells, they lie in one sector. A group is identified by its
//            number, or by its key, which has a place in a table (group_table.cuh)
//
// Additions may come in any order: sums are modulo 2^64, and the host has made sure that they
// cannot overflow, or has split the values (kSumLow, kSumHigh). Each row lowers its group's first
// row number to its own, if that is smaller.
// Tests: tests/queries/one_table.txt.
#pragma once

#include "query/gpu/kernels/common_cells.cuh"
#include "query/gpu/kernels/program.cuh"

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
  template <PipelineCell::Kind kKind>
  PRESSO_DEVICE u64 part(u32 k) const {
    return value[k];
  }
};

/// A warp's cells of GroupPlace::kLanes: the first row of each group, which its lanes share, and
/// behind these each lane's own cell i of group g at (g * cells + i) * 32 + lane.
struct LaneCells {
  u64* base;

  PRESSO_DEVICE u64* first_rows() const { return base; }
  PRESSO_DEVICE u64* of_lane(const Pipeline& of, u32 i) const {
    return base + first_row_words(of) + i * kWarpSize + simt::lane();
  }
  /// From a group's cell to the next group's.
  PRESSO_DEVICE static u32 stride(const Pipeline& of) { return of.cells * kWarpSize; }
};

/// Adds to the only cell of its kind that the lane has: the rows of a chunk are put together first.
template <class Rows, class Values>
PRESSO_DEVICE void add_to_lone_cell(PipelineCell::Kind kind, const Rows& rows, const Values& values,
                                    u64* cell) {
  with_kind(kind, [&]<PipelineCell::Kind kKind>() {
    u64 all = *cell;
    rows.for_each([&](u32 k) {
      if (values.takes(k)) all = combined(kKind, all, values.template part<kKind>(k));
    });
    *cell = all;
  });
}

/// Adds to cells that are the lane's own; cell_of(k) says where that of row k is.
template <class Rows, class Values, class CellOf>
PRESSO_DEVICE void add_to_own_cells(PipelineCell::Kind kind, const Rows& rows, const Values& values,
                                    const CellOf& cell_of) {
  with_kind(kind, [&]<PipelineCell::Kind kKind>() {
    rows.for_each([&](u32 k) {
      if (!values.takes(k)) return;
      u64* const cell = cell_of(k);
      *cell = combined(kKind, *cell, values.template part<kKind>(k));
    });
  });
}

/// Adds without groups: the rows of a chunk are put together first.
template <bool kDense>
PRESSO_DEVICE void add_to_one(const ProgramSpace& program, const ChunkRows<kDense>& rows, u32 alive,
                              const LaneCells& cells) {
  const Pipeline& of = program.of;
  for (u32 i = 0; i < of.cells; ++i) {
    const CellValues values(program, of.cell[i], rows, alive);
    add_to_lone_cell(of.cell[i].kind, rows, values, cells.of_lane(of, i));
  }
}

template <bool kDense>
PRESSO_DEVICE void add_to_lanes(const ProgramSpace& program, const ChunkRows<kDense>& rows,
                                u32 alive, const ChunkGroups& groups, u64 first_row,
                                const LaneCells& cells) {
  const Pipeline& of = program.of;
  const u32 each = LaneCells::stride(of);
  if (!of.has_groups) return add_to_one(program, rows, alive, cells);
  rows.for_each([&](u32 k) {
    if ((alive >> k & 1) == 0) return;
    lower_first_row(cells.first_rows() + groups.group[k],
                    order_of(of, program.registers_at(), first_row + rows.row(k), k));
  });
  for (u32 i = 0; i < of.cells; ++i) {
    const CellValues values(program, of.cell[i], rows, alive);
    u64* const own = cells.of_lane(of, i);
    add_to_own_cells(of.cell[i].kind, rows, values,
                     [&](u32 k) { return own + groups.group[k] * each; });
  }
}

/// Cell i of a group: in shared memory at i * groups + group, else at group * group_words + i.
template <bool kShared>
PRESSO_DEVICE u64* common_cell(const Pipeline& of, u64* cells, u32 group, u32 i) {
  if constexpr (kShared) return cells + i * static_cast<u32>(of.groups) + group;
  return cells + u64{group} * of.group_words + i;
}

/// Adds to cells that others add to as well.
template <bool kShared, class Rows, class Values, class CellOf>
PRESSO_DEVICE void add_to_common_cells(PipelineCell::Kind kind, const Rows& rows,
                                       const Values& values, const CellOf& cell_of) {
  with_kind(kind, [&]<PipelineCell::Kind kKind>() {
    constexpr bool kIsSum = kKind != PipelineCell::Kind::kMin && kKind != PipelineCell::Kind::kMax;
    rows.for_each([&](u32 k) {
      if (!values.takes(k)) return;
      const u64 part = values.template part<kKind>(k);
      if constexpr (kShared && kIsSum) {
        add_in_halves(cell_of(k), part);
      } else {
        combine_atomically(kKind, cell_of(k), part);
      }
    });
  });
}

/// Cells that others add to as well.
template <bool kShared, bool kDense>
PRESSO_DEVICE void add_to_all(const ProgramSpace& program, const ChunkRows<kDense>& rows, u32 alive,
                              const ChunkGroups& groups, u64 first_row, u64* cells) {
  const Pipeline& of = program.of;
  const auto cell_of = [&](u32 i, u32 k) {
    return common_cell<kShared>(of, cells, groups.group[k], i);
  };
  rows.for_each([&](u32 k) {
    if (!of.has_groups || (alive >> k & 1) == 0) return;
    lower_first_row(cell_of(0, k),
                    order_of(of, program.registers_at(), first_row + rows.row(k), k));
  });
  for (u32 i = 0; i < of.cells; ++i) {
    const CellValues values(program, of.cell[i], rows, alive);
    add_to_common_cells<kShared>(of.cell[i].kind, rows, values,
                                 [&](u32 k) { return cell_of(kGroupCells + i, k); });
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
PRESSO_DEVICE void clear_lanes(const Pipeline& of, const LaneCells& cells) {
  for (u32 i = simt::lane(); i < of.groups; i += kWarpSize) cells.first_rows()[i] = kNoRowYet;
  for (u32 i = 0; i < of.groups * of.cells; ++i) {
    *cells.of_lane(of, i) = initial_cell(of.cell[i % of.cells].kind);
  }
  simt::warp_sync();
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
PRESSO_DEVICE void flush_lanes(const Pipeline& of, const LaneCells& cells) {
  simt::warp_sync();
  for (u32 group = 0; group < of.groups; ++group) {
    const u64 first_row = cells.first_rows()[group];
    if (of.has_groups && first_row == kNoRowYet) continue;
    if (of.has_groups && simt::lane() == 0) {
      combine_atomically(PipelineCell::Kind::kMin, cells_out_of(of, group), first_row);
    }
    for (u32 i = 0; i < of.cells; ++i) {
      const auto kind = of.cell[i].kind;
      u64 value = *cells.of_lane(of, group * of.cells + i);
      for (u32 half = kWarpSize / 2; half != 0; half /= 2) {
        value = combined(kind, value, simt::shuffle_xor(value, half));
      }
      if (simt::lane() == 0) {
        combine_atomically(kind, cells_out_of(of, group) + kGroupCells + i, value);
      }
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
