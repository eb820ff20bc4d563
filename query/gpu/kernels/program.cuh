// SPDX-License-Identifier: MIT
// Runs a pipeline's program for the rows of a vector that are left, up to kChunkRows at a time:
// several rows for each lane, so that the cost of fetching a step is shared. Rows need not be
// neighbours: if some are dropped, the others are listed first. Packed columns are read in place,
// in any order; vectors that must be decoded in order (differences, runs, exceptions) are decoded
// as a whole into memory that belongs to the warp and stays in L2. A lane writes and reads only
// registers of its own rows, so no synchronisation is needed.
// Tests: tests/queries/one_table.txt.
#pragma once

#include "query/gpu/join/join_sizes.h"
#include "query/gpu/join/key_array.cuh"
#include "query/gpu/join/key_search.cuh"
#include "query/gpu/join/key_table.cuh"
#include "query/gpu/kernels/conditions.cuh"
#include "query/gpu/kernels/group_table.cuh"
#include "query/gpu/kernels/real_steps.cuh"

namespace presso::gpu {

/// How the values of a column are found for any row of a vector.
struct OpenColumn {
  enum class How : Byte {
    kNull,
    kPacked,
    kRuns,     ///< behind a map of where they start
    kPatched,  ///< packed; rows of a map have another value
    kPlain,
  };
  How how = How::kNull;
  Byte width_bytes = 0;  ///< kPlain and kPatched
  bool is_signed = false;
  u32 width = 0;                ///< but for kPlain
  const u32* values = nullptr;  ///< kPlain; kPatched: those of the map's rows, 64 bits each
  u64 base = 0;
  u64 divisor = 1;
};

/// A lane's rows of a chunk, 16 bits each, for what is called.
struct RowPairs {
  static constexpr u32 kBits = 16;
  u32 pairs[kChunkSteps / 2];

  PRESSO_DEVICE u32 row(u32 k) const { return pairs[k / 2] >> (k % 2 * kBits) & 0xFFFFu; }
};

/// The rows of a chunk that this lane has, and which of them are there: bit k of `alive`. Dense
/// chunks are kChunkSteps steps of a vector, others rows of a list.
template <bool kDense>
struct ChunkRows {
  u32 alive;
  u32 chunk;  ///< of dense ones
  u32 steps;  ///< of lists: how many there are
  u32 listed[kDense ? 1 : kChunkSteps];

  /// Calls work(k) for each of the lane's rows.
  template <class Work>
  PRESSO_DEVICE void for_each(const Work& work) const {
    PRESSO_UNROLL
    for (u32 k = 0; k < kChunkSteps; ++k) {
      if (!kDense && k >= steps) return;
      work(k);
    }
  }

  PRESSO_DEVICE u32 row(u32 k) const {
    if constexpr (kDense) {
      return (chunk * kChunkSteps + k) * kWarpSize + simt::lane();
    } else {
      return listed[k];
    }
  }
  PRESSO_DEVICE u32 step_count() const { return kDense ? kChunkSteps : steps; }
  PRESSO_DEVICE RowPairs pairs() const {
    RowPairs to;
    PRESSO_UNROLL
    for (u32 i = 0; i < kChunkSteps / 2; ++i) {
      to.pairs[i] = row(2 * i) | row(2 * i + 1) << RowPairs::kBits;
    }
    return to;
  }
};

/// What a warp's program works with.
struct ProgramSpace {
  const Pipeline& of;
  const WarpSpace& space;
  u64* scratch;  ///< kVectorRows values for each column

  PRESSO_DEVICE OpenColumn& open(u32 column) const {
    return reinterpret_cast<OpenColumn*>(space.base + space.shape.open_at)[column];
  }
  /// Lane l has the bits of step l.
  PRESSO_DEVICE u32* valid(u32 column) const {
    return reinterpret_cast<u32*>(space.base + space.shape.valid_at) + column * kVectorSteps;
  }
  PRESSO_DEVICE u32 registers_at() const { return space.at(space.shape.registers_at); }
  PRESSO_DEVICE u32* narrow(RegisterPlace place) const {
    return reinterpret_cast<u32*>(space.base + space.shape.registers_at) +
           place.unit() * kChunkRows + simt::lane();
  }
  PRESSO_DEVICE u64* wide(RegisterPlace place) const {
    return reinterpret_cast<u64*>(space.base + space.shape.registers_at +
                                  place.unit() * kChunkRows * sizeof(u32)) +
           simt::lane();
  }

