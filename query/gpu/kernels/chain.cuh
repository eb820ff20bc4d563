// SPDX-License-Identifier: MIT
// Sums of products of columns, grouped by keys that are columns (ChainStep): does what
// run_pipeline_body does with a program, with one value for each row in registers. What a vector's
// header says about a step is evaluated once for all of its rows, by one lane for each step. Only
// columns whose vectors are not simply packed go through shared memory, as in a program.
// Tests: tests/queries/random_sums.txt.
#pragma once

#include "query/gpu/kernels/byte_sums.cuh"
#include "query/gpu/kernels/pipeline.cuh"

namespace presso::gpu {

/// A warp that lists rows goes on to do so up to so many rows of a vector, and one that does not
/// begins below so few: one that went from one to the other and back would not have the
/// instructions of both at hand.
inline constexpr u32 kListsUpTo = kVectorRows / 2;
inline constexpr u32 kListsFrom = kVectorRows * 3 / 8;

/// What cells take of a chunk whose rows have these values.
struct ChainValues {
  u32 counted;
  const u64 (&value)[kChunkSteps];

  PRESSO_DEVICE bool takes(u32 k) const { return (counted >> k & 1) != 0; }
  template <PipelineCell::Kind kKind>
  PRESSO_DEVICE u64 part(u32 k) const {
    return part_of(kKind, value[k]);
  }
};

/// What a step's column is in the vector at hand, in shared memory.
struct ChainColumn {
  enum class How : Byte {
    kConstant,  ///< `plus` for all rows
    kPacked,
    kOther,  ///< opened as those of a program
  };
  u32 words_at = 0;  ///< of packed numbers, in shared memory
  How how = How::kConstant;
  Byte width = 0;
  bool is_narrow = false;  ///< packed numbers, codes' numbers and `times` have 31 bits
  u64 plus = 0;            ///< plus + times * packed number: what the step takes, or the code
  u64 times = 0;
  const u32* numbers = nullptr;  ///< of codes, where these are no numbers themselves
};
static_assert(sizeof(ChainColumn) == kChainColumnBytes);

/// plus + times * number. `kIsNarrow`: number and `times` have 31 bits.
template <bool kIsNarrow>
PRESSO_DEVICE u64 scaled(u64 plus, u64 times, u32 number) {
  if constexpr (!kIsNarrow) return plus + times * number;
  return simt::multiply_add_wide(static_cast<std::int32_t>(times),
                                 static_cast<std::int32_t>(number), plus);
}

/// Takes plus + times * number into the value of each of the lane's rows.
template <bool kIsNarrow>
PRESSO_DEVICE void apply(ChainStep::Kind kind, u64 plus, u64 times,
                         const u32 (&number)[kChunkSteps], u64 (&value)[kChunkSteps]) {
  if (kind == ChainStep::Kind::kMultiply) {
    PRESSO_UNROLL
    for (u32 k = 0; k < kChunkSteps; ++k) value[k] *= scaled<kIsNarrow>(plus, times, number[k]);
  } else if (kind == ChainStep::Kind::kAdd) {
    PRESSO_UNROLL
    for (u32 k = 0; k < kChunkSteps; ++k) {
      value[k] = scaled<kIsNarrow>(value[k] + plus, times, number[k]);
    }
  } else {
    PRESSO_UNROLL
    for (u32 k = 0; k < kChunkSteps; ++k) value[k] = scaled<kIsNarrow>(plus, times, number[k]);
  }
}

/// `Cells`: what adds to them, LaneCells, ByteSums, or u64* to those of a thread block.
template <class Cells>
struct RunChain {
  static constexpr bool kIsLanes = std::is_same_v<Cells, LaneCells>;
  static constexpr bool kIsBytes = std::is_same_v<Cells, ByteSums>;

  const Pipeline& of;
  const WarpSpace& space;
  ProgramSpace program;
  Cells cells;
  u64 matched = 0;
  u32 seen = 0;         ///< groups of which the lane has had rows, where cells are the warp's own
  u32 seen_before = 0;  ///< in vectors before this one
  bool lists = true;

