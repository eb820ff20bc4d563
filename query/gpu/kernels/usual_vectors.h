// SPDX-License-Identifier: MIT
// Arguments of the kernels that find the usual vectors of columns and that bring others to the same
// form (usual_vectors.cuh). All pointers are device memory; trivially copyable, for host and
// device. Tests: tests/simt/usual_vectors_test.cpp.
#pragma once

#include "query/gpu/kernels/query_arguments.h"

namespace presso::gpu {

/// Words that are shared by all vectors whose rows have the same number or the same bit: zeros, as
/// many as a vector of the widest numbers has, and behind them a vector of bits that are set.
struct SameRows {
  static constexpr std::uint32_t kZeros = 65 * kLanes;
  static constexpr std::uint32_t kWords = kZeros + kLanes;
  std::uint32_t* zeros = nullptr;

  PRESSO_HD constexpr const std::uint32_t* ones() const { return zeros + kZeros; }
};

/// How many vectors have no place.
struct OddVectors {
  std::uint32_t listed = 0;
  std::uint32_t of_values = 0;  ///< vectors without a place of their values
  std::uint32_t of_bits = 0;    ///< vectors without one of the bits of rows that are not null
};

/// Finds where the usual vectors of columns are. Column c is `columns[c]`, in the blocks from
/// [c * table.slice_count] on; its vector v of slice s goes to
/// [(c * table.slice_count + s) * slice_vectors + v] of the arrays.
struct VectorFinding {
  TableBlocks table;
  std::uint32_t column_count = 0;
  std::uint32_t slice_vectors = kSliceVectors;  ///< that a slice has, at most
  ColumnForm columns[kMostQueryColumns];
  SameRows same;  ///< filled by the kernel
  PackedPlace* places = nullptr;
  const std::uint32_t** valid = nullptr;  ///< nullptr: no column has nulls
  /// Vectors without a place are listed: slice * kSliceVectors + vector. nullptr: nobody asks.
  std::uint32_t* listed = nullptr;
  OddVectors* odd = nullptr;  ///< added to
};

/// One column's vectors that are brought to its form.
struct VectorPacking {
  TableBlocks table;  ///< `blocks`: those of the column
  ColumnForm form;
  SameRows same;
  /// Bits that the numbers of each vector need (measure_vectors_body()), or kNoWidth.
  static constexpr Byte kNoWidth = 0xFF;
  Byte* widths = nullptr;
  // The vectors that are packed, and where they go:
  const std::uint32_t* listed = nullptr;
  std::uint32_t count = 0;
  std::uint32_t* room = nullptr;      ///< vector_words() words for each of OddVectors::of_values
  std::uint32_t* bit_room = nullptr;  ///< kLanes words for each of OddVectors::of_bits
  OddVectors* taken = nullptr;        ///< how many places of each have been taken; added to
  PackedPlace* places = nullptr;
  const std::uint32_t** valid = nullptr;  ///< nullptr: the column has no nulls

  PRESSO_HD constexpr std::uint32_t vector_words() const { return form.width * kLanes; }
};

}  // namespace presso::gpu
