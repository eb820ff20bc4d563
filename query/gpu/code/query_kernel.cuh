// SPDX-License-Identifier: MIT
// What the source of a query's kernels (kernel_source.h) is made of: reading packed columns whose
// widths are constants, testing conditions, and cells of groups. The generated code has two
// kernels, which run the same steps over two kinds of vectors:
//
//   presso_usual    vectors in which each column has the form that most of its vectors have
//                   (ColumnForm); lists all others
//   presso_others   vectors of that list, whose columns have been decoded (decode_others.cuh)
//
// A warp takes tasks of eight neighbouring vectors, one after another; a lane has 32 rows of a
// vector, kSteps of them at a time. Bit s of a *lane mask* tells of the lane's row of step s. It
// includes nothing that code which is compiled at run time may not include.
// Tests: tests/queries/one_table.txt.
#pragma once

#include "decompress/gpu/simt/simt.h"
#include "query/gpu/kernels/common_cells.cuh"
#include "query/gpu/kernels/packed_range.cuh"
#include "query/gpu/kernels/query_arguments.h"
#include "query/gpu/kernels/result_words.h"

/// A kernel of the generated code. `blocks`: that a multiprocessor is to have room for.
#if defined(PRESSO_SIMT_EMULATOR)
#define PRESSO_KERNEL(name, threads, blocks) \
  extern "C" void name(const presso::gpu::QueryArguments& q)
#else
#define PRESSO_KERNEL(name, threads, blocks)                    \
  extern "C" __global__ void __launch_bounds__(threads, blocks) \
      name(const __grid_constant__ presso::gpu::QueryArguments q)
#endif

namespace presso::gpu::code {

using i32 = std::int32_t;
using i64 = std::int64_t;

// --- packed columns

/// A lane's packed numbers of kSteps steps, in registers.
template <u32 kWidth, u32 kSteps>
struct Packed {
  static constexpr u32 kBits = kWidth * kSteps;
  static constexpr u32 kWords = (kBits + kWordBits - 1) / kWordBits;
  u32 words[kWords == 0 ? 1 : kWords];

  /// `from`: the lane's first word of the vector.
  PRESSO_DEVICE void load(const u32* from, u32 chunk) {
    if constexpr (kWords == 0) {
      words[0] = 0;
    } else if constexpr (kBits % kWordBits == 0) {
      PRESSO_UNROLL
      for (u32 i = 0; i < kWords; ++i) {
        words[i] = simt::load_streaming(from + (chunk * kWords + i) * kLanes);
      }
    } else {
      const u32 shift = chunk * kBits % kWordBits;
      const u32* const at = from + chunk * kBits / kWordBits * kLanes;
      u32 low = simt::load_readonly(at);
      PRESSO_UNROLL
      for (u32 i = 0; i + 1 < kWords; ++i) {
        const u32 high = simt::load_readonly(at + (i + 1) * kLanes);
        words[i] = simt::funnel_shift_right(low, high, shift);
        low = high;
      }
      // The vector has kWidth words; what would come behind the last one is not used.
      const u32 behind = chunk * kBits / kWordBits + kWords < kWidth ? kWords : kWords - 1;
      const u32 high = simt::load_readonly(at + behind * kLanes);
      words[kWords - 1] = simt::funnel_shift_right(low, high, shift);
    }
  }
  PRESSO_DEVICE u32 number(u32 step) const {
    if constexpr (kWidth == 0) return 0;
    const u32 at = step * kWidth / kWordBits;
    const u32 bit = step * kWidth % kWordBits;
    if (bit + kWidth <= kWordBits) return words[at] >> bit & low_ones(kWidth);
    return simt::funnel_shift_right(words[at], words[at + 1], bit) & low_ones(kWidth);
  }
  /// The number at the top of a word, above whatever stands below it.
  PRESSO_DEVICE u32 on_top(u32 step) const {
    if constexpr (kWidth == 0) return 0;
    const u32 at = step * kWidth / kWordBits;
    const u32 end = step * kWidth % kWordBits + kWidth;
    if (end <= kWordBits) return words[at] << (kWordBits - end);
    return simt::funnel_shift_right(words[at], words[at + 1], end - kWordBits);
  }
  /// Whether a number is, at the top of a word, in [from, from + span].
  PRESSO_DEVICE bool is_between(u32 step, u32 from, u32 span) const {
    return on_top(step) - from <= span;
  }
  /// The sum of the numbers of a lane mask.
  PRESSO_DEVICE u64 sum(u32 mask) const {
    if constexpr (kWidth <= 27) {
      u32 sum = 0;  // 32 numbers of 27 bits do not overflow
      PRESSO_UNROLL
      for (u32 step = 0; step < kSteps; ++step) sum += simt::has_bit(mask, step) ? number(step) : 0;
      return sum;
    }
    u64 sum = 0;
    PRESSO_UNROLL
    for (u32 step = 0; step < kSteps; ++step) sum += simt::has_bit(mask, step) ? number(step) : 0;
    return sum;
  }
};

/// A lane's numbers of 33 to 64 bits: the lower 32 bits of all steps come first.
template <u32 kWidth, u32 kSteps>
struct PackedWide {
  Packed<kWordBits, kSteps> low;
  Packed<kWidth - kWordBits, kSteps> high;