  PRESSO_DEVICE void operator()(const VectorPlace& at) {
    const u32 mask = rows_that_hold<false>(of, space, at);
    if (!simt::any(mask != 0)) return;
    stage_late_columns<true>(of, space, at);
    open_columns(at);
    seen_before = seen;
    const u32 mine = simt::popcount(mask);
    matched += mine;
    lists = of.lists_rows && simt::reduce_add(mine) < (lists ? kListsUpTo : kListsFrom);
    if (lists) {
      run_listed(at, mask);
    } else {
      run_dense(at, mask);
    }
    if constexpr (kIsBytes) cells.count_vector();
    simt::warp_sync();
  }

 private:
  PRESSO_DEVICE ChainColumn* columns() const {
    return reinterpret_cast<ChainColumn*>(space.base + space.shape.chain_at);
  }

  PRESSO_DEVICE ChainColumn opened(const ChainStep& step, const VectorPlace& at) const {
    ChainColumn to;
    to.plus = static_cast<u64>(step.plus);
    if (step.column == ChainStep::kNone) return to;
    const ColumnTask& task = space.columns()[step.column];
    const StagedWords staged = task.staged[at.vector % kTaskVectors];
    if (step.is_code) {
      const u32 group = of.table.slices[at.slice].group;
      const u32 begin = simt::load_readonly(of.code_begins + step.column * of.row_groups + group);
      if ((begin & kCodesAreNumbers) == 0) to.numbers = of.code_numbers + begin;
    }
    to.how = ChainColumn::How::kOther;
    if (staged.form != StagedWords::Form::kPacked) return to;
    const u64 base = widened(task.entries[at.vector % kTaskVectors].base, task.block.width_bytes,
                             task.block.is_signed);
    if (staged.width == 0) {
      const u64 value = to.numbers != nullptr ? simt::load_readonly(to.numbers + base) : base;
      to.how = ChainColumn::How::kConstant;
      to.plus += static_cast<u64>(step.times) * value;
      return to;
    }
    to.how = ChainColumn::How::kPacked;
    to.width = staged.width;
    to.words_at = space.words_at(step.column, at.vector);
    to.times = static_cast<u64>(step.times);
    to.is_narrow = static_cast<std::int32_t>(step.times) == step.times;
    if (to.numbers != nullptr) {
      to.plus = base;
      to.times = task.block.divisor;
      return to;
    }
    to.plus += to.times * base;
    to.times *= task.block.divisor;
    const auto times = static_cast<std::int64_t>(to.times);
    to.is_narrow = to.width < kWordBits && static_cast<std::int32_t>(times) == times;
    return to;
  }

  /// One lane for each step; and by the warp those columns that are not simply packed.
  PRESSO_DEVICE void open_columns(const VectorPlace& at) const {
    u32 others = 0;
    simt::warp_sync();  // what was there has been used
    if (simt::lane() < of.chain_steps) {
      const ChainStep& step = of.chain[simt::lane()];
      const ChainColumn open = opened(step, at);
      if (open.how == ChainColumn::How::kOther) others = 1u << step.column;
      columns()[simt::lane()] = open;
    }
    for (others = simt::reduce_or(others); others != 0; others &= others - 1) {
      open_column(program, simt::find_first_set(others) - 1, at);
    }
    simt::warp_sync();
  }

  PRESSO_DEVICE void run_dense(const VectorPlace& at, u32 mask) {
    for (u32 chunk = 0; chunk < kVectorSteps / kChunkSteps; ++chunk) {
      ChunkRows<true> rows;
      rows.alive = mask >> (chunk * kChunkSteps) & low_ones(kChunkSteps);
      rows.chunk = chunk;
      if (simt::any(rows.alive != 0)) run_chunk(at, rows);
    }
  }

  PRESSO_DEVICE void run_listed(const VectorPlace& at, u32 mask) {
    for_each_listed(space, mask, [&](const ChunkRows<false>& rows) { run_chunk(at, rows); });
  }

  template <bool kDense>
  PRESSO_DEVICE void run_chunk(const VectorPlace& at, const ChunkRows<kDense>& rows) {
    u64 value[kChunkSteps] = {};
    u32 place[kChunkSteps] = {};
    u32 alive = rows.alive;
    for (u32 i = 0; i < of.chain_steps; ++i) {
      const ChainStep& step = of.chain[i];
      run_step(step, columns()[i], at, rows, value);
      if (step.to == ChainStep::kGroup) {
        alive = take_groups(at, rows, alive, value, place);
      } else if (step.to != ChainStep::kNone) {
        if constexpr (kIsBytes) {
          cells.put(step, value);
        } else {
          add(step.to, rows, alive, value, place);
        }
      }
    }
    if constexpr (kIsBytes) cells.multiply();
  }

