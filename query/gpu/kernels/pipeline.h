// SPDX-License-Identifier: MIT
// A query as a kernel runs it (the shape of Crystal's kernels, Shanbhag 2020; S4.14 in
// docs/sources.md): conditions that packed columns answer; a short program over the rows that are
// left, which also joins them to rows of other tables; and the use of its values, in groups, rows
// or sums. All arrays are device memory; trivially copyable. Made by
// query/gpu/table/pipeline_builder.h; query/gpu/code/kernel_source.h writes the code that runs it.
// Tests: tests/queries/one_table.txt.
#pragma once

#include <cstdint>

#include "query/gpu/join/lookup.h"
#include "query/gpu/join/lookup_arrays.h"
#include "query/gpu/kernels/real_operations.h"
#include "query/gpu/kernels/result_words.h"
#include "query/gpu/kernels/table_block.h"

namespace presso::gpu {

constexpr std::uint32_t kMostPipelineColumns = 16;
constexpr std::uint32_t kMostPipelineSteps = 96;
constexpr std::uint32_t kMostConditionSteps = 48;
constexpr std::uint32_t kMostPipelineCells = 24;
constexpr std::uint32_t kMostRowBits = 4;
/// Of Pipeline::row_bits: where a kernel that another one goes before finds the rows that it left.
constexpr Byte kBitsBefore = kMostRowBits - 1;

// --- conditions

struct ConditionStep {
  enum class Kind : Byte {
    kValues,   ///< pushes the rows of `column` that `leaf` has
    kNull,     ///< pushes the rows where `column` is null
    kNotNull,  ///< pushes the others
    kRows,     ///< pushes the rows that have a bit in Pipeline::row_bits[leaf]
    kNoRows,   ///< pushes the others
    kTrue,
    kFalse,
    kAnd,  ///< of the last two
    kOr,
    kKeep,  ///< what was pushed must hold
  };
  Kind kind = Kind::kTrue;
  Byte column = 0;
  Byte leaf = 0;
};

// --- programs

/// Where a value of each row is: narrow registers have signed numbers of 32 bits, wide ones of 64.
/// Truth is 0 or 1. Each is written by one step.
struct RegisterPlace {
  static constexpr Byte kWide = 0x80;
  Byte bits = 0;  ///< its number, and kWide

