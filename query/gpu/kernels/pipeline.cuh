// SPDX-License-Identifier: MIT
// The fused kernels: decode, filter, compute and aggregate without writing intermediate values to
// memory.
//
//   count_rows_body     tests conditions and counts rows; writes a bitmap of them if wanted
//   sum_columns_body    tests conditions, then sums whole columns
//   run_pipeline_body   tests conditions, runs the program for the rows that are left, and groups
//                       or writes them
//   run_chain_body      (chain.cuh) tests conditions, evaluates chains of columns, and groups
//
// The grid has as many thread blocks as run at once. A warp takes tasks of eight neighbouring
// vectors, one after another; the grid's warps work side by side. Shared memory: PipelineShape.
// Tests: tests/queries/one_table.txt, in the emulator and on a device.
#pragma once

#include "query/gpu/kernels/written_rows.cuh"

namespace presso::gpu {

/// The columns that are read ahead of a vector: none, where a kernel before has left no row of it.
/// `kIsFirst`: there is no kernel before.
template <bool kIsFirst>
PRESSO_DEVICE u32 early_columns_of(const Pipeline& of, u32 slice, u32 vector) {
  if (kIsFirst || of.rows_before == nullptr) return of.early_columns;
  const u64 word = (u64{slice} * kSliceVectors + vector) * kVectorSteps + simt::lane();
  return simt::any(simt::load_readonly(of.rows_before + word) != 0) ? of.early_columns : 0;
}

/// `kBulk`: words come by bulk copies, which is worth it where a kernel does more than counting.
/// `kIsFirst`: as of early_columns_of(), worth it where a kernel does little else. Calls
/// work(place) for each vector of this warp's tasks, whose columns are known and whose packed
/// words, of the early columns, have arrived.
template <bool kBulk = true, bool kIsFirst = false, class Work>
PRESSO_DEVICE void for_each_vector(const Pipeline& of, const WarpSpace& space, Work& work) {
  if constexpr (kBulk) space.open_barriers();
  const u32 warps = simt::block_threads() / kWarpSize;
  const u32 end_task = of.end_task < of.table.tasks() ? of.end_task : of.table.tasks();
  for (u32 task = of.first_task + simt::block_index() * warps + uniform_warp(); task < end_task;
       task += simt::grid_blocks() * warps) {
    const u32 slice = task / kSliceTasks;
    const u32 rows = simt::load_readonly(&of.table.slices[slice].rows);
    const u32 first = task % kSliceTasks * kTaskVectors;
    if (first >= vectors_of(rows)) continue;
    const u32 left = vectors_of(rows) - first;
    const u32 end = first + (left < kTaskVectors ? left : kTaskVectors);
    load_task(of, slice, rows, first, end - first, space.columns());
    if (space.shape.buffers == 2) {
      stage_vector<kBulk>(space, early_columns_of<kIsFirst>(of, slice, first), first, 0);
    }
    load_leaves(of, space, slice, end - first);
    for (u32 vector = first; vector < end; ++vector) {
      simt::warp_sync();  // nobody reads the vector before the last one any more
      const u32 buffer = vector % 2;
      if (space.shape.buffers == 1) {
        stage_vector<kBulk>(space, early_columns_of<kIsFirst>(of, slice, vector), vector, buffer);
        await_words<kBulk, 0>(space, buffer);
      } else if (vector + 1 < end) {
        stage_vector<kBulk>(space, early_columns_of<kIsFirst>(of, slice, vector + 1), vector + 1,
                            1 - buffer);
        await_words<kBulk, 1>(space, buffer);
      } else {
        await_words<kBulk, 0>(space, buffer);
      }
      work(VectorPlace{slice, vector, vector_rows(rows, vector)});
    }
  }
}

/// Adds up what the lanes have counted.
PRESSO_DEVICE void add_matched(const Pipeline& of, u64 matched) {
  for (u32 half = kWarpSize / 2; half != 0; half /= 2) {
    matched += simt::shuffle_xor(matched, half);
  }
  if (simt::lane() == 0 && matched != 0) simt::atomic_add(of.matched, matched);
}

PRESSO_DEVICE u32* bits_of_vector(const Pipeline& of, const VectorPlace& at) {
  return of.matched_bits + (u64{at.slice} * kSliceVectors + at.vector) * kVectorSteps;
}

/// The warp's part of shared memory, behind what its thread block shares.
PRESSO_DEVICE WarpSpace space_of_warp(const PipelineShape& shape, u32 block_bytes) {
  return {shape, simt::shared_memory() + block_bytes + uniform_warp() * shape.warp_bytes};
}

// --- conditions alone

/// `kIsPlain`: no kernel before has left out rows, and nobody wants the bits.
template <bool kIsPlain>
struct CountRows {
  const Pipeline& of;
  const WarpSpace& space;
  u64 matched = 0;