  template <bool kDense>
  PRESSO_DEVICE void run_step(const ChainStep& step, const ChainColumn& column,
                              const VectorPlace& at, const ChunkRows<kDense>& rows,
                              u64 (&value)[kChunkSteps]) const {
    using Kind = ChainStep::Kind;
    if (step.kind == Kind::kKeep) return;
    const ChainColumn open = column;
    if (open.how == ChainColumn::How::kPacked) {
      u32 number[kChunkSteps];
      load_packed(open, rows, number);
      if (open.numbers != nullptr) return take_codes(step, open, rows, number, value);
      if (open.is_narrow) return apply<true>(step.kind, open.plus, open.times, number, value);
      return apply<false>(step.kind, open.plus, open.times, number, value);
    }
    u64 other[kChunkSteps];
    PRESSO_UNROLL
    for (u32 k = 0; k < kChunkSteps; ++k) other[k] = open.plus;
    if (open.how == ChainColumn::How::kOther) load_other(step, at, rows, other);
    PRESSO_UNROLL
    for (u32 k = 0; k < kChunkSteps; ++k) {
      if (step.kind == Kind::kMultiply) {
        value[k] *= other[k];
      } else {
        value[k] = step.kind == Kind::kAdd ? value[k] + other[k] : other[k];
      }
    }
  }

  /// `number`: as codes are packed.
  template <bool kDense>
  PRESSO_DEVICE static void take_codes(const ChainStep& step, const ChainColumn& column,
                                       const ChunkRows<kDense>& rows, u32 (&number)[kChunkSteps],
                                       u64 (&value)[kChunkSteps]) {
    const u32 plus = static_cast<u32>(column.plus);
    const u32 times = static_cast<u32>(column.times);
    PRESSO_UNROLL
    for (u32 k = 0; k < kChunkSteps; ++k) {
      // The vector may end before the chunk does.
      const u32 code = (rows.alive >> k & 1) != 0 ? plus + times * number[k] : 0;
      number[k] = simt::load_readonly(column.numbers + code);
    }
    const u64 added = static_cast<u64>(step.plus);
    if (column.is_narrow) {
      apply<true>(step.kind, added, static_cast<u64>(step.times), number, value);
    } else {
      apply<false>(step.kind, added, static_cast<u64>(step.times), number, value);
    }
  }

  template <bool kDense>
  PRESSO_DEVICE void load_other(const ChainStep& step, const VectorPlace& at,
                                const ChunkRows<kDense>& rows, u64 (&to)[kChunkSteps]) const {
    PipelineStep one;
    one.kind = step.is_code ? PipelineStep::Kind::kLoadCode : PipelineStep::Kind::kLoad;
    one.to = {RegisterPlace::kWide};
    one.column = step.column;
    run_load(program, one, at, rows);
    program.read(one.to, rows, to);
    PRESSO_UNROLL
    for (u32 k = 0; k < kChunkSteps; ++k) {
      to[k] = static_cast<u64>(step.plus) + static_cast<u64>(step.times) * to[k];
    }
  }

  template <bool kDense>
  PRESSO_DEVICE static void load_packed(const ChainColumn& column, const ChunkRows<kDense>& rows,
                                        u32 (&to)[kChunkSteps]) {
    if constexpr (kDense) {
      const u32* const words = lane_words_at(column.words_at);
      for_width(column.width, [&]<u32 kWidth>() {
        for_each_on_top<kWidth, kChunkSteps>(
            words, rows.chunk, [&](u32 step, u32 top) { to[step] = top >> (kWordBits - kWidth); });
      });
    } else {
      PRESSO_UNROLL
      for (u32 k = 0; k < kChunkSteps; ++k) to[k] = 0;
      const u32* const words =
          reinterpret_cast<const u32*>(simt::shared_memory() + column.words_at);
      load_listed(words, column.width, rows, to);
    }
  }