  template <class Rows>
  PRESSO_DEVICE void read(RegisterPlace place, const Rows& rows, u64 (&to)[kChunkSteps]) const {
    if (place.is_wide()) {
      const u64* const from = wide(place);
      rows.for_each([&](u32 k) { to[k] = from[k * kWarpSize]; });
    } else {
      const u32* const from = narrow(place);
      rows.for_each([&](u32 k) {
        to[k] = static_cast<u64>(std::int64_t{static_cast<std::int32_t>(from[k * kWarpSize])});
      });
    }
  }
  template <class Rows>
  PRESSO_DEVICE void write(RegisterPlace place, const Rows& rows,
                           const u64 (&values)[kChunkSteps]) const {
    if (place.is_wide()) {
      u64* const to = wide(place);
      rows.for_each([&](u32 k) { to[k * kWarpSize] = values[k]; });
    } else {
      u32* const to = narrow(place);
      rows.for_each([&](u32 k) { to[k * kWarpSize] = static_cast<u32>(values[k]); });
    }
  }

  /// Of a lookup with chains: which of the lane's rows have found a build row; above these bits
  /// which have found one that belongs to them, where pairs are checked.
  PRESSO_DEVICE u32& found(u32 lookup) const {
    return reinterpret_cast<u32*>(space.base +
                                  space.shape.chains_at)[lookup * kWarpSize + simt::lane()];
  }

  PRESSO_DEVICE void clear_found() const {
    if (!of.repeats) return;
    for (u32 i = 0; i < kMostLookups; ++i) found(i) = 0;
  }

  PRESSO_DEVICE bool is_valid(u32 column, u32 row) const {
    return (valid(column)[row / kWarpSize] >> row % kWarpSize & 1) != 0;
  }
};

// --- columns

/// Rows of a map, in shared memory: a bit each, and how many there are before each word.
struct RankedRows {
  u32* map;
  u32* before;

  /// By the warp, once the map is there.
  PRESSO_DEVICE void rank() const {
    const u32 rows = simt::popcount(map[simt::lane()]);
    before[simt::lane()] = simt::inclusive_sum(rows) - rows;
  }
  PRESSO_DEVICE bool has(u32 row) const {
    return (map[row / kWarpSize] >> row % kWarpSize & 1) != 0;
  }
  /// How many there are before a row.
  PRESSO_DEVICE u32 rank_of(u32 row) const {
    const u32 word = row / kWarpSize;
    return before[word] + simt::popcount(map[word] & low_ones(row % kWarpSize));
  }
  /// How many there are up to a row, that one included.
  PRESSO_DEVICE u32 rank_behind(u32 row) const {
    const u32 word = row / kWarpSize;
    return before[word] + simt::popcount(map[word] & low_ones(row % kWarpSize + 1));
  }
};

/// Of a vector with exceptions, behind its words.
PRESSO_DEVICE RankedRows patches_of(const ColumnTask& task, u32* words, u32 vector) {
  u32* const map = words + task.staged[vector % kTaskVectors].count;
  return {map, map + kRunMapWords};
}

/// Makes the map of a vector's exceptions, by the warp; returns where their values are.
PRESSO_DEVICE const u32* map_exceptions(const TableBlock& block, const VectorEntry& entry, u32 n,
                                        const RankedRows& to) {
  const u32* const rows =
      block.words + directory_words(block) + entry.word_offset + exceptions_at(entry, n);
  to.map[simt::lane()] = 0;
  simt::warp_sync();
  for (u32 i = simt::lane(); i < entry.exceptions; i += kWarpSize) {
    const u32 row = half_word(rows, i);
    simt::atomic_or(to.map + row / kWarpSize, 1u << row % kWarpSize);
  }
  simt::warp_sync();
  to.rank();
  return rows + exception_row_words(entry.exceptions);
}

/// Opens one column's vector, by the warp; what was staged has arrived.
PRESSO_DEVICE void open_column(const ProgramSpace& program, u32 column, const VectorPlace& at) {
  const ColumnTask& task = program.space.columns()[column];
  const TableBlock& block = task.block;
  const VectorEntry& entry = task.entries[at.vector % kTaskVectors];
  const StagedWords staged = task.staged[at.vector % kTaskVectors];
  OpenColumn open;
  open.is_signed = block.is_signed;
  open.width_bytes = block.width_bytes;
  open.width = staged.width;
  open.divisor = block.divisor;
  u32* const words = program.space.words(column, at.vector);
  using Form = StagedWords::Form;
  if (staged.form != Form::kOther) {
    open.base = widened(entry.base, block.width_bytes, block.is_signed);
  }
  if (staged.form == Form::kPacked) {
    open.how = OpenColumn::How::kPacked;
  } else if (staged.form == Form::kRuns) {
    open.how = OpenColumn::How::kRuns;
    RankedRows{words, words + staged.count}.rank();
  } else if (staged.form == Form::kPatched) {
    open.how = OpenColumn::How::kPatched;
    open.values = map_exceptions(block, entry, at.rows, patches_of(task, words, at.vector));
  } else if (block.is_plain) {
    open.how = OpenColumn::How::kPlain;
    open.values = block.words + u64{at.vector} * kVectorRows * block.width_bytes / sizeof(u32);
  } else if (block.words != nullptr) {
    u64* const scratch = program.scratch + column * kVectorRows;
    open.how = OpenColumn::How::kPlain;
    open.width_bytes = 8;
    open.values = reinterpret_cast<const u32*>(scratch);
    for_each_bits(block, entry, at, words, program.space.staging(), [&](u32 step, u64 value) {
      scratch[step * kWarpSize + simt::lane()] = widened(value, block.width_bytes, block.is_signed);
    });
  }
  if (simt::lane() == 0) program.open(column) = open;
}

/// Packed numbers of rows of a list.
PRESSO_DEVICE void load_listed(const u32* words, u32 width, const ChunkRows<false>& rows,
                               u32 (&to)[kChunkSteps]) {
  rows.for_each([&](u32 k) { to[k] = packed_number(words, width, rows.row(k)); });
}

/// Where values of a chunk's rows are to be written that are found one by one.
struct ChunkTarget {
  RowPairs rows;
  u32 steps;
  u32 registers_at;
  RegisterPlace to;