  /// `rows`: how many the vector has.
  PRESSO_DEVICE void load(const u32* from, u32 chunk, u32 rows) {
    low.load(from, chunk);
    high.load(from + steps_of(rows) * kLanes, chunk);
  }
  PRESSO_DEVICE u64 number(u32 step) const {
    return u64{high.number(step)} << kWordBits | low.number(step);
  }
  /// Whether a number is in [from, from + span].
  PRESSO_DEVICE bool is_between(u32 step, u64 from, u64 span) const {
    return number(step) - from <= span;
  }
  /// The sum of the numbers of a lane mask, modulo 2^64.
  PRESSO_DEVICE u64 sum(u32 mask) const {
    u64 sum = 0;
    PRESSO_UNROLL
    for (u32 step = 0; step < kSteps; ++step) sum += simt::has_bit(mask, step) ? number(step) : 0;
    return sum;
  }
};

// --- tasks

/// What a warp knows of the vectors of its task; in shared memory. `kTestsWide`: some test compares
/// numbers of more than 32 bits.
template <u32 kColumns, u32 kTests, bool kHasNulls, bool kTestsWide>
struct TaskTable {
  using Limit = std::conditional_t<kTestsWide, u64, u32>;
  static constexpr u32 kSomeTests = kTests == 0 ? 1 : kTests;
  static constexpr bool kReadsNulls = kHasNulls;
  static constexpr u32 kNullColumns = kHasNulls ? kColumns : 1;
  static constexpr u32 kBases = kColumns;
  static constexpr bool kHasReals = false;  ///< columns of doubles or floats (real_columns.cuh)
  u64 base[kColumns][kTaskVectors];
  const u32* words[kColumns][kTaskVectors];
  const u32* valid[kNullColumns][kTaskVectors];  ///< bits of rows that are not null; nullptr: all
  // A test takes numbers in [from, from + span]; those of up to 32 bits are compared at the top of
  // a word. Where no number of a vector passes it, `keep` is 0.
  Limit from[kSomeTests][kTaskVectors];
  Limit span[kSomeTests][kTaskVectors];
  u32 keep[kSomeTests][kTaskVectors];
};

/// Fills in what is known of a column's vector. False: it is not usual.
template <class Task>
PRESSO_DEVICE bool open_vector(const QueryArguments& q, u32 slice, u32 column, u32 vector,
                               u32 in_task, Task& task) {
  const u64 at = (u64{column} * q.table.slice_count + slice) * q.slice_vectors + vector;
  const PackedPlace place = q.places[at];
  task.base[column][in_task] = place.base;
  task.words[column][in_task] = place.words;
  if constexpr (Task::kReadsNulls) task.valid[column][in_task] = q.valid[at];
  if constexpr (Task::kHasReals) {
    const ColumnForm& form = q.columns[column];
    if (form.real_bytes != 0) {
      const TableBlock& block = q.table.blocks[u64{column} * q.table.slice_count + slice];
      return place.words != nullptr && open_real(block, form, column, vector, in_task, task);
    }
  }
  return place.words != nullptr;
}

/// Fills in what a test asks of a usual vector. False: no row of it has what is asked for.
template <class Task>
PRESSO_DEVICE bool open_test(const QueryArguments& q, u32 slice, u32 number, u32 in_task,
                             bool is_usual, Task& task) {
  const ConditionTest test = q.tests[number];
  const LeafRange range = q.ranges[u64{test.leaf} * q.table.slice_count + slice];
  task.from[number][in_task] = 0;
  task.span[number][in_task] = ~typename Task::Limit{0};
  task.keep[number][in_task] = 0;
  const bool is_all = range.count == LeafRange::kAll || range.count == LeafRange::kBits;
  if (!is_all && test.part >= range.count) return false;
  if (!is_usual) return true;
  task.keep[number][in_task] = ~u32{0};
  if (is_all) return true;
  const ImageInterval interval = q.intervals[range.first + test.part];
  const ColumnForm& form = q.columns[test.column];
  if (form.real_bytes != 0) return true;  // the interval is asked for with the values
  const u64 base = task.base[test.column][in_task];
  const u64 begin = form.is_signed ? base ^ kImageTopBit : base;
  const PackedRange<typename Task::Limit> here =
      packed_range<typename Task::Limit>(interval, begin, form.span, form.divisor);
  if (here.is_none) {
    task.keep[number][in_task] = 0;
  } else if (!here.is_all && form.width > kWordBits) {
    task.from[number][in_task] = here.least;
    task.span[number][in_task] = here.most - here.least;
  } else if (!here.is_all) {
    // A vector of width 0 has either all or none.
    const TopRange top =
        TopRange::of(form.width, static_cast<u32>(here.least), static_cast<u32>(here.most));
    task.from[number][in_task] = top.from;
    task.span[number][in_task] = top.span;
  }
  return !here.is_none;
}

/// Bits of the task's vectors that are usual, and that may have rows.
struct TaskVectors {
  u32 usual = 0;
  u32 possible = 0;
};

/// Four lanes speak for each of eight vectors. Returns the vectors for which all four agree.
PRESSO_DEVICE u32 all_of_four(bool says) {
  const u32 votes = simt::ballot(says);
  return votes & votes >> 8 & votes >> 16 & votes >> 24 & 0xFF;
}

/// Fills the table of a task, by the warp. `first`: its first vector in the slice.
template <u32 kColumns, u32 kTests, class Task>
PRESSO_DEVICE TaskVectors open_task(const QueryArguments& q, u32 slice, u32 rows, u32 first,
                                    Task& task) {
  const u32 in_task = simt::lane() % kTaskVectors;
  const u32 vector = first + in_task;
  const u32 left = vectors_of(rows) - first;
  TaskVectors found;
  found.possible = low_ones(left < kTaskVectors ? left : kTaskVectors);
  found.usual = found.possible;
  const bool is_there = in_task < left;
  simt::warp_sync();  // what was there has been used
  PRESSO_NO_UNROLL
  for (u32 begin = 0; begin < kColumns; begin += kWarpSize / kTaskVectors) {
    const u32 column = begin + simt::lane() / kTaskVectors;
    bool is_usual = true;
    if (column < kColumns) {
      is_usual = !is_there || open_vector(q, slice, column, vector, in_task, task);
    }
    found.usual &= all_of_four(is_usual);
  }
  simt::warp_sync();
  const bool is_usual = (found.usual >> in_task & 1) != 0;
  PRESSO_NO_UNROLL
  for (u32 begin = 0; begin < kTests; begin += kWarpSize / kTaskVectors) {
    const u32 test = begin + simt::lane() / kTaskVectors;
    bool is_possible = true;
    if (test < kTests) {
      const bool some = !is_there || open_test(q, slice, test, in_task, is_usual, task);
      is_possible = some || !q.tests[test].is_needed;
    }
    found.possible &= all_of_four(is_possible);
  }
  simt::warp_sync();
  return found;
}

/// Which rows a lane mask is about.
struct Place {
  u32 slice;
  u32 vector;     ///< in the slice
  u32 row_group;  ///< of the table
  u64 first_row;  ///< of the vector, in the table
  u32 rows;       ///< how many the vector has

