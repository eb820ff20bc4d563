// SPDX-License-Identifier: MIT
// Describes where bits of rows were found, block by block, and where the slices of a table have
// them. The two differ because a block of tokens ends when it is full, in the middle of a slice.
// Trivially copyable, for host and device.
#pragma once

#include <cstdint>

namespace presso::gpu {

/// A block's bits: rows [first_row, first_row + rows) of its row group.
struct BitSource {
  const std::uint32_t* bits = nullptr;  ///< row_words(rows)
  std::uint32_t first_row = 0;
  std::uint32_t rows = 0;
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
  bool negated = false;     ///< rows that have no bit get one; not of slices without sources
  /// As Pipeline::row_bits: kVectorSteps words a vector, kSliceVectors vectors a slice, of which
  /// those are written that have rows.
  std::uint32_t* to = nullptr;
};

}  // namespace presso::gpu