  /// Writes value_of(row) for each of the lane's rows.
  template <class ValueOf>
  PRESSO_DEVICE void write(const ValueOf& value_of) const {
    Byte* const out = register_at(registers_at, to);
    PRESSO_UNROLL
    for (u32 k = 0; k < kChunkSteps; ++k) {
      if (k >= steps) return;
      const u64 value = value_of(rows.row(k));
      if (to.is_wide()) {
        reinterpret_cast<u64*>(out)[k * kWarpSize] = value;
      } else {
        reinterpret_cast<u32*>(out)[k * kWarpSize] = static_cast<u32>(value);
      }
    }
  }
};

/// Values of rows whose vector has runs. `words_at`: where its words are in shared memory, `count`
/// of which have come. One copy of it, as of the next.
PRESSO_DEVICE_CALL void unpack_runs(u32 words_at, u32 count, const OpenColumn& open,
                                    ChunkTarget to) {
  u32* const words = reinterpret_cast<u32*>(simt::shared_memory() + words_at);
  const RankedRows starts{words, words + count};
  const u32 width = open.width;
  const u32 divisor = static_cast<u32>(open.divisor);
  const u64 base = open.base;
  to.write([&](u32 row) {
    const u32 run = starts.rank_behind(row) - 1;
    return base + u64{packed_number(words + kRunMapWords, width, run)} * divisor;
  });
}

/// The same of a chunk of neighbouring rows: those of a step have one word of the map.
PRESSO_DEVICE_CALL void unpack_chunk_of_runs(u32 words_at, u32 count, const OpenColumn& open,
                                             u32 chunk, u32 registers_at, RegisterPlace to) {
  const u32* const words = reinterpret_cast<const u32*>(simt::shared_memory() + words_at);
  const u32* const map = words + chunk * kChunkSteps;
  const u32* const before = map + count;
  const u32 up_to_here = low_ones(simt::lane() + 1);
  const u32 width = open.width;
  const u32 divisor = static_cast<u32>(open.divisor);
  const u64 base = open.base;
  u32 packed[kChunkSteps];
  PRESSO_UNROLL
  for (u32 k = 0; k < kChunkSteps; ++k) {
    const u32 run = before[k] + simt::popcount(map[k] & up_to_here) - 1;
    packed[k] = packed_number(words + kRunMapWords, width, run);
  }
  Byte* const out = register_at(registers_at, to);
  PRESSO_UNROLL
  for (u32 k = 0; k < kChunkSteps; ++k) {
    if (to.is_wide()) {
      reinterpret_cast<u64*>(out)[k * kWarpSize] = base + u64{packed[k]} * divisor;
    } else {
      reinterpret_cast<u32*>(out)[k * kWarpSize] = static_cast<u32>(base) + packed[k] * divisor;
    }
  }
}

/// Exceptions of a chunk of neighbouring rows, over the packed values that have been written.
PRESSO_DEVICE_CALL void patch_chunk(u32 words_at, u32 count, const OpenColumn& open, u32 chunk,
                                    u32 registers_at, RegisterPlace to) {
  const u32* const words = reinterpret_cast<const u32*>(simt::shared_memory() + words_at);
  const u32* const map = words + count + chunk * kChunkSteps;
  const u32* const before = map + kRunMapWords;
  Byte* const out = register_at(registers_at, to);
  PRESSO_UNROLL
  for (u32 k = 0; k < kChunkSteps; ++k) {
    if ((map[k] >> simt::lane() & 1) == 0) continue;
    const u32 patch = before[k] + simt::popcount(map[k] & lanes_below());
    const u64 value = widened(two_words(open.values + 2 * patch), open.width_bytes, open.is_signed);
    if (to.is_wide()) {
      reinterpret_cast<u64*>(out)[k * kWarpSize] = value;
    } else {
      reinterpret_cast<u32*>(out)[k * kWarpSize] = static_cast<u32>(value);
    }
  }
}

/// The same where some rows have another value than the packed one.
PRESSO_DEVICE_CALL void unpack_patched(u32 words_at, u32 count, const OpenColumn& open,
                                       ChunkTarget to) {
  u32* const words = reinterpret_cast<u32*>(simt::shared_memory() + words_at);
  const RankedRows patches{words + count, words + count + kRunMapWords};
  to.write([&](u32 row) {
    if (patches.has(row)) {
      const u64 value = two_words(open.values + 2 * patches.rank_of(row));
      return widened(value, open.width_bytes, open.is_signed);
    }
    return open.base + u64{packed_number(words, open.width, row)} * static_cast<u32>(open.divisor);
  });
}

template <bool kDense>
PRESSO_DEVICE void load_plain_values(const OpenColumn& open, const ChunkRows<kDense>& rows, u32 n,
                                     u64 (&to)[kChunkSteps]) {
  rows.for_each([&](u32 k) {
    u64 value = 0;
    if (open.how == OpenColumn::How::kPlain) {
      const u32 row = rows.row(k) < n ? rows.row(k) : 0;
      // This kernel may have written it, so it is not read as what never changes.
      value = open.width_bytes == 8 ? reinterpret_cast<const u64*>(open.values)[row]
                                    : load_plain(open.values, row, open.width_bytes);
      value = widened(value, open.width_bytes, open.is_signed);
    }
    to[k] = value;
  });
}

/// Numbers of codes for the whole table.
PRESSO_DEVICE void number_codes(const ProgramSpace& program, u32 column, const VectorPlace& at,
                                u32 alive, u64 (&codes)[kChunkSteps]) {
  const Pipeline& of = program.of;
  const u32 group = of.table.slices[at.slice].group;
  const u32 begin =
      simt::load_readonly(of.code_begins + column * of.row_groups + group) & ~kCodesAreNumbers;
  PRESSO_UNROLL
  for (u32 k = 0; k < kChunkSteps; ++k) {
    if ((alive >> k & 1) == 0) continue;
    codes[k] = simt::load_readonly(of.code_numbers + begin + static_cast<u32>(codes[k]));
  }
}

template <bool kDense>
PRESSO_DEVICE void run_load(const ProgramSpace& program, const PipelineStep& step,
                            const VectorPlace& at, const ChunkRows<kDense>& rows) {
  const OpenColumn open = program.open(step.column);
  const bool nullable = (program.of.nullable_columns >> step.column & 1) != 0;
  using How = OpenColumn::How;
  const WarpSpace& space = program.space;
  const bool is_code = step.kind == PipelineStep::Kind::kLoadCode;
  const bool has_map = open.how == How::kRuns || open.how == How::kPatched;
  const bool is_written = has_map || (kDense && open.how == How::kPacked);
  const u32 words_at = space.words_at(step.column, at.vector);
  const u32 count = space.columns()[step.column].staged[at.vector % kTaskVectors].count;
  if constexpr (kDense) {
    if (open.how == How::kPacked || open.how == How::kPatched) {
      const u32 to =
          program.registers_at() + step.to.unit() * kChunkRows * static_cast<u32>(sizeof(u32));
      unpack_chunk<kChunkSteps>(words_at, open.width, rows.chunk, open.base,
                                static_cast<u32>(open.divisor), to, step.to.is_wide());
    }
    if (open.how == How::kRuns) {
      unpack_chunk_of_runs(words_at, count, program.open(step.column), rows.chunk,
                           program.registers_at(), step.to);
    } else if (open.how == How::kPatched) {
      patch_chunk(words_at, count, program.open(step.column), rows.chunk, program.registers_at(),
                  step.to);
    }
  } else if (has_map) {
    const ChunkTarget to{rows.pairs(), rows.step_count(), program.registers_at(), step.to};
    if (open.how == How::kRuns) {
      unpack_runs(words_at, count, program.open(step.column), to);
    } else {
      unpack_patched(words_at, count, program.open(step.column), to);
    }
  }
  if (is_written && !is_code && !nullable) return;
  u64 value[kChunkSteps] = {};
  if (is_written) {
    program.read(step.to, rows, value);
  } else if (kDense || open.how != How::kPacked) {
    load_plain_values(open, rows, at.rows, value);
  } else if constexpr (!kDense) {
    u32 packed[kChunkSteps];
    load_listed(space.words(step.column, at.vector), open.width, rows, packed);
    const u32 divisor = static_cast<u32>(open.divisor);
    rows.for_each([&](u32 k) { value[k] = open.base + u64{packed[k]} * divisor; });
  }
  if (is_code && open.how != OpenColumn::How::kNull) {
    number_codes(program, step.column, at, rows.alive, value);
  }
  if (nullable) {
    rows.for_each([&](u32 k) {
      const u64 null_value = static_cast<u64>(step.constant);
      if (!program.is_valid(step.column, rows.row(k))) {
        value[k] = null_value;
      } else if (step.b_is_constant && value[k] == null_value) {
        value[k] ^= 1;  // another NaN
      }
    });
  }
  program.write(step.to, rows, value);
}

// --- steps

template <class Rows>
PRESSO_DEVICE void run_row(const ProgramSpace& program, const PipelineStep& step,
                           const VectorPlace& at, const Rows& rows) {
  const u64 first = program.of.table.slices[at.slice].first_row + at.vector * kVectorRows;
  u64 values[kChunkSteps] = {};
  rows.for_each([&](u32 k) { values[k] = first + rows.row(k); });
  program.write(step.to, rows, values);
}

template <class Rows>
PRESSO_DEVICE void run_constant(const ProgramSpace& program, const PipelineStep& step,
                                const Rows& rows) {
  u64 values[kChunkSteps];
  PRESSO_UNROLL
  for (u32 k = 0; k < kChunkSteps; ++k) values[k] = static_cast<u64>(step.constant);
  program.write(step.to, rows, values);
}

/// An operation on numbers of 32 bits where all are narrow, else of 64: the same result, where it
/// fits into what it is written to.
template <class Rows, class Operation>
PRESSO_DEVICE void run_operation(const ProgramSpace& program, const PipelineStep& step,
                                 const Rows& rows, const Operation& operation) {
  const bool is_wide = step.to.is_wide() || (!step.a_is_constant && step.a.is_wide()) ||
                       (!step.b_is_constant && step.b.is_wide()) ||
                       static_cast<std::int32_t>(step.constant) != step.constant;
  if (is_wide) {
    u64 a[kChunkSteps];
    u64 b[kChunkSteps];
    PRESSO_UNROLL
    for (u32 k = 0; k < kChunkSteps; ++k) a[k] = b[k] = static_cast<u64>(step.constant);
    if (!step.a_is_constant) program.read(step.a, rows, a);
    if (!step.b_is_constant) program.read(step.b, rows, b);
    rows.for_each([&](u32 k) {
      a[k] = static_cast<u64>(
          operation(static_cast<std::int64_t>(a[k]), static_cast<std::int64_t>(b[k])));
    });
    program.write(step.to, rows, a);
    return;
  }
  const u32* const a = program.narrow(step.a);
  const u32* const b = program.narrow(step.b);
  u32* const to = program.narrow(step.to);
  u32 left[kChunkSteps];
  u32 right[kChunkSteps];
  PRESSO_UNROLL
  for (u32 k = 0; k < kChunkSteps; ++k) left[k] = right[k] = static_cast<u32>(step.constant);
  if (!step.a_is_constant) rows.for_each([&](u32 k) { left[k] = a[k * kWarpSize]; });
  if (!step.b_is_constant) rows.for_each([&](u32 k) { right[k] = b[k * kWarpSize]; });
  rows.for_each([&](u32 k) {
    to[k * kWarpSize] = static_cast<u32>(
        operation(static_cast<std::int32_t>(left[k]), static_cast<std::int32_t>(right[k])));
  });
}

// Sums and products are those of unsigned numbers, which have no undefined overflow; the builder
// has seen to it that results fit.
struct AddStep {
  PRESSO_DEVICE std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return static_cast<std::int32_t>(static_cast<u32>(a) + static_cast<u32>(b));
  }
  PRESSO_DEVICE std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return static_cast<std::int64_t>(static_cast<u64>(a) + static_cast<u64>(b));
  }
};
struct SubtractStep {
  PRESSO_DEVICE std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return static_cast<std::int32_t>(static_cast<u32>(a) - static_cast<u32>(b));
  }
  PRESSO_DEVICE std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return static_cast<std::int64_t>(static_cast<u64>(a) - static_cast<u64>(b));
  }
};
struct MultiplyStep {
  PRESSO_DEVICE std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return static_cast<std::int32_t>(static_cast<u32>(a) * static_cast<u32>(b));
  }
  PRESSO_DEVICE std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return static_cast<std::int64_t>(static_cast<u64>(a) * static_cast<u64>(b));
  }
};