  PRESSO_DEVICE u64 row(u32 step) const { return first_row + step * kWarpSize + simt::lane(); }
};

// --- columns of usual vectors

/// The lane mask of codes whose bit is set; number(step) gives the lane's code.
template <u32 kSteps, class Number>
PRESSO_DEVICE u32 rows_with_bit(const QueryArguments& q, u32 leaf, u32 slice,
                                const Number& number) {
  const LeafRange range = q.ranges[u64{leaf} * q.table.slice_count + slice];
  if (range.count == 0) return 0;
  if (range.count == LeafRange::kAll) return simt::kFullMask;
  const u32* const bits = q.code_bits + range.first;
  u32 mask = 0;
  PRESSO_UNROLL
  for (u32 step = 0; step < kSteps; ++step) {
    const u32 code = number(step);
    if ((simt::load_readonly(bits + code / kWordBits) >> code % kWordBits & 1) != 0) {
      mask |= 1u << step;
    }
  }
  return mask;
}

/// The lane mask of rows whose image lies in one of the leaf's intervals, which ascend; image(step)
/// gives the lane's, of a step that is known only when the kernel runs.
template <u32 kSteps, class Image>
PRESSO_DEVICE u32 rows_in_intervals(const QueryArguments& q, const LeafRange& range,
                                    const Image& image) {
  if (range.count == LeafRange::kAll) return simt::kFullMask;
  u32 mask = 0;
  PRESSO_NO_UNROLL
  for (u32 step = 0; step < kSteps; ++step) {
    const u64 sought = image(step);
    u32 below = 0;
    for (u32 above = range.count; below < above;) {
      const u32 middle = (below + above) / 2;
      if (q.intervals[range.first + middle].most < sought) {
        below = middle + 1;
      } else {
        above = middle;
      }
    }
    if (below < range.count && q.intervals[range.first + below].least <= sought) mask |= 1u << step;
  }
  return mask;
}

/// What the codes of a row group's dictionary are called in the whole table.
PRESSO_DEVICE const u32* numbers_of_codes(const QueryArguments& q, u32 column, u32 row_group) {
  const u32 begin = simt::load_readonly(q.code_begins + column * q.row_groups + row_group);
  return q.code_numbers + (begin & ~kCodesAreNumbers);
}
PRESSO_DEVICE i32 number_of_code(const QueryArguments& q, u32 column, const Place& at, u32 code) {
  return static_cast<i32>(simt::load_readonly(numbers_of_codes(q, column, at.row_group) + code));
}

/// What the eight codes from a vector's base on are called, a byte each.
struct CodeMap {
  u32 low = 0;
  u32 high = 0;

