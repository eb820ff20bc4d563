// SPDX-License-Identifier: MIT
// The bits of rows that string kernels have found, and where they go. Kernels write bits block by
// block, while queries want them slice by slice (up to 65,536 rows); the two differ because a block
// of tokens ends when it is full, in the middle of a slice. row_bits.cuh moves them. Trivially
// copyable, for host and device. Tests: tests/simt/row_bits_test.cpp.
#pragma once

#include <cstdint>

namespace presso::gpu {

/// A block's bits: rows [first_row, first_row + rows) of its row group.
struct BitSource {
  std::uint32_t* bits = nullptr;  ///< row_words(rows)
  std::uint32_t first_row = 0;
  std::uint32_t rows = 0;
  std::uint32_t first_slice = 0;
  std::uint32_t end_slice = 0;  ///< those of its row group, in order
};

/// A slice: rows [first_row, first_row + rows) of its row group.
struct BitSlice {
  std::uint32_t first_source = 0;
  std::uint32_t end_source = 0;  ///< those that have its rows, in order; none: no row has a bit
  std::uint32_t first_row = 0;
  std::uint32_t rows = 0;
};

/// All pointers are to device memory.
struct RowBits {
  const BitSource* sources = nullptr;
  const BitSlice* slices = nullptr;
  std::uint32_t count = 0;  ///< of slices
  std::uint32_t source_count = 0;
  bool negated = false;  ///< rows that have no bit get one; not of slices without sources
  /// As Pipeline::row_bits: kVectorSteps words a vector, kSliceVectors vectors a slice, of which
  /// those are written that have rows.
  std::uint32_t* to = nullptr;
  /// The rows that may get a bit, in the form of `to`; nullptr: all rows.
  const std::uint32_t* left = nullptr;
};

}  // namespace presso::gpu