/// Which of the rows have not 0 in a register.
template <class Rows>
PRESSO_DEVICE u32 where_true(const ProgramSpace& program, RegisterPlace place, const Rows& rows,
                             u32 alive) {
  u64 truth[kChunkSteps] = {};
  program.read(place, rows, truth);
  rows.for_each([&](u32 k) {
    if (truth[k] == 0) alive &= ~(1u << k);
  });
  return alive;
}

// --- joins

/// Build rows of keys, kNoRow where there is none; of the rows that `alive` says.
PRESSO_DEVICE void find_rows(const Lookup& in, u32 alive, const u64 (&keys)[kChunkSteps],
                             u32 (&found)[kChunkSteps]) {
  PRESSO_UNROLL
  for (u32 first = 0; first < kChunkSteps; first += kTileItems) {
    u64 some[kTileItems];
    u32 rows[kTileItems];
    PRESSO_UNROLL
    for (u32 i = 0; i < kTileItems; ++i) some[i] = keys[first + i];
    const u32 joins = alive >> first & low_ones(kTileItems);
    if (in.form == LookupForm::kArray) {
      KeyArray<u64>{in.places, in.least, in.last}.find(0, some, joins, rows, nullptr);
    } else {
      const KeyTable<u64> table{static_cast<KeyUnit<u64>*>(in.units), in.unit_count};
      table.find(0, some, joins, rows, nullptr);
    }
    PRESSO_UNROLL
    for (u32 i = 0; i < kTileItems; ++i) found[first + i] = rows[i];
  }
}