  PRESSO_DEVICE void operator()(const VectorPlace& at) {
    const u32 mask = rows_that_hold<true>(of, space, at);
    matched += simt::popcount(mask);
    if (kIsPlain || of.matched_bits == nullptr) return;
    simt::store_streaming(bits_of_vector(of, at) + simt::lane(), transposed(mask));
  }
};

template <bool kIsPlain>
PRESSO_DEVICE void count_rows_body(const Pipeline& of, const PipelineShape& shape) {
  const WarpSpace space = space_of_warp(shape, 0);
  CountRows<kIsPlain> work{of, space};
  for_each_vector<false, kIsPlain>(of, space, work);
  add_matched(of, work.matched);
}

// --- sums of columns

/// Columns that were not worth being read before it was known that a row is left. `kBulk`: by bulk
/// copies; in a program's kernel copies by lanes arrive earlier.
template <bool kBulk>
PRESSO_DEVICE void stage_late_columns(const Pipeline& of, const WarpSpace& space,
                                      const VectorPlace& at) {
  const u32 late = of.program_columns & ~u32{of.early_columns};
  if (late == 0) return;
  stage_vector<kBulk>(space, late, at.vector, WarpSpace::kLate);
  await_words<kBulk, 0>(space, WarpSpace::kLate);
}

struct SumColumns {
  const Pipeline& of;
  const WarpSpace& space;
  LaneCells cells;
  u64 matched = 0;

  PRESSO_DEVICE void operator()(const VectorPlace& at) {
    const u32 mask = rows_that_hold<true>(of, space, at);
    if (!simt::any(mask != 0)) return;
    stage_late_columns<true>(of, space, at);
    matched += simt::popcount(mask);
    for (u32 i = 0; i < of.cells; ++i) {
      const u64 sum = sum_of_column(of, space, of.cell[i], at, mask);
      *cells.of_lane(of, i) += sum;
    }
  }
};

template <bool kIsFirst>
PRESSO_DEVICE void sum_columns_body(const Pipeline& of, const PipelineShape& shape) {
  const WarpSpace space = space_of_warp(shape, 0);
  const LaneCells cells{reinterpret_cast<u64*>(space.base + shape.cells_at)};
  clear_lanes(of, cells);
  SumColumns work{of, space, cells};
  for_each_vector<true, kIsFirst>(of, space, work);
  flush_lanes(of, cells);
  add_matched(of, work.matched);
}

// --- with a program

/// The rows of the mask, each lane's one after another; returns how many they are.
PRESSO_DEVICE u32 list_rows(u32 mask, std::uint16_t* list) {
  const u32 mine = simt::popcount(mask);
  const u32 up_to = simt::inclusive_sum(mine);
  simt::warp_sync();  // what was there has been used
  u32 at = up_to - mine;
  for (u32 left = mask; left != 0; left &= left - 1) {
    const u32 step = simt::find_first_set(left) - 1;
    list[at++] = static_cast<std::uint16_t>(step * kWarpSize + simt::lane());
  }
  simt::warp_sync();
  return simt::shuffle(up_to, kWarpSize - 1);
}

/// Rows are listed where fewer than one in so many are left.
inline constexpr u32 kDenseFrom = 4;

PRESSO_DEVICE bool is_sparse(u32 mask) {
  return simt::reduce_add(simt::popcount(mask)) < kVectorRows / kDenseFrom;
}

/// Calls work(rows) for all chunks of rows that the mask has.
template <class Work>
PRESSO_DEVICE void for_each_listed(const WarpSpace& space, u32 mask, const Work& work) {
  auto* const list = reinterpret_cast<std::uint16_t*>(space.base + space.shape.list_at);
  const u32 count = list_rows(mask, list);
  for (u32 begin = 0; begin < count; begin += kChunkRows) {
    ChunkRows<false> rows;
    rows.alive = 0;
    rows.steps = steps_of(count - begin < kChunkRows ? count - begin : kChunkRows);
    PRESSO_UNROLL
    for (u32 k = 0; k < kChunkSteps; ++k) {
      const u32 number = begin + k * kWarpSize + simt::lane();
      if (number < count) rows.alive |= 1u << k;
      rows.listed[k] = list[number < count ? number : begin];
    }
    work(rows);
  }
}

/// `kPlace`: kLanes, kTable, kParts, or kDevice for all others. Code that a kernel has not costs no
/// registers.
template <GroupPlace kPlace>
struct RunPipeline {
  const Pipeline& of;
  const WarpSpace& space;
  ProgramSpace program;
  u64* block_cells;
  LaneCells lane_cells;
  u64 matched = 0;

