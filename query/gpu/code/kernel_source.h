// SPDX-License-Identifier: MIT
// The source of the kernels that answer one shape of question: C++ against query_kernel.cuh, with
// the widths of columns, the steps of the program, and the kinds of cells as constants. Constants
// of the question, the table's size and its blocks are arguments (query_arguments.h), so that other
// questions of the same shape share the code (Funke and Teubner, 2020, compile queries for GPUs in
// such a way; S4.14 in docs/sources.md). Host code that knows no device.
// Tests: tests/unit/query/gpu/kernel_source_test.cpp, tests/queries/one_table.txt, joins.txt.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "presso/error.h"
#include "query/gpu/kernels/pipeline.h"
#include "query/gpu/kernels/query_arguments.h"

namespace presso::gpu {

/// What cannot be compiled is left to the CPU, for this reason.
inline Error not_compiled(std::string why) {
  return make_error(ErrorCode::kUnsupported, std::move(why));
}

/// A dictionary of up to 2^kMostMappedBits codes: their names, a byte each, fit into two registers.
inline constexpr unsigned kMostMappedBits = 3;

/// How usual vectors of doubles and floats are stored (FORMAT.md 16.2).
enum class RealForm : Byte {
  kPlain,   ///< values as they lie in memory
  kPacked,  ///< their bits, packed
  kAlp,     ///< doubles as packed decimal numbers
  kAlpRd,   ///< doubles in two parts
};

/// What the code has to know of a column.
struct ColumnShape {
  Byte width = 0;          ///< of usual vectors, in bits: 0 to 64
  bool has_nulls = false;  ///< some row of the table may be null
  /// Bytes of a double or float; 0: the column is none of these, or has nulls alone.
  Byte real_bytes = 0;
  RealForm real_form = RealForm::kPlain;
  Byte width2 = 0;  ///< of kAlpRd
  /// The codes of its dictionaries are what they are called in the whole table.
  bool codes_are_numbers = false;
  /// What they are called there fits into a byte each, and there are at most 2^kMostMappedBits.
  bool has_few_codes = false;
  bool is_read = false;  ///< its values are, of which the above tells
};

/// What the code has to know of a leaf of the conditions.
struct LeafShape {
  Byte intervals = 1;     ///< that a slice has, at most
  bool has_bits = false;  ///< codes are looked up; then there are no intervals
  bool is_any = false;    ///< both, or many intervals: the code asks each slice
};

/// What a pipeline is compiled for.
struct QueryShape {
  std::vector<ColumnShape> columns;
  std::vector<LeafShape> leaves;
  bool has_others = true;  ///< some vector may not be usual
  /// The shared memory that a thread block may have.
  std::uint32_t most_shared_bytes = 0;
};

/// The source of both kernels, and what their launches have to be told.
struct KernelSource {
  std::string text;
  std::uint32_t threads = 0;  ///< of a thread block
  std::uint32_t shared_bytes = 0;
  std::vector<ConditionTest> tests;
  std::vector<std::int64_t> constants;
};

/// Names of the two kernels (query_kernel.cuh), the second for tables that have other vectors.
inline constexpr const char* kUsualKernel = "presso_usual";
inline constexpr const char* kOthersKernel = "presso_others";

/// Writes the source for a pipeline whose place for groups has been chosen, and whose build sides
/// are there: forms of lookups, whether they have chains, and widths of arrays are part of the
/// code, what is in them is not. kUnsupported, with what it is, where the pipeline has a step that
/// is not compiled.
Result<KernelSource> source_of(const Pipeline& pipeline, const QueryShape& shape);

}  // namespace presso::gpu