/// Of keys that ascend: the build rows of the keys of a register go to another one, or nowhere
/// where that is null, kNoRow where there is none. Returns which of the rows have one. By the warp.
/// One copy of it, which takes registers only while it runs.
PRESSO_DEVICE_CALL u32 search_rows(const Lookup& in, const Byte* keys_at, bool is_wide, u32* to,
                                   u32 alive) {
  u64 keys[kChunkSteps];
  u32 found[kChunkSteps];
  PRESSO_UNROLL
  for (u32 k = 0; k < kChunkSteps; ++k) {
    const u32 item = (alive >> k & 1) != 0 ? k * kWarpSize : 0;
    keys[k] = is_wide ? reinterpret_cast<const u64*>(keys_at)[item]
                      : static_cast<u64>(std::int64_t{static_cast<std::int32_t>(
                            reinterpret_cast<const u32*>(keys_at)[item])});
  }
  const KeySearch search{static_cast<const u64*>(in.units), in.places, in.unit_count};
  search.find(0, keys, alive & low_ones(kChunkSteps), found, nullptr);
  u32 with_one = 0;
  PRESSO_UNROLL
  for (u32 k = 0; k < kChunkSteps; ++k) {
    if (found[k] != kNoRow) with_one |= 1u << k;
    if (to != nullptr) to[k * kWarpSize] = found[k];
  }
  return with_one;
}