  template <u32 kWidth>
  PRESSO_DEVICE void load(const QueryArguments& q, u32 column, u32 row_group, u64 base) {
    const u32* const numbers = numbers_of_codes(q, column, row_group) + static_cast<u32>(base);
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      low |= simt::load_readonly(numbers + i) << 8 * i;
      if constexpr (kWidth > 2) high |= simt::load_readonly(numbers + 4 + i) << 8 * i;
    }
  }
  /// `packed`: the code without the base, of at most three bits.
  template <u32 kWidth>
  PRESSO_DEVICE i32 number(u32 packed) const {
    // The last byte is 0 where there are at most four codes.
    constexpr u32 kLastBytes = 0x7770u;
    return static_cast<i32>(kWidth <= 2 ? simt::byte_permute(low, high, packed | kLastBytes)
                                        : simt::byte_of(low, high, packed));
  }
};

/// What is known of a usual vector whose columns are read.
template <class Task>
struct UsualVector {
  const QueryArguments& q;
  const Task& task;
  const Place& at;
  u32 in_task;
  u32 exists;                   ///< lane mask of the rows that the vector has
  u32 chunk = 0;                ///< which steps of the vector are loaded
  u64 base[Task::kBases] = {};  ///< in registers: stores to cells might change the table

  PRESSO_DEVICE void load_bases() {
    PRESSO_UNROLL
    for (u32 column = 0; column < Task::kBases; ++column) base[column] = task.base[column][in_task];
  }

  /// The lane's first word of a column.
  PRESSO_DEVICE const u32* words(u32 column) const {
    return task.words[column][in_task] + simt::lane();
  }
  PRESSO_DEVICE i32 narrow_of(u32 column, u32 number) const {
    return static_cast<i32>(static_cast<u32>(base[column]) +
                            static_cast<u32>(q.columns[column].divisor) * number);
  }
  template <class Number>
  PRESSO_DEVICE i64 wide_of(u32 column, Number number) const {
    return static_cast<i64>(base[column] +
                            u64{static_cast<u32>(q.columns[column].divisor)} * number);
  }
  /// A number of the lane, read from memory; `step`: of the vector.
  template <u32 kWidth>
  PRESSO_DEVICE auto number_in_memory(u32 column, u32 step) const {
    if constexpr (kWidth <= kWordBits) {
      return lane_value(words(column), kWidth, step);
    } else {
      const u32* const high = words(column) + steps_of(at.rows) * kLanes;
      return u64{lane_value(high, kWidth - kWordBits, step)} << kWordBits |
             words(column)[step * kLanes];
    }
  }
  /// Where a column of doubles or floats is, of a RealTask.
  PRESSO_DEVICE auto real(u32 column) const {
    return real_place(task, column, in_task, base[column], exists);
  }
  /// The lane mask of the vector's rows that are not null.
  PRESSO_DEVICE u32 valid_rows(u32 column) const {
    const u32* const bits = task.valid[column][in_task];
    if (bits == nullptr) return simt::kFullMask;
    return transposed(simt::load_readonly(bits + simt::lane()));
  }
  /// The lane mask of the vector's rows that another kernel has found.
  PRESSO_DEVICE u32 found_rows(u32 number) const {
    const u64 vector = u64{at.slice} * kSliceVectors + at.vector;
    return transposed(
        simt::load_readonly(q.row_bits[number] + vector * kVectorSteps + simt::lane()));
  }
};

/// Values of the loaded steps, one by one, of steps that are known only when the kernel runs; they
/// are read from memory once more.
template <class Columns>
struct InMemory {
  const Columns& from;