  PRESSO_DEVICE void operator()(const VectorPlace& at) {
    if constexpr (kPlace == GroupPlace::kTable) {
      if (simt::any(is_full(of))) return;
    }
    const u32 mask = rows_that_hold<false>(of, space, at);
    if (!simt::any(mask != 0)) return;
    stage_late_columns<false>(of, space, at);
    run_chunks(at, mask);
  }

 private:
  /// Opens the program's columns.
  PRESSO_DEVICE void open_columns(const VectorPlace& at) {
    for (u32 column = 0; column < of.columns; ++column) {
      if ((of.program_columns >> column & 1) == 0) continue;
      open_column(program, column, at);
      if ((of.nullable_columns >> column & 1) == 0) continue;
      program.valid(column)[simt::lane()] =
          valid_bits(space.columns()[column].block, at.vector, at.rows, space.staging());
    }
    if (of.matched_bits != nullptr) bits()[simt::lane()] = 0;
    simt::warp_sync();
  }

  /// Rows that are left are listed where they are few.
  PRESSO_DEVICE void run_chunks(const VectorPlace& at, u32 mask) {
    open_columns(at);
    if (of.first_steps != 0 && !is_sparse(mask)) {
      mask = run_dense(at, mask, of.first_steps);
      program.clear_found();  // nothing was taken
    }
    if (!of.lists_rows || !is_sparse(mask)) {
      run_dense(at, mask, of.steps);
    } else {
      run_listed(at, mask);
    }
    simt::warp_sync();
    if (of.matched_bits != nullptr) bits_of_vector(of, at)[simt::lane()] = bits()[simt::lane()];
  }

  /// All steps, or the first ones; returns which rows are left of those.
  PRESSO_DEVICE u32 run_dense(const VectorPlace& at, u32 mask, u32 steps) {
    u32 left = 0;
    for (u32 chunk = 0; chunk < kVectorSteps / kChunkSteps; ++chunk) {
      ChunkRows<true> rows;
      rows.alive = mask >> (chunk * kChunkSteps) & low_ones(kChunkSteps);
      rows.chunk = chunk;
      if (simt::any(rows.alive != 0)) left |= run_chunk(at, rows, steps) << (chunk * kChunkSteps);
    }
    return left;
  }

  PRESSO_DEVICE void run_listed(const VectorPlace& at, u32 mask) {
    for_each_listed(space, mask,
                    [&](const ChunkRows<false>& rows) { run_chunk(at, rows, of.steps); });
  }

  /// Takes the rows that all steps leave; where these are not all, says which are left.
  template <bool kDense>
  PRESSO_DEVICE u32 run_chunk(const VectorPlace& at, const ChunkRows<kDense>& rows, u32 steps) {
    u32 first = 0;
    for (u32 alive = rows.alive; simt::any(alive != 0); alive = next_pairs(rows, first)) {
      alive = run_program<kPlace == GroupPlace::kTable>(program, at, rows, first, steps, alive);
      if (steps != of.steps) return alive;
      if (simt::any(alive != 0)) take_rows(at, rows, alive);
      if (!of.repeats) break;
    }
    return 0;
  }