  PRESSO_HD constexpr bool is_wide() const { return (bits & kWide) != 0; }
};

struct PipelineStep {
  enum class Kind : Byte {
    kLoad,      ///< to = value of `column`, of doubles and floats their bits; nulls: `constant`
    kLoadCode,  ///< the same, and the code's number for the whole table in its place
    kRow,       ///< to = the row's number in all tables
    kConstant,  ///< to = `constant`
    kAdd,
    kSubtract,
    kMultiply,
    kEqual,
    kNotEqual,
    kLess,
    kLessEqual,
    kNot,     ///< of a
    kReal,    ///< to = the RealOperation `column` of doubles
    kFilter,  ///< rows with a == 0 are dropped
    // Joins; `column` is the number of a lookup, whose keys `a` is asked for.
    kFind,        ///< to = the build row, one after another; rows without one are dropped
    kFindAny,     ///< rows without one are dropped
    kFindNone,    ///< rows that have one are dropped
    kFindOrNone,  ///< to = the build row, one after another, or kNoRow where there is none
    // Of pairs, after kFind or kFindOrNone: `a` is the build row, `b` whether they belong together.
    kCheckAny,     ///< a row is left with the first pair that does; others are dropped
    kCheckNone,    ///< a row is left, once, if none of its pairs does
    kCheckOrNone,  ///< to = the build row of a pair that does, or once kNoRow if none does
    kMark,         ///< build row `a`, where there is one, gets its bit in Pipeline::marks
    kMarkOnly,     ///< the same, and all rows are dropped
    kGather,       ///< to = that of row `a` in array `column`; where there is none: `constant`
    kGroup,  ///< to = the group of key `a` in the table of groups, of which it may be the first
  };
  Kind kind = Kind::kLoad;
  RegisterPlace to;
  RegisterPlace a;
  RegisterPlace b;
  Byte column = 0;
  bool a_is_constant = false;  ///< `constant` in its place; of b, too
  bool b_is_constant = false;  ///< kLoad: the constant are a NaN's bits, for no value
  std::int64_t constant = 0;
};

// --- what comes of it

/// What a cell takes of a double, whose bits are in a wide register, and of integers of which there
/// may be too many for sums in two cells (sum_limits.h).
enum class RealPart : Byte {
  kNone,      ///< all of an integer, or what the cell's kind says
  kLimb,      ///< of kSum: 32 bits of its number of units, from bit 32 * `column` on, signed
  kSpecials,  ///< of kSum: kSpecialPlus and kSpecialMinus; sees whether `column` limbs hold it
  kOrder,     ///< of kMin and kMax: a number in the order of doubles
  // Of kSum, for up to SumLimits::most rows:
  kShortLimb,    ///< 16 bits of its number of units, from bit 16 * `column` on, signed
  kPlus,         ///< 1 of +inf and NaN
  kMinus,        ///< 1 of -inf and NaN; sees whether `column` short limbs hold it
  kIntegerBits,  ///< 16 bits of an integer, from bit 16 * `column` on, not signed
  kIntegerTop,   ///< what is from there on, signed
};

/// One 64-bit cell of a group.
struct PipelineCell {
  enum class Kind : Byte {
    kCount,    ///< of rows
    kSum,      ///< modulo 2^64
    kSumLow,   ///< of the low 32 bits
    kSumHigh,  ///< of what is above them, signed
    kMin,      ///< of zone images
    kMax,
  };
  Kind kind = Kind::kCount;
  RegisterPlace from;
  Byte column = 0;  ///< GroupPlace::kColumns: whose values are added up
  RealPart part = RealPart::kNone;
  std::uint16_t valid_columns = 0;  ///< bits of columns that must not be null
  bool has_valid = false;           ///< and `valid` must not be 0
  RegisterPlace valid;
  std::int16_t unit = 0;  ///< of doubles: 2^unit
  /// Sums of integers: each value has at most so many bits and is not negative; 0: not known.
  Byte bits = 0;
};

/// What a row that is left writes to an array.
struct RowOutput {
  RegisterPlace from;
  RowArray to;
};

/// What becomes of the rows that are left. Code that is written for a pipeline keeps few groups of
/// kDevice in registers or shared memory while it runs.
enum class GroupPlace : Byte {
  kNone,     ///< no groups: rows are counted, and told by their bits
  kColumns,  ///< no groups, but sums of columns as they are
  kDevice,   ///< groups by their numbers, or all rows as one
  kTable,    ///< groups, found by their keys
  kParts,    ///< rows are written, and groups made of them part by part (group_parts.h)
  kRows,     ///< no groups: rows are written, in any order
};

struct Pipeline {
  TableBlocks table;
  Byte columns = 0;
  Byte condition_steps = 0;
  Byte steps = 0;
  Byte cells = 0;
  Byte outputs = 0;              ///< of kRows and kParts
  RegisterPlace group_register;  ///< narrow; of kParts the key, of any width
  /// Groups are in the order of their first rows, and where build sides have several rows of a key,
  /// of these: their number, in so many bits behind that of the row; wide.
  RegisterPlace order_register;
  Byte order_bits = 0;      ///< kWholeOrder: the register has all of the number
  bool has_groups = false;  ///< else all rows are one, and its first row is not asked for
  GroupPlace place = GroupPlace::kNone;
  std::uint16_t nullable_columns = 0;  ///< whose validity the program or cells ask for
  std::uint16_t program_columns = 0;   ///< that the program loads, or cells add up
  std::uint16_t early_columns = 0;     ///< read before it is known whether any row is left
  ConditionStep conditions[kMostConditionSteps];
  PipelineStep program[kMostPipelineSteps];
  PipelineCell cell[kMostPipelineCells];
  Lookup lookups[kMostLookups];
  std::uint32_t* marks[kMostLookups] = {};  ///< bits of build rows that have found a partner
  RowArray arrays[kMostRowArrays];
  RowOutput output[kMostRowArrays];

