// SPDX-License-Identifier: MIT
// A warp's view of the vectors that it works on, eight neighbours of one slice at a time (a
// *task*): the blocks of all columns and the entries of their directories, which are loaded
// together, and the packed words of the next vector, which are copied to shared memory
// asynchronously while the warp works on the current one. A warp therefore waits for memory about
// once in eight vectors. Tests: tests/queries/one_table.txt.
#pragma once

#include "decompress/columns/gpu/integer_decoder.cuh"
#include "query/gpu/kernels/packed_test.cuh"
#include "query/gpu/kernels/pipeline_shape.h"
#include "query/gpu/kernels/real_values.cuh"

namespace presso::gpu {

/// Packed words of a vector that come to shared memory, and what they are (PackedVector), which is
/// worked out by one lane for each vector of a task.
struct StagedWords {
  enum class Form : Byte {
    kOther,  ///< to be decoded as a whole
    kPacked,
    kRuns,
    kPatched,  ///< packed, with exceptions
  };
  const u32* from = nullptr;
  u32 count = 0;  ///< how many words; 0: the vector is not stored as packed words
  Form form = Form::kOther;
  Byte width = 0;  ///< bits of a packed value; unused with kOther
};

/// Of each column of a pipeline.
struct ColumnTask {
  TableBlock block;
  VectorEntry entries[kTaskVectors];
  StagedWords staged[kTaskVectors];
};

/// What a condition asks of a vector. Where the vector is packed, and an interval suffices, packed
/// values are compared.
struct LeafTask {
  enum class How : u32 { kNone, kAll, kPacked, kDecode };
  How how = How::kNone;
  u32 width = 0;
  TopRange range;
};

/// The vector that a warp is at, the same in all its lanes.
struct VectorPlace {
  u32 slice;
  u32 vector;  ///< in the slice
  u32 rows;
};

// --- values

/// A vector of runs whose values are packed in up to 32 bits.
PRESSO_DEVICE bool has_packed_runs(const VectorEntry& entry) {
  return static_cast<IntegerKind>(entry.kind) == IntegerKind::kRuns &&
         static_cast<IntegerKind>(entry.exceptions) == IntegerKind::kPacked &&
         entry.width <= kWordBits;
}
/// The same of rows.
PRESSO_DEVICE bool has_packed_rows(const VectorEntry& entry) {
  return static_cast<IntegerKind>(entry.kind) == IntegerKind::kPacked && entry.width <= kWordBits;
}

/// What packed numbers of a vector stand for, where they need no look at each other and are within
/// their type: value = base + divisor * number.
struct PackedVector {
  bool is_packed = false;  ///< each row has a number
  bool is_runs = false;    ///< each run has one
  /// As is_packed, but some rows have another value. None of these: the vector is to be decoded.
  bool has_exceptions = false;
  u32 width = 0;
  u64 base = 0;  ///< as a number of 64 bits
  u64 span = 0;  ///< what the greatest number of so many bits stands for above it

  PRESSO_DEVICE PackedVector(const TableBlock& block, const VectorEntry& entry) {
    if (block.words == nullptr || block.is_plain || block.floating) return;
    const bool of_rows = has_packed_rows(entry);
    const bool of_runs = has_packed_runs(entry);
    if (!of_rows && !of_runs) return;
    base = widened(entry.base, block.width_bytes, block.is_signed);
    if (!stays_within(block.width_bytes, block.is_signed, base, block.divisor, entry.width)) return;
    width = entry.width;
    span = u64{low_ones(width)} * block.divisor;
    is_runs = of_runs;
    is_packed = of_rows && entry.exceptions == 0;
    has_exceptions = of_rows && entry.exceptions != 0;
  }