/// Returns which of the lane's rows are left. `with_one`: that have a build row.
PRESSO_DEVICE u32 left_by_find(const ProgramSpace& program, const PipelineStep& step, u32 alive,
                               u32 with_one) {
  using Kind = PipelineStep::Kind;
  if (step.kind == Kind::kFindAny) return with_one;
  if (step.kind == Kind::kFindNone) return alive & ~with_one;
  if (program.of.lookups[step.column].next != nullptr) program.found(step.column) = with_one;
  return step.kind == Kind::kFindOrNone ? alive : with_one;
}

/// Returns which of the lane's rows are left.
template <class Rows>
PRESSO_DEVICE u32 run_find(const ProgramSpace& program, const PipelineStep& step, const Rows& rows,
                           u32 alive) {
  using Kind = PipelineStep::Kind;
  const Lookup& lookup = program.of.lookups[step.column];
  const bool has_row = step.kind == Kind::kFind || step.kind == Kind::kFindOrNone;
  if (lookup.form == LookupForm::kAscending) {
    const u32 registers_at = program.registers_at();
    u32* const to = has_row ? reinterpret_cast<u32*>(register_at(registers_at, step.to)) : nullptr;
    const u32 with_one =
        search_rows(lookup, register_at(registers_at, step.a), step.a.is_wide(), to, alive);
    return left_by_find(program, step, alive, with_one);
  }
  u64 values[kChunkSteps] = {};
  u32 found[kChunkSteps];
  program.read(step.a, rows, values);
  find_rows(lookup, alive, values, found);
  u32 with_one = alive;
  PRESSO_UNROLL
  for (u32 k = 0; k < kChunkSteps; ++k) {
    if (found[k] == kNoRow) with_one &= ~(1u << k);
    values[k] = found[k];
  }
  if (has_row) program.write(step.to, rows, values);
  return left_by_find(program, step, alive, with_one);
}