  template <u32 kColumn>
  PRESSO_DEVICE auto number(u32 step) const {
    return from.template number_in_memory<Columns::template width<kColumn>()>(
        kColumn, from.chunk * Columns::kSteps + step);
  }
  template <u32 kColumn>
  PRESSO_DEVICE i32 narrow(u32 step) const {
    return from.narrow_of(kColumn, static_cast<u32>(number<kColumn>(step)));
  }
  template <u32 kColumn>
  PRESSO_DEVICE i64 wide(u32 step) const {
    return from.wide_of(kColumn, number<kColumn>(step));
  }
  template <u32 kColumn>
  PRESSO_DEVICE u64 real_bits(u32 step) const {
    return from.template packed<kColumn>().at(from.real(kColumn),
                                              from.chunk * Columns::kSteps + step);
  }
  template <u32 kColumn>
  PRESSO_DEVICE i32 code(u32 step, bool takes) const {
    return takes ? number_of_code(from.q, kColumn, from.at, narrow<kColumn>(step)) : 0;
  }
  template <u32 kColumn>
  PRESSO_DEVICE u32 valid() const {
    return from.template valid<kColumn>();
  }
  PRESSO_DEVICE u64 row(u32 step) const { return from.row(step); }
};

/// What generated code reads a usual vector's columns through. Own: the generated struct, which has
/// packed<column>(), width<column>() and valid<column>().
template <class Own, class Task>
struct UsualColumns : UsualVector<Task> {
  PRESSO_DEVICE const Own& own() const { return static_cast<const Own&>(*this); }
  template <u32 kColumn>
  PRESSO_DEVICE i32 narrow(u32 step) const {
    return this->narrow_of(kColumn,
                           static_cast<u32>(own().template packed<kColumn>().number(step)));
  }
  template <u32 kColumn>
  PRESSO_DEVICE i64 wide(u32 step) const {
    return this->wide_of(kColumn, own().template packed<kColumn>().number(step));
  }
  /// The bits of a double or float.
  template <u32 kColumn>
  PRESSO_DEVICE u64 real_bits(u32 step) const {
    return own().template packed<kColumn>().values[step];
  }
  /// `takes`: whether the row's number is wanted; else it is 0.
  template <u32 kColumn>
  PRESSO_DEVICE i32 code(u32 step, bool takes) const {
    if constexpr (Own::template has_map<kColumn>()) {
      return own().template map<kColumn>().template number<Own::template width<kColumn>()>(
          own().template packed<kColumn>().number(step));
    } else {
      return takes ? number_of_code(this->q, kColumn, this->at, narrow<kColumn>(step)) : 0;
    }
  }
  template <u32 kTest, u32 kColumn>
  PRESSO_DEVICE u32 test() const {
    u32 mask = 0;
    PRESSO_UNROLL
    for (u32 step = 0; step < Own::kSteps; ++step) {
      if (holds<kTest, kColumn>(step)) mask |= 1u << step;
    }
    return mask & this->task.keep[kTest][this->in_task];
  }
  /// Whether a row passes a test that all rows must pass; some row of the vector may.
  template <u32 kTest, u32 kColumn>
  PRESSO_DEVICE bool holds(u32 step) const {
    using Number = std::conditional_t<(Own::template width<kColumn>() > kWordBits), u64, u32>;
    return own().template packed<kColumn>().is_between(
        step, static_cast<Number>(this->task.from[kTest][this->in_task]),
        static_cast<Number>(this->task.span[kTest][this->in_task]));
  }
  template <u32 kLeaf, u32 kColumn>
  PRESSO_DEVICE u32 has_bit() const {
    return rows_with_bit<Own::kSteps>(this->q, kLeaf, this->at.slice, [&](u32 step) {
      const bool exists =
          (this->exists >> (this->chunk * Own::kSteps % kWordBits) >> step & 1) != 0;
      return exists ? static_cast<u32>(narrow<kColumn>(step)) : 0;
    });
  }
  /// The sum of the values of a lane mask, modulo 2^64.
  template <u32 kColumn>
  PRESSO_DEVICE u64 sum(u32 mask) const {
    return this->base[kColumn] * simt::popcount(mask) +
           this->q.columns[kColumn].divisor * own().template packed<kColumn>().sum(mask);
  }
  PRESSO_DEVICE u64 row(u32 step) const { return this->at.row(this->chunk * Own::kSteps + step); }
  // Reading a whole vector once more, step by step, while chunk is 0.
  static constexpr u32 kRowSteps = kVectorSteps;
  PRESSO_DEVICE InMemory<Own> reader(u32) const { return {own()}; }
  PRESSO_DEVICE u32 step_of(u32 number) const { return number; }
};

// --- columns of other vectors

/// Reads one step of a vector that has been decoded, as UsualColumns reads kSteps of them.
struct OtherVector {
  static constexpr u32 kSteps = 1;
  static constexpr bool kIsUsual = false;
  const QueryArguments& q;
  const Place& at;
  u32 number;  ///< of the vector among those that have been decoded
  u32 chunk = 0;
  bool is_there = true;  ///< the lane has a row in this step

