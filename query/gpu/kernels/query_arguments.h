// SPDX-License-Identifier: MIT
// What a generated kernel is told when it is launched: where the table lies, what its conditions
// ask of each slice, constants of the question, and where answers go. Whatever is in here may
// differ between two questions that share their code. All pointers are device memory; trivially
// copyable. Tests: tests/queries/one_table.txt.
#pragma once

#include <cstdint>

#include "query/gpu/join/lookup_arrays.h"
#include "query/gpu/kernels/table_layout.h"

namespace presso::gpu {

constexpr std::uint32_t kMostQueryColumns = 16;
constexpr std::uint32_t kMostConditionTests = 32;  // allow(bare-32): a count
constexpr std::uint32_t kMostQueryConstants = 224;
constexpr std::uint32_t kMostRowMasks = 4;
constexpr std::uint32_t kMostWrittenArrays = 16;
/// Warps that share a vector which is not usual.
constexpr std::uint32_t kOtherParts = 8;

/// The most exceptions that a usual vector of doubles or floats has (real_columns.cuh).
constexpr std::uint32_t kMostUsualExceptions = 16;
/// ColumnForm::entry of doubles and floats that lie in memory as they are.
constexpr std::uint32_t kPlainEntry = ~std::uint32_t{0};

/// The form that most vectors of a column have. Vectors of this form are *usual*: 1,024 values
/// base + divisor * number, numbers packed in one width, which is part of the code, and without
/// exceptions (FORMAT.md 16).
struct ColumnForm {
  std::uint64_t divisor = 1;  ///< below 2^32
  std::uint64_t span = 0;     ///< what the greatest number stands for above the base
  /// The kind, width and width2 that entries of usual vectors of doubles and floats have.
  std::uint32_t entry = 0;
  Byte real_bytes = 0;  ///< of doubles and floats, whose form is `entry` alone; else 0
  Byte width = 0;       ///< of a number, in bits, up to 64
  bool is_signed = false;
  bool is_read = false;      ///< the code asks for values
  bool reads_nulls = false;  ///< the code asks which rows are null
};

/// A range of values that a condition's leaf allows: number `part` of the leaf's intervals.
struct ConditionTest {
  Byte leaf = 0;
  Byte column = 0;
  Byte part = 0;
  bool is_needed = false;  ///< no row matches that this test does not hold for
};

struct QueryArguments {
  TableBlocks table;
  /// Vector v of column c and slice s is at [(c * table.slice_count + s) * slice_vectors + v].
  const PackedPlace* places = nullptr;
  const std::uint32_t* const* valid = nullptr;  ///< bits of rows that are not null; nullptr: all
  std::uint32_t slice_vectors = kSliceVectors;
  std::uint32_t first_task = 0;
  std::uint32_t end_task = 0;
  ColumnForm columns[kMostQueryColumns];
  ConditionTest tests[kMostConditionTests];
  std::int64_t constants[kMostQueryConstants] = {};

  // As in Pipeline (pipeline.h).
  const LeafRange* ranges = nullptr;
  const ImageInterval* intervals = nullptr;
  const std::uint32_t* code_bits = nullptr;
  const std::uint32_t* row_bits[kMostRowMasks] = {};
  const std::uint32_t* code_begins = nullptr;
  const std::uint32_t* code_numbers = nullptr;
  std::uint32_t row_groups = 0;
  std::uint32_t group_words = 0;
  std::uint32_t order_bits = 0;
  std::uint64_t groups = 1;
  std::uint64_t* cells = nullptr;
  std::uint64_t* matched = nullptr;
  std::uint64_t* fault = nullptr;
  std::uint32_t* matched_bits = nullptr;
  std::uint64_t* table_keys = nullptr;
  std::uint32_t table_buckets = 0;
  std::uint32_t table_probes = 0;
  std::uint64_t* rows_out = nullptr;
  std::uint64_t most_rows_out = 0;
  void* arrays_out[kMostWrittenArrays] = {};  ///< of Pipeline::output
  Lookup lookups[kMostLookups];
  std::uint32_t* marks[kMostLookups] = {};
  RowArray arrays[kMostRowArrays];  ///< with one value at least

  /// Vectors that are not usual, each slice * kSliceVectors + vector, and how many: written by the
  /// kernel of usual vectors, read by that of the others. nullptr: there must be none.
  std::uint32_t* others = nullptr;
  std::uint32_t* other_count = nullptr;
  /// How many tasks warps have taken.
  std::uint32_t* tasks_taken = nullptr;
  /// Which of them a launch is for: their columns have been decoded (decode_others.cuh), values of
  /// 64 bits. Row r of column c of vector first_other + i is
  /// decoded[(i * column_count + c) * kVectorRows + r]; bit r % 32 of
  /// decoded_valid[(i * column_count + c) * kLanes + r / 32] says that it is not null.
  std::uint64_t* decoded = nullptr;
  std::uint32_t* decoded_valid = nullptr;
  std::uint32_t most_others = 0;  ///< that there can be
  std::uint32_t first_other = 0;
  std::uint32_t end_other = 0;
  std::uint32_t column_count = 0;
};

}  // namespace presso::gpu
