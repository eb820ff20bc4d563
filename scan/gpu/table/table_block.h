// SPDX-License-Identifier: MIT
// How a table lies in device memory, for kernels that read its columns while they are packed. Rows
// are taken in *slices*: what one block of a column holds, up to 65,536 rows of one row group. A
// slice has vectors of 1,024 rows, the last of which may be shorter. Trivially copyable, host and
// device.
#pragma once

#include <cstdint>

#include "format/columns/integer_layout.h"
#include "format/host_device.h"
#include "presso/bytes.h"

namespace presso::gpu {

constexpr std::uint32_t kSliceVectors = kMaxIntegerRows / kVectorRows;

struct TableSlice {
  std::uint64_t first_row = 0;  ///< in the whole table
  std::uint32_t rows = 0;
  std::uint32_t group = 0;  ///< row group, counted over the whole table
};

/// A column's rows of a slice: values, or codes of a dictionary. Blocks of integers stay as they
/// are stored, the directory of vectors first (FORMAT.md 16); they were checked when they came, so
/// that kernels need not look at bounds. Blocks that are stored otherwise lie in memory as their
/// values do.
struct TableBlock {
  const std::uint32_t* words = nullptr;     ///< nullptr: all rows are null
  const std::uint32_t* validity = nullptr;  ///< bits, stored likewise; nullptr: no nulls
  std::uint64_t divisor = 1;
  std::uint32_t rows = 0;
  Byte width_bytes = 0;  ///< 0: bits
  bool is_signed = false;
  bool floating = false;
  bool is_plain = false;           ///< values as they lie in memory
  bool is_plain_validity = false;  ///< the bits are
};

/// The blocks of each column for each slice; that of slice s and column c:
/// blocks[c * slice_count + s].
struct TableBlocks {
  const TableSlice* slices = nullptr;
  const TableBlock* blocks = nullptr;
  std::uint32_t slice_count = 0;
};

}  // namespace presso::gpu