  /// Rows with other build rows of the same keys, those of the last lookup first, and the step that
  /// is next for them.
  template <bool kDense>
  PRESSO_DEVICE u32 next_pairs(const ChunkRows<kDense>& rows, u32& first) const {
    for (first = of.steps; first != 0; --first) {
      const PipelineStep& step = of.program[first - 1];
      const bool gives_rows =
          step.kind == PipelineStep::Kind::kFind || step.kind == PipelineStep::Kind::kFindOrNone;
      const bool has_chains = gives_rows && of.lookups[step.column].next != nullptr;
      if (!has_chains) continue;
      const u32 alive = find_next(program, step, rows);
      if (simt::any(alive != 0)) return alive;
    }
    return 0;
  }

  template <bool kDense>
  PRESSO_DEVICE void take_rows(const VectorPlace& at, const ChunkRows<kDense>& rows, u32 alive) {
    matched += simt::popcount(alive);
    if (of.matched_bits != nullptr) set_bits(rows, alive);
    if (kPlace == GroupPlace::kDevice && of.place == GroupPlace::kRows)
      return write_rows(program, rows, alive);
    const u64 first_row = of.table.slices[at.slice].first_row + at.vector * kVectorRows;
    if constexpr (kPlace == GroupPlace::kParts) {
      return write_group_rows(program, rows, alive, first_row);
    }
    const ChunkGroups groups(program, alive);
    if constexpr (kPlace == GroupPlace::kLanes) {
      add_to_lanes(program, rows, alive, groups, first_row, lane_cells);
    } else if (of.place == GroupPlace::kBlock) {
      add_to_all<true>(program, rows, alive, groups, first_row, block_cells);
    } else {
      add_to_all<false>(program, rows, alive, groups, first_row, of.cells_out);
    }
  }

  PRESSO_DEVICE u32* bits() const {
    return reinterpret_cast<u32*>(space.base + space.shape.bits_at);
  }
  template <bool kDense>
  PRESSO_DEVICE void set_bits(const ChunkRows<kDense>& rows, u32 alive) const {
    PRESSO_UNROLL
    for (u32 k = 0; k < kChunkSteps; ++k) {
      if ((alive >> k & 1) == 0) continue;
      simt::atomic_or(bits() + rows.row(k) / kWarpSize, 1u << rows.row(k) % kWarpSize);
    }
  }
};

/// The cells of groups that a kernel has in shared memory. They are clear once it is made, and
/// flush() adds them to those of the device.
template <GroupPlace kPlace>
struct GroupCells {
  const Pipeline& of;
  LaneCells of_lanes;
  u64* of_block;

  PRESSO_DEVICE GroupCells(const Pipeline& pipeline, const WarpSpace& space)
      : of(pipeline),
        of_lanes{reinterpret_cast<u64*>(space.base + space.shape.cells_at)},
        of_block(reinterpret_cast<u64*>(simt::shared_memory())) {
    if constexpr (kPlace == GroupPlace::kLanes) clear_lanes(of, of_lanes);
    if (of.place == GroupPlace::kBlock) {
      clear_block(of, of_block);
      simt::block_sync();
    }
  }
  /// LaneCells, or u64* to those of the thread block.
  template <class Cells>
  PRESSO_DEVICE Cells of_warp() const {
    if constexpr (std::is_same_v<Cells, LaneCells>) {
      return of_lanes;
    } else {
      return of_block;
    }
  }
  PRESSO_DEVICE void flush() const {
    if constexpr (kPlace == GroupPlace::kLanes) flush_lanes(of, of_lanes);
    if (of.place == GroupPlace::kBlock) {
      simt::block_sync();
      flush_block(of, of_block);
    }
  }
};

/// The warp's part of what scratch_bytes() says.
PRESSO_DEVICE u64* scratch_of_warp(const Pipeline& of, u64* scratch) {
  const u32 warps = simt::block_threads() / kWarpSize;
  return scratch + u64{simt::block_index() * warps + uniform_warp()} * of.columns * kVectorRows;
}

template <GroupPlace kPlace>
PRESSO_DEVICE void run_pipeline_body(const Pipeline& of, const PipelineShape& shape, u64* scratch) {
  const WarpSpace space = space_of_warp(shape, shape.block_bytes);
  const GroupCells<kPlace> cells(of, space);
  const ProgramSpace program{of, space, scratch_of_warp(of, scratch)};
  program.clear_found();
  RunPipeline<kPlace> work{of, space, program, cells.of_block, cells.of_lanes};
  for_each_vector(of, space, work);
  cells.flush();
  add_matched(of, work.matched);
}

// --- groups, before and after

/// Of a group's words in device memory.
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