  PRESSO_DEVICE StagedWords::Form form() const {
    using Form = StagedWords::Form;
    if (is_packed) return Form::kPacked;
    if (is_runs) return Form::kRuns;
    return has_exceptions ? Form::kPatched : Form::kOther;
  }
};

/// Zone image of a value that was decoded (FORMAT.md 15.4).
PRESSO_DEVICE u64 image_of(u64 value, const TableBlock& block) {
  if (block.floating) {
    if (block.width_bytes == 8) return image_of_double(value);
    const double real = static_cast<double>(__builtin_bit_cast(float, static_cast<u32>(value)));
    return image_of_double(__builtin_bit_cast(u64, real));
  }
  const u64 wide = widened(value, block.width_bytes, block.is_signed);
  return block.is_signed ? wide ^ kImageTopBit : wide;
}

PRESSO_DEVICE u64 load_plain(const u32* values, u32 row, Byte width_bytes) {
  switch (width_bytes) {
    case 1:
      return simt::load_readonly(reinterpret_cast<const Byte*>(values) + row);
    case 2:
      return simt::load_readonly(reinterpret_cast<const std::uint16_t*>(values) + row);
    case 4:
      return simt::load_readonly(values + row);
    default:
      return simt::load_readonly(reinterpret_cast<const u64*>(values) + row);
  }
}

/// One vector of a block of integers, which was checked when it came.
template <class Word>
PRESSO_DEVICE IntegerVector<Word> checked_vector(const TableBlock& block, const VectorEntry& entry,
                                                 u32 n, u32* staging) {
  IntegerVector<Word> of;
  of.words = block.words + directory_words(block) + entry.word_offset;
  of.staging = staging;
  of.entry = entry;
  of.divisor = static_cast<Word>(block.divisor);
  of.n = n;
  of.runs = 0;
  if (static_cast<IntegerKind>(entry.kind) == IntegerKind::kRuns) {
    of.runs = warp_count_runs(of.words, n);
  }
  return of;
}

/// Whether its words come to shared memory: packed numbers of rows; or the map of runs, and packed
/// numbers of these.
PRESSO_DEVICE bool is_staged(const TableBlock& block, const VectorEntry& entry) {
  return block.words != nullptr && !block.is_plain &&
         (has_packed_rows(entry) || has_packed_runs(entry));
}

/// Packed number `i` of those at `words`. The word behind its own may be read in vain.
PRESSO_DEVICE u32 packed_number(const u32* words, u32 width, u32 i) {
  const u32 bit = i / kWarpSize * width;
  const u32* const from = words + bit / kWordBits * kLanes + i % kWarpSize;
  return simt::funnel_shift_right(from[0], from[kLanes], bit % kWordBits) & low_ones(width);
}

/// The number of the lane's run in a step: `before` start in the steps before.
PRESSO_DEVICE u32 run_of_lane(u32 starts, u32 before) {
  return before + simt::popcount(starts & low_ones(simt::lane() + 1)) - 1;
}

/// Calls sink(step, bits of the value) as for_each_value() does, whatever the block is. `words`:
/// where is_staged(), what has come; `staging`: else for those that are decoded in order.
template <class Sink>
PRESSO_DEVICE void for_each_bits(const TableBlock& block, const VectorEntry& entry,
                                 const VectorPlace& at, const u32* words, u32* staging,
                                 const Sink& sink) {
  if (block.is_plain) {
    for (u32 step = 0; step < steps_of(at.rows); ++step) {
      const u32 row = step * kWarpSize + simt::lane();
      const u32 there = at.vector * kVectorRows + (row < at.rows ? row : at.rows - 1);
      sink(step, load_plain(block.words, there, block.width_bytes));
    }
  } else if (has_packed_rows(entry) && entry.exceptions == 0) {
    for (u32 step = 0; step < steps_of(at.rows); ++step) {
      const u32 packed = lane_value(words + simt::lane(), entry.width, step);
      sink(step, entry.base + block.divisor * packed);
    }
  } else if (has_packed_runs(entry)) {
    u32 before = 0;
    for (u32 step = 0; step < steps_of(at.rows); ++step) {
      const u32 starts = words[step];
      const u32 run = run_of_lane(starts, before);
      before += simt::popcount(starts);
      sink(step,
           entry.base + block.divisor * packed_number(words + kRunMapWords, entry.width, run));
    }
  } else if (block.width_bytes == 8) {
    for_each_value(checked_vector<u64>(block, entry, at.rows, staging), sink);
  } else {
    for_each_value(checked_vector<u32>(block, entry, at.rows, staging),
                   [&](u32 step, u32 value) { sink(step, u64{value}); });
  }
}

/// Bits of rows that are not null: lane l has those of step l; rows n and above have none.
PRESSO_DEVICE u32 valid_bits(const TableBlock& block, u32 vector, u32 n, u32* staging) {
  const u32 begin = simt::lane() * kWarpSize;
  const u32 rows = n > begin ? n - begin : 0;
  const u32 mine = low_ones(rows < kWordBits ? rows : kWordBits);
  if (block.words == nullptr) return 0;
  if (block.validity == nullptr) return mine;
  if (block.is_plain_validity) {
    if (rows == 0) return 0;
    return simt::load_readonly(block.validity + vector * kVectorSteps + simt::lane()) & mine;
  }
  IntegerVector<u32> of;
  of.entry = load_entry(reinterpret_cast<const Byte*>(block.validity), vector);
  of.words = block.validity + directory_words(block) + of.entry.word_offset;
  of.staging = staging;
  of.divisor = 1;
  of.n = n;
  of.runs = 0;
  simt::warp_sync();
  const u32 bits = bool_bits(of);
  simt::warp_sync();
  return bits;
}

// --- shared memory

/// A warp's part of it. Everything is found from its begin, so that the compiler sees that it is
/// shared memory.
struct WarpSpace {
  const PipelineShape& shape;
  Byte* base;
  mutable u32 phases = 0;  ///< a bit for each of the barriers, of the phase that is awaited next
  mutable bool mixes = false;  ///< words have come by other ways than bulk copies