/// Tests the pairs that were found; returns which of the lane's rows are left.
template <class Rows>
PRESSO_DEVICE u32 run_check(const ProgramSpace& program, const PipelineStep& step, const Rows& rows,
                            u32 alive) {
  using Kind = PipelineStep::Kind;
  const u32* const next = program.of.lookups[step.column].next;
  const u32 belongs = where_true(program, step.b, rows, alive);
  const u32 had = next != nullptr ? program.found(step.column) >> kChunkSteps : 0;
  u64 values[kChunkSteps] = {};
  program.read(step.a, rows, values);
  u32 pairs = 0;
  u32 lone = 0;  // rows that have no pair, as is known with the last one
  PRESSO_UNROLL
  for (u32 k = 0; k < kChunkSteps; ++k) {
    if ((alive >> k & 1) == 0) continue;
    const u32 row = static_cast<u32>(values[k]);
    if (row != kNoRow && (belongs >> k & 1) != 0) {
      pairs |= 1u << k;
    } else if ((had >> k & 1) == 0) {
      const bool is_last =
          row == kNoRow || next == nullptr || simt::load_readonly(next + row) == kNoRow;
      if (is_last) lone |= 1u << k;
      values[k] = kNoRow;
    }
  }
  if (next != nullptr) program.found(step.column) |= pairs << kChunkSteps;
  if (step.kind == Kind::kCheckAny) return pairs & ~had;
  if (step.kind == Kind::kCheckNone) return lone;
  program.write(step.to, rows, values);
  return pairs | lone;
}

/// Sets the bits of a lane's build rows. One copy of it, as it is rare.
PRESSO_DEVICE_CALL void mark_rows(u32* marks, const Byte* build_rows, u32 alive) {
  for (u32 left = alive; left != 0; left &= left - 1) {
    const u32 k = simt::find_first_set(left) - 1;
    const u32 row = reinterpret_cast<const u32*>(build_rows)[k * kWarpSize];
    if (row == kNoRow) continue;
    u32* const word = marks + row / kWordBits;
    const u32 bit = 1u << row % kWordBits;
    // A stale word lacks bits: at worst the atomic is asked for in vain.
    if ((*static_cast<volatile u32*>(word) & bit) == 0) simt::atomic_or(word, bit);
  }
}

/// Goes on to the next build row of each row, where there is one; returns which rows have it.
template <class Rows>
PRESSO_DEVICE u32 find_next(const ProgramSpace& program, const PipelineStep& step,
                            const Rows& rows) {
  u64 values[kChunkSteps] = {};
  const u32 before = program.found(step.column);
  u32 alive = before & low_ones(kChunkSteps);
  program.read(step.to, rows, values);
  PRESSO_UNROLL
  for (u32 k = 0; k < kChunkSteps; ++k) {
    if ((alive >> k & 1) == 0) continue;
    const u32 next = simt::load_readonly(program.of.lookups[step.column].next + values[k]);
    if (next == kNoRow) alive &= ~(1u << k);
    values[k] = next;
  }
  program.write(step.to, rows, values);
  program.found(step.column) = (before & ~low_ones(kChunkSteps)) | alive;
  return alive;
}

/// Rows that there are not are read as the first one, so that no load waits for a jump.
template <class Rows>
PRESSO_DEVICE void run_gather(const ProgramSpace& program, const PipelineStep& step,
                              const Rows& rows, u32 alive) {
  const RowArray array = program.of.arrays[step.column];
  u64 values[kChunkSteps] = {};
  program.read(step.a, rows, values);
  u32 missing = 0;
  PRESSO_UNROLL
  for (u32 k = 0; k < kChunkSteps; ++k) {
    if ((alive >> k & 1) == 0) continue;
    const bool is_there = values[k] < array.count;
    const u32 row = is_there ? static_cast<u32>(values[k]) : 0;
    if (!is_there) missing |= 1u << k;
    if (array.is_wide) {
      values[k] = simt::load_readonly(static_cast<const u64*>(array.values) + row);
    } else {
      const u32 value = simt::load_readonly(static_cast<const u32*>(array.values) + row);
      values[k] = static_cast<u64>(std::int64_t{static_cast<std::int32_t>(value)});
    }
  }
  if (missing != 0) {
    PRESSO_UNROLL
    for (u32 k = 0; k < kChunkSteps; ++k) {
      if ((missing >> k & 1) != 0) values[k] = static_cast<u64>(step.constant);
    }
  }
  program.write(step.to, rows, values);
}

// --- groups

/// The number by which the group of the lane's row k is put in order.
PRESSO_DEVICE u64 order_of(const Pipeline& of, u32 registers_at, u64 row, u32 k) {
  const u32 bits = of.order_bits;
  if (bits == 0) return row;
  const Byte* const register_of = register_at(registers_at, of.order_register);
  const u64 order = reinterpret_cast<const u64*>(register_of)[k * kWarpSize];
  return bits == kWholeOrder ? order : row << bits | order;
}