  PRESSO_DEVICE u64 place(u32 column) const { return u64{number} * q.column_count + column; }
  PRESSO_DEVICE u64 value(u32 column) const {
    if (!is_there) return 0;
    return q.decoded[place(column) * kVectorRows + chunk * kWarpSize + simt::lane()];
  }
  PRESSO_DEVICE u64 row(u32) const { return at.row(chunk); }
  template <u32 kColumn>
  PRESSO_DEVICE i32 narrow(u32) const {
    return static_cast<i32>(value(kColumn));
  }
  template <u32 kColumn>
  PRESSO_DEVICE i64 wide(u32) const {
    return static_cast<i64>(value(kColumn));
  }
  template <u32 kColumn>
  PRESSO_DEVICE u64 real_bits(u32) const {
    return value(kColumn);
  }
  template <u32 kColumn>
  PRESSO_DEVICE u32 valid() const {
    return q.decoded_valid[place(kColumn) * kLanes + chunk] >> simt::lane() & 1;
  }
  template <u32 kNumber>
  PRESSO_DEVICE u32 found() const {
    const u64 vector = u64{at.slice} * kSliceVectors + at.vector;
    return q.row_bits[kNumber][vector * kVectorSteps + chunk] >> simt::lane() & 1;
  }
  template <u32 kTest, u32 kColumn>
  PRESSO_DEVICE u32 test() const {
    const ConditionTest test = q.tests[kTest];
    const LeafRange range = q.ranges[u64{test.leaf} * q.table.slice_count + at.slice];
    if (range.count == LeafRange::kAll) return 1;
    if (test.part >= range.count) return 0;
    const ImageInterval interval = q.intervals[range.first + test.part];
    const bool is_signed = q.columns[kColumn].is_signed;
    const u64 image = is_signed ? value(kColumn) ^ kImageTopBit : value(kColumn);
    return interval.least <= image && image <= interval.most ? 1 : 0;
  }
  template <u32 kTest, u32 kColumn>
  PRESSO_DEVICE bool holds(u32) const {
    return test<kTest, kColumn>() != 0;
  }
  template <u32 kLeaf, u32 kColumn>
  PRESSO_DEVICE u32 has_bit() const {
    return rows_with_bit<1>(q, kLeaf, at.slice,
                            [&](u32) { return static_cast<u32>(value(kColumn)); });
  }
  template <u32 kColumn>
  PRESSO_DEVICE i32 code(u32, bool takes) const {
    return takes ? number_of_code(q, kColumn, at, static_cast<u32>(value(kColumn))) : 0;
  }
  template <u32 kColumn>
  PRESSO_DEVICE u64 sum(u32 mask) const {
    return (mask & 1) != 0 ? value(kColumn) : 0;
  }
  // Reading the part of the vector that begins with chunk once more.
  static constexpr u32 kRowSteps = kVectorSteps / kOtherParts;
  PRESSO_DEVICE OtherVector reader(u32 step) const {
    OtherVector other = *this;
    other.chunk += step;
    other.is_there = other.chunk * kWarpSize + simt::lane() < at.rows;
    return other;
  }
  PRESSO_DEVICE u32 step_of(u32) const { return 0; }
};

/// The lane mask of what a leaf of any kind allows of a column of integers or codes.
template <u32 kLeaf, u32 kColumn, class Columns>
PRESSO_DEVICE u32 integer_leaf(const Columns& c) {
  const LeafRange range = c.q.ranges[u64{kLeaf} * c.q.table.slice_count + c.at.slice];
  if (range.count == LeafRange::kBits) return c.template has_bit<kLeaf, kColumn>();
  const u64 sign = c.q.columns[kColumn].is_signed ? kImageTopBit : 0;
  return rows_in_intervals<Columns::kSteps>(c.q, range, [&](u32 step) {
    return static_cast<u64>(c.reader(0).template wide<kColumn>(step)) ^ sign;
  });
}

// --- steps of a program

// Sums and products are those of unsigned numbers, which have no undefined overflow; whoever made
// the code has seen to it that results fit.
PRESSO_DEVICE i32 added(i32 a, i32 b) {
  return static_cast<i32>(static_cast<u32>(a) + static_cast<u32>(b));
}
PRESSO_DEVICE i64 added(i64 a, i64 b) {
  return static_cast<i64>(static_cast<u64>(a) + static_cast<u64>(b));
}
PRESSO_DEVICE i32 subtracted(i32 a, i32 b) {
  return static_cast<i32>(static_cast<u32>(a) - static_cast<u32>(b));
}
PRESSO_DEVICE i64 subtracted(i64 a, i64 b) {
  return static_cast<i64>(static_cast<u64>(a) - static_cast<u64>(b));
}
PRESSO_DEVICE i32 multiplied(i32 a, i32 b) {
  return static_cast<i32>(static_cast<u32>(a) * static_cast<u32>(b));
}
PRESSO_DEVICE i64 multiplied(i64 a, i64 b) {
  return static_cast<i64>(static_cast<u64>(a) * static_cast<u64>(b));
}
/// Zone image of a signed number (FORMAT.md 15.4), whose order is that of unsigned numbers.
PRESSO_DEVICE u64 image(i64 value) {
  return static_cast<u64>(value) ^ kImageTopBit;
}