  static constexpr u32 kLate = kWordBarriers - 1;  ///< the barrier of late columns
  /// In front of all else, where words come by bulk copies.
  PRESSO_DEVICE u64* barriers() const { return reinterpret_cast<u64*>(base); }
  PRESSO_DEVICE void open_barriers() const {
    if (simt::lane() < kWordBarriers) simt::mbarrier_init(barriers() + simt::lane(), 1);
    simt::warp_sync();
  }

  PRESSO_DEVICE ColumnTask* columns() const {
    return reinterpret_cast<ColumnTask*>(base + shape.columns_at);
  }
  PRESSO_DEVICE u32* stack() const { return reinterpret_cast<u32*>(base + shape.stack_at); }
  PRESSO_DEVICE LeafTask* leaves() const {
    return reinterpret_cast<LeafTask*>(base + shape.leaves_at);
  }
  PRESSO_DEVICE u32* staging() const { return reinterpret_cast<u32*>(base + shape.staging_at); }
  /// Where a part of it is in all shared memory, in bytes.
  PRESSO_DEVICE u32 at(u32 part) const {
    return static_cast<u32>(base - simt::shared_memory()) + part;
  }
  /// Where a column's words begin; of early columns those of odd vectors have another place.
  PRESSO_DEVICE u32 words_within(u32 column, u32 vector) const {
    const u32 buffer = vector & (shape.buffers - 1) & (u32{shape.early} >> column);
    return shape.words_at + buffer * shape.words_bytes +
           shape.words_of[column] * static_cast<u32>(sizeof(u32));
  }
  PRESSO_DEVICE u32 words_at(u32 column, u32 vector) const {
    return at(words_within(column, vector));
  }
  PRESSO_DEVICE u32* words(u32 column, u32 vector) const {
    return reinterpret_cast<u32*>(base + words_within(column, vector));
  }
};

/// Where a lane's first value of a register is, in shared memory whose registers begin at `at`.
PRESSO_DEVICE Byte* register_at(u32 at, RegisterPlace place) {
  const u32 bytes = static_cast<u32>(place.is_wide() ? sizeof(u64) : sizeof(u32));
  return simt::shared_memory() + at + place.unit() * kChunkRows * static_cast<u32>(sizeof(u32)) +
         simt::lane() * bytes;
}

/// Where there are runs, only their number says how many words there are. `vectors`: a bit for each
/// vector of the columns.
PRESSO_DEVICE void count_runs(ColumnTask* columns, u32 vectors) {
  if (vectors == 0) return;
  simt::warp_sync();
  for (; vectors != 0; vectors &= vectors - 1) {
    const u32 i = simt::find_first_set(vectors) - 1;
    ColumnTask& column = columns[i / kTaskVectors];
    StagedWords& staged = column.staged[i % kTaskVectors];
    const u32 starts = simt::load_readonly(staged.from + simt::lane());
    const u32 runs = simt::reduce_add(simt::popcount(starts));
    const u32 words = kRunMapWords + lane_words(runs, column.entries[i % kTaskVectors].width);
    if (simt::lane() == 0) staged.count = words;
  }
}

/// Loads what is known of vectors [first, first + count) of a slice, which has so many rows; by all
/// lanes.
PRESSO_DEVICE void load_task(const Pipeline& of, u32 slice, u32 rows, u32 first, u32 count,
                             ColumnTask* columns) {
  simt::warp_sync();  // what was there has been used
  for (u32 column = simt::lane(); column < of.columns; column += kWarpSize) {
    columns[column].block = of.table.blocks[u64{column} * of.table.slice_count + slice];
  }
  simt::warp_sync();
  for (u32 begin = 0; begin < of.columns * kTaskVectors; begin += kWarpSize) {
    const u32 i = begin + simt::lane();
    const u32 vector = i % kTaskVectors;
    bool has_runs = false;
    if (i < of.columns * kTaskVectors) {
      ColumnTask& column = columns[i / kTaskVectors];
      StagedWords staged;
      if (vector < count && column.block.words != nullptr && !column.block.is_plain) {
        const VectorEntry entry =
            load_entry(reinterpret_cast<const Byte*>(column.block.words), first + vector);
        column.entries[vector] = entry;
        if (is_staged(column.block, entry)) {
          staged.from = column.block.words + directory_words(column.block) + entry.word_offset;
          staged.count = lane_words(vector_rows(rows, first + vector), entry.width);
          has_runs = has_packed_runs(entry);
          const PackedVector packed(column.block, entry);
          staged.form = packed.form();
          staged.width = static_cast<Byte>(packed.width);
        }
      }
      column.staged[vector] = staged;
    }
    count_runs(columns + begin / kTaskVectors, simt::ballot(has_runs));
  }
  simt::warp_sync();
}

/// Words that come by way of the lanes, since they are not at a multiple of 16 bytes, or there are
/// no bulk copies.
PRESSO_DEVICE void stage_by_lanes(const WarpSpace& space, u32 column, u32 vector,
                                  const StagedWords& staged) {
  u32* const to = space.words(column, vector);
  if (reinterpret_cast<u64>(staged.from) % 16 == 0) {
    for (u32 i = 4 * simt::lane(); i < staged.count; i += 4 * kWarpSize) {
      simt::copy_async_16(to + i, staged.from + i);
    }
  } else {
    for (u32 i = simt::lane(); i < staged.count; i += kWarpSize) {
      simt::copy_async_4(to + i, staged.from + i);
    }
  }
}

/// Asks for the packed words of some columns of a vector, which await_words() waits for. Nobody
/// reads what was there before. `barrier`: of WarpSpace::barriers(). `kBulk`: by bulk copies where
/// there are such, which is not worth it for a kernel that does little else.
template <bool kBulk>
PRESSO_DEVICE void stage_vector(const WarpSpace& space, u32 columns, u32 vector, u32 barrier) {
  u32 others = columns;
  if (kBulk && simt::has_bulk_copies()) {
    const u32 mine = simt::lane();
    StagedWords staged;
    if ((columns >> mine & 1) != 0) staged = space.columns()[mine].staged[vector % kTaskVectors];
    const bool is_bulk = staged.count != 0 && reinterpret_cast<u64>(staged.from) % 16 == 0;
    others = simt::ballot(staged.count != 0 && !is_bulk);
    if (space.mixes) {
      simt::bulk_fence();
      simt::warp_sync();
    }
    u64* const arrival = space.barriers() + barrier;
    if (is_bulk) {
      const u32 bytes = staged.count * static_cast<u32>(sizeof(u32));
      simt::bulk_expect(arrival, bytes);
      simt::bulk_copy(arrival, space.words(mine, vector), staged.from, bytes);
    }
    simt::warp_sync();
    if (simt::lane() == 0) simt::mbarrier_arrive(arrival);
    if (others != 0) space.mixes = true;
  }
  for (; others != 0; others &= others - 1) {
    const u32 column = simt::find_first_set(others) - 1;
    stage_by_lanes(space, column, vector, space.columns()[column].staged[vector % kTaskVectors]);
  }
  simt::copy_async_commit();
}

/// Until what was asked for is there, but for the youngest `kYounger` times.
template <bool kBulk, u32 kYounger>
PRESSO_DEVICE void await_words(const WarpSpace& space, u32 barrier) {
  if (kBulk && simt::has_bulk_copies()) {
    simt::mbarrier_wait(space.barriers() + barrier, space.phases >> barrier & 1);
    space.phases ^= 1u << barrier;
  }
  simt::copy_async_wait<kYounger>();
  simt::warp_sync();
}

}  // namespace presso::gpu