  /// The values are the rows' groups; returns which of the rows have one. The others' keys lie
  /// outside of what zones have said. `place`: what is added to where a group's cells begin.
  template <bool kDense>
  PRESSO_DEVICE u32 take_groups(const VectorPlace& at, const ChunkRows<kDense>& rows, u32 alive,
                                const u64 (&value)[kChunkSteps], u32 (&place)[kChunkSteps]) {
    u32 found = 0;
    u32 here = 0;
    u32 bits[2] = {};
    const u32 groups = static_cast<u32>(of.groups);
    PRESSO_UNROLL
    for (u32 k = 0; k < kChunkSteps; ++k) {
      const u32 group = static_cast<u32>(value[k]);
      const bool has_group = (alive >> k & 1) != 0 && value[k] >> kWordBits == 0 && group < groups;
      place[k] = has_group ? group : 0;
      if (!has_group) continue;
      found |= 1u << k;
      if constexpr (kIsLanes) here |= 1u << place[k];
      if constexpr (kIsBytes) bits[k / 4] |= 1u << (place[k] + k % 4 * 8);
    }
    if (found != alive) *of.fault = kKeyIsOutside;
    if constexpr (kIsBytes) {
      cells.put_groups(bits[0], bits[1]);
      here = groups_in(bits[0] | bits[1]);
    }
    const u64 first_row = of.table.slices[at.slice].first_row + at.vector * kVectorRows;
    const auto lower = [&](u64* first_rows) {
      rows.for_each([&](u32 k) {
        if ((found >> k & 1) != 0) lower_first_row(first_rows + place[k], first_row + rows.row(k));
      });
    };
    if constexpr (kIsLanes || kIsBytes) {
      // Rows of a vector come in any order where they are listed, those of the next one behind.
      if ((here & ~seen_before) != 0) {
        seen |= here;
        lower(cells.first_rows());
      }
    } else {
      lower(cells);
    }
    if constexpr (kIsLanes) {
      const u32 stride = LaneCells::stride(of);
      PRESSO_UNROLL
      for (u32 k = 0; k < kChunkSteps; ++k) place[k] *= stride;
    }
    return found;
  }

  /// Bits of the groups that the bytes of a word have.
  PRESSO_DEVICE static u32 groups_in(u32 bytes) {
    bytes |= bytes >> 16;
    return (bytes | bytes >> 8) & 0xFF;
  }

  template <class Rows>
  PRESSO_DEVICE void add(u32 number, const Rows& rows, u32 alive, const u64 (&value)[kChunkSteps],
                         const u32 (&place)[kChunkSteps]) const {
    const auto kind = of.cell[number].kind;
    const ChainValues values{alive, value};
    if constexpr (kIsLanes) {
      u64* const own = cells.of_lane(of, number);
      if (!of.has_groups) return add_to_lone_cell(kind, rows, values, own);
      add_to_own_cells(kind, rows, values, [&](u32 k) { return own + place[k]; });
    } else {
      u64* const common = cells + (kGroupCells + number) * static_cast<u32>(of.groups);
      add_to_common_cells<true>(kind, rows, values, [&](u32 k) { return common + place[k]; });
    }
  }
};

/// `kPlace`: kLanes, kBytes or kBlock.
template <GroupPlace kPlace>
PRESSO_DEVICE void run_chain_body(const Pipeline& of, const PipelineShape& shape, u64* scratch) {
  const WarpSpace space = space_of_warp(shape, shape.block_bytes);
  const ProgramSpace program{of, space, scratch_of_warp(of, scratch)};
  if constexpr (kPlace == GroupPlace::kBytes) {
    RunChain<ByteSums> work{of, space, program, ByteSums(of, space)};
    for_each_vector(of, space, work);
    work.cells.flush();
    add_matched(of, work.matched);
  } else {
    const GroupCells<kPlace> cells(of, space);
    using Cells = std::conditional_t<kPlace == GroupPlace::kLanes, LaneCells, u64*>;
    RunChain<Cells> work{of, space, program, cells.template of_warp<Cells>()};
    for_each_vector(of, space, work);
    cells.flush();
    add_matched(of, work.matched);
  }
}

}  // namespace presso::gpu