// --- cells

enum class Combine { kAdd, kMin, kMax };

template <Combine kHow>
PRESSO_DEVICE u64 combined(u64 a, u64 b) {
  if constexpr (kHow == Combine::kMin) return a < b ? a : b;
  if constexpr (kHow == Combine::kMax) return a > b ? a : b;
  return a + b;
}

/// Combines what the lanes of the warp have.
template <Combine kHow>
PRESSO_DEVICE u64 of_warp(u64 value) {
  PRESSO_UNROLL
  for (u32 half = kWarpSize / 2; half != 0; half /= 2) {
    value = combined<kHow>(value, simt::shuffle_xor(value, half));
  }
  return value;
}

template <Combine kHow>
PRESSO_DEVICE void combine_in_memory(u64* cell, u64 value) {
  if constexpr (kHow == Combine::kMin) {
    simt::atomic_min(cell, value);
  } else if constexpr (kHow == Combine::kMax) {
    simt::atomic_max(cell, value);
  } else {
    if (value != 0) simt::atomic_add(cell, value);
  }
}

/// The sum over the warp of a field of kBits bits, from bit kShift on, of a packed word.
template <u32 kShift, u32 kBits>
PRESSO_DEVICE u64 field_of_warp(u64 word) {
  constexpr u32 kLaneBits = 5;
  const u64 field = word >> kShift & ((u64{1} << kBits) - 1);
  if constexpr (kBits + kLaneBits <= kWordBits) {
    return simt::reduce_add(static_cast<u32>(field));
  } else {
    constexpr u32 kHalf = 16;
    const u64 upper = simt::reduce_add(static_cast<u32>(field >> kHalf));
    return (upper << kHalf) + simt::reduce_add(static_cast<u32>(field) & low_ones(kHalf));
  }
}

/// The warp's lanes together to a cell that all share.
template <Combine kHow>
PRESSO_DEVICE void flush_cell(u64* cell, u64 value) {
  value = of_warp<kHow>(value);
  if (simt::lane() == 0) combine_in_memory<kHow>(cell, value);
}

/// A sum of the warp to two cells: its lower 32 bits and what is above them.
PRESSO_DEVICE void flush_halves(u64* low, u64* high, u64 value) {
  value = of_warp<Combine::kAdd>(value);
  if (simt::lane() != 0) return;
  combine_in_memory<Combine::kAdd>(low, static_cast<u32>(value));
  combine_in_memory<Combine::kAdd>(high, value >> 32);  // allow(bare-32): bits
}

/// The number of the lowest bit that is set, of bits of groups.
PRESSO_DEVICE u32 lowest_bit(u32 bits) {
  return simt::find_first_set(bits) - 1;
}
PRESSO_DEVICE u32 lowest_bit(u64 bits) {
  const u32 low = static_cast<u32>(bits);
  return low != 0 ? lowest_bit(low) : kWordBits + lowest_bit(static_cast<u32>(bits >> kWordBits));
}

// --- the two kernels

/// The next task of the launch, of which each has one warp; by the warp.
PRESSO_DEVICE u32 next_task(const QueryArguments& q) {
  u32 number = 0;
  if (simt::lane() == 0) number = simt::atomic_add(q.tasks_taken, 1);
  return q.first_task + simt::shuffle(number, 0);
}