/// Keys in register `from` become the numbers of their groups in register `to`; returns which of
/// the rows have a group: all, as long as the table is not full. One copy of it, which takes
/// registers only while it runs.
PRESSO_DEVICE_CALL u32 group_keys(const Pipeline& of, u32 registers_at, RegisterPlace from,
                                  RegisterPlace to, u32 alive) {
  const Byte* const keys_at = register_at(registers_at, from);
  u32* const groups = reinterpret_cast<u32*>(register_at(registers_at, to));
  u32 with_group = 0;
  PRESSO_UNROLL
  for (u32 first = 0; first < kChunkSteps; first += kTileItems) {
    const u32 here = alive >> first & low_ones(kTileItems);
    u64 keys[kTileItems];
    u32 found[kTileItems];
    PRESSO_UNROLL
    for (u32 i = 0; i < kTileItems; ++i) {
      const u32 item = (here >> i & 1) != 0 ? (first + i) * kWarpSize : 0;
      keys[i] = from.is_wide() ? reinterpret_cast<const u64*>(keys_at)[item]
                               : static_cast<u64>(std::int64_t{static_cast<std::int32_t>(
                                     reinterpret_cast<const u32*>(keys_at)[item])});
    }
    with_group |= find_groups(of, here, keys, found) << first;
    PRESSO_UNROLL
    for (u32 i = 0; i < kTileItems; ++i) {
      if ((here >> i & 1) != 0) groups[(first + i) * kWarpSize] = found[i];
    }
  }
  return with_group;
}

/// Runs the steps from `first` to before `end`; returns which of the lane's rows are left.
/// `kTable`: kGroup is among them.
template <bool kTable, bool kDense>
PRESSO_DEVICE u32 run_program(const ProgramSpace& program, const VectorPlace& at,
                              const ChunkRows<kDense>& rows, u32 first, u32 end, u32 alive) {
  for (u32 i = first; i < end; ++i) {
    const PipelineStep& step = program.of.program[i];
    using Kind = PipelineStep::Kind;
    switch (step.kind) {
      case Kind::kLoad:
      case Kind::kLoadCode:
        run_load(program, step, at, rows);
        break;
      case Kind::kRow:
        run_row(program, step, at, rows);
        break;
      case Kind::kConstant:
        run_constant(program, step, rows);
        break;
      case Kind::kAdd:
        run_operation(program, step, rows, AddStep{});
        break;
      case Kind::kSubtract:
        run_operation(program, step, rows, SubtractStep{});
        break;
      case Kind::kMultiply:
        run_operation(program, step, rows, MultiplyStep{});
        break;
      case Kind::kEqual:
        run_operation(program, step, rows, [](auto a, auto b) { return decltype(a){a == b}; });
        break;
      case Kind::kNotEqual:
        run_operation(program, step, rows, [](auto a, auto b) { return decltype(a){a != b}; });
        break;
      case Kind::kLess:
        run_operation(program, step, rows, [](auto a, auto b) { return decltype(a){a < b}; });
        break;
      case Kind::kLessEqual:
        run_operation(program, step, rows, [](auto a, auto b) { return decltype(a){a <= b}; });
        break;
      case Kind::kNot:
        run_operation(program, step, rows, [](auto a, auto) { return a ^ 1; });
        break;
      case Kind::kReal:
        run_real(step, program.registers_at(), rows.step_count());
        break;
      case Kind::kFilter:
        alive = where_true(program, step.a, rows, alive);
        if (step.column == PipelineStep::kGoesOn) break;
        if (!simt::any(alive != 0)) return 0;
        break;
      case Kind::kFind:
      case Kind::kFindAny:
      case Kind::kFindNone:
      case Kind::kFindOrNone:
        alive = run_find(program, step, rows, alive);
        if (!simt::any(alive != 0)) return 0;
        break;
      case Kind::kCheckAny:
      case Kind::kCheckNone:
      case Kind::kCheckOrNone:
        alive = run_check(program, step, rows, alive);
        if (!simt::any(alive != 0)) return 0;
        break;
      case Kind::kMark:
      case Kind::kMarkOnly:
        mark_rows(program.of.marks[step.column], register_at(program.registers_at(), step.a),
                  alive);
        if (step.kind == Kind::kMarkOnly) return 0;
        break;
      case Kind::kGather:
        run_gather(program, step, rows, alive);
        break;
      case Kind::kGroup:
        if constexpr (kTable) {
          alive = group_keys(program.of, program.registers_at(), step.a, step.to, alive);
        }
        break;
    }
  }
  return alive;
}

}  // namespace presso::gpu