  // Of leaves; those of leaf l and slice s: ranges[l * table.slice_count + s].
  const LeafRange* ranges = nullptr;
  const ImageInterval* intervals = nullptr;
  const std::uint32_t* code_bits = nullptr;
  /// Of leaf l: 32 words a vector, kSliceVectors vectors a slice.
  const std::uint32_t* row_bits[kMostRowBits] = {};
  /// Of kLoadCode: numbers of row group g's codes of column c from
  /// code_numbers[code_begins[c * row_groups + g]] on, where kCodesAreNumbers may be set.
  const std::uint32_t* code_begins = nullptr;
  const std::uint32_t* code_numbers = nullptr;
  std::uint32_t row_groups = 0;
  /// Which of the table's tasks a launch is for.
  std::uint32_t first_task = 0;
  std::uint32_t end_task = ~std::uint32_t{0};

  std::uint64_t groups = 1;
  /// Of kTable: groups are places of buckets; the one behind all others is that of kNoKey.
  std::uint32_t table_buckets = 0;
  std::uint32_t table_probes = 0;       ///< buckets that a key may look at before the table is full
  std::uint64_t* table_keys = nullptr;  ///< kBucketKeys of each bucket
  /// Of group g from [g * group_words] on, so that a row finds all in one place: its first row, its
  /// cells.
  std::uint32_t group_words = 0;
  std::uint64_t* cells_out = nullptr;
  std::uint64_t* matched = nullptr;       ///< rows, added to
  std::uint64_t* rows_out = nullptr;      ///< of outputs: that have their places in the arrays
  std::uint64_t* fault = nullptr;         ///< what made the cells useless: one of those below
  std::uint64_t most_rows_out = 0;        ///< of outputs: what arrays have room for
  std::uint32_t* matched_bits = nullptr;  ///< as row_bits; nullptr: not wanted
};

constexpr Byte kWholeOrder = 64;
constexpr std::uint32_t kGroupCells = 1;  ///< in front of `cell`: the first row

PRESSO_HD constexpr std::uint64_t initial_cell(PipelineCell::Kind kind) {
  return kind == PipelineCell::Kind::kMin ? ~std::uint64_t{0} : 0;
}

/// The groups of [begin, end) that have rows, one behind another in any order: first row, `cell`,
/// and the number, of a table the key.
struct GroupList {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t* records = nullptr;
  std::uint64_t* count = nullptr;  ///< added to
};

/// Bits of a pipeline's columns.
struct ColumnsRead {
  std::uint32_t values = 0;  ///< whose values are read
  std::uint32_t nulls = 0;   ///< of which it may be asked which rows are null
};

/// What the code reads for a pipeline. Rows of columns of strings may be told by bits that another
/// kernel has made.
constexpr ColumnsRead columns_read(const Pipeline& pipeline) {
  ColumnsRead read;
  read.values = pipeline.program_columns;
  // Conditions on values and cells that add up columns pass over nulls.
  read.nulls = pipeline.nullable_columns | std::uint32_t{pipeline.program_columns};
  for (std::uint32_t i = 0; i < pipeline.condition_steps; ++i) {
    const ConditionStep& step = pipeline.conditions[i];
    const bool is_values = step.kind == ConditionStep::Kind::kValues;
    const bool is_null =
        step.kind == ConditionStep::Kind::kNull || step.kind == ConditionStep::Kind::kNotNull;
    if (is_values) read.values |= 1u << step.column;
    if (is_values || is_null) read.nulls |= 1u << step.column;
  }
  return read;
}

/// How many places a table of groups has; 0 without one.
PRESSO_HD constexpr std::uint64_t table_places(const Pipeline& pipeline) {
  return std::uint64_t{pipeline.table_buckets} * kBucketKeys;
}

/// Device memory for all groups, and their keys.
PRESSO_HD constexpr std::uint64_t group_bytes(const Pipeline& pipeline) {
  const std::uint64_t words = table_places(pipeline) + pipeline.groups * pipeline.group_words;
  return words * sizeof(std::uint64_t);
}

/// For the cells that there are.
constexpr void set_group_words(Pipeline& pipeline) {
  const std::uint32_t words = kGroupCells + pipeline.cells;
  // Two and four words lie in one sector of memory.
  pipeline.group_words = words == 3 ? words + 1 : words;
}

PRESSO_HD constexpr std::uint32_t record_words(const Pipeline& pipeline) {
  return kGroupCells + pipeline.cells + 1u;
}

}  // namespace presso::gpu