/// Runs generated code over the usual vectors. Question: its constants, kSteps among them; Columns:
/// its columns; Cells: its cells, which clear themselves, and go to device memory by flush().
template <class Question>
PRESSO_DEVICE void run_usual(const QueryArguments& q) {
  using Task = typename Question::Task;
  const u32 warp = uniform_warp();
  Byte* const shared = simt::shared_memory();
  Byte* const own = shared + warp * Question::kWarpBytes;
  auto& task = *reinterpret_cast<Task*>(own);
  typename Question::Cells cells(q, shared + Question::kWarps * Question::kWarpBytes,
                                 own + Question::kTaskBytes);
  u64 matched = 0;
  for (u32 number = next_task(q); number < q.end_task; number = next_task(q)) {
    const u32 slice = number / kSliceTasks;
    const u32 first = number % kSliceTasks * kTaskVectors;
    const TableSlice of = q.table.slices[slice];
    if (first >= vectors_of(of.rows)) continue;
    const TaskVectors found =
        open_task<Question::kColumns, Question::kTests>(q, slice, of.rows, first, task);
    const u32 others = found.possible & ~found.usual;
    if (others != 0 && simt::lane() == 0 && q.others == nullptr) {
      *q.fault = kOtherForm;
    } else if (others != 0 && simt::lane() == 0) {
      u32 to = simt::atomic_add(q.other_count, simt::popcount(others));
      for (u32 left = others; left != 0; left &= left - 1) {
        q.others[to++] = slice * kSliceVectors + first + simt::find_first_set(left) - 1;
      }
    }
    for (u32 left = found.possible & found.usual; left != 0; left &= left - 1) {
      const u32 in_task = simt::find_first_set(left) - 1;
      const u32 vector = first + in_task;
      const Place at{slice, vector, of.group, of.first_row + vector * kVectorRows,
                     vector_rows(of.rows, vector)};
      const u32 exists = mask_of_rows(at.rows);
      typename Question::Columns columns(q, task, at, in_task, exists);
      if (!columns.may_match()) continue;
      u32 rows = 0;
      PRESSO_NO_UNROLL
      for (u32 chunk = 0; chunk < kVectorSteps / Question::kSteps; ++chunk) {
        columns.load(chunk);
        u32 mask =
            Question::rows_that_hold(columns) & exists >> (chunk * Question::kSteps % kWordBits);
        if constexpr (Question::kLoadsLate) {
          if (!simt::any(mask != 0)) continue;
          columns.load_late();
        }
        mask = Question::take(q, columns, at, mask, cells);
        rows |= mask << (chunk * Question::kSteps % kWordBits);
      }
      if constexpr (Question::kNotesFirstRows) {
        columns.chunk = 0;
        Question::note_first_rows(q, columns, rows, cells);
      }
      cells.after_vector(q);
      if constexpr (!Question::kCountsPairs) matched += simt::popcount(rows);
      if constexpr (Question::kWantsBits) {
        const u64 word = (u64{slice} * kSliceVectors + at.vector) * kVectorSteps + simt::lane();
        simt::store_streaming(q.matched_bits + word, transposed(rows));
      }
    }
  }
  if constexpr (Question::kCountsPairs) matched = cells.pairs;
  cells.flush(q, matched);
  flush_cell<Combine::kAdd>(q.matched, matched);
}

/// Runs generated code over the listed vectors that have been decoded. Threads to data: a warp
/// takes an eighth of a vector, since there are few of them.
template <class Question>
PRESSO_DEVICE void run_others(const QueryArguments& q) {
  constexpr u32 kPartSteps = kVectorSteps / kOtherParts;
  const u32 warp = uniform_warp();
  Byte* const shared = simt::shared_memory();
  Byte* const own = shared + warp * Question::kWarpBytes;
  typename Question::Cells cells(q, shared + Question::kWarps * Question::kWarpBytes,
                                 own + Question::kTaskBytes);
  const u32 warps = simt::block_threads() / kWarpSize;
  const u32 count = *q.other_count;
  const u32 end = count < q.end_other ? count : q.end_other;
  if (count > q.most_others) *q.fault = kOtherForm;
  u64 matched = 0;
  for (u32 i = q.first_other * kOtherParts + simt::block_index() * warps + warp;
       i < end * kOtherParts; i += simt::grid_blocks() * warps) {
    const u32 other = q.others[i / kOtherParts];
    const u32 slice = other / kSliceVectors;
    const u32 vector = other % kSliceVectors;
    const TableSlice of = q.table.slices[slice];
    const u32 behind = of.rows - vector * kVectorRows;
    const Place at{slice, vector, of.group, of.first_row + vector * kVectorRows,
                   vector_rows(of.rows, vector)};
    OtherVector columns{q, at, i / kOtherParts - q.first_other};
    const u32 first_step = i % kOtherParts * kPartSteps;
    u32 taken = 0;        // lane mask of the part's rows
    cells.forget_rows();  // the list is in no order
    PRESSO_NO_UNROLL
    for (u32 step = first_step; step < first_step + kPartSteps && step * kWarpSize < behind;
         ++step) {
      columns.chunk = step;
      columns.is_there = step * kWarpSize + simt::lane() < behind;
      u32 mask = columns.is_there ? Question::rows_that_hold(columns) & 1 : 0;
      mask = Question::take(q, columns, at, mask, cells);
      taken |= mask << (step - first_step);
      const u32 rows = simt::ballot(mask != 0);
      if (simt::lane() != 0) continue;
      if constexpr (!Question::kCountsPairs) matched += simt::popcount(rows);
      if constexpr (Question::kWantsBits) {
        q.matched_bits[(u64{slice} * kSliceVectors + vector) * kVectorSteps + step] = rows;
      }
    }
    if constexpr (Question::kNotesFirstRows) {
      columns.chunk = first_step;
      Question::note_first_rows(q, columns, taken, cells);
    }
    cells.after_vector(q);
  }
  if constexpr (Question::kCountsPairs) matched = cells.pairs;
  cells.flush(q, matched);
  flush_cell<Combine::kAdd>(q.matched, matched);
}

}  // namespace presso::gpu::code
