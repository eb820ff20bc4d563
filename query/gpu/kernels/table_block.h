// SPDX-License-Identifier: MIT
// The layout of a table in device memory for kernels that read its columns in packed form. Rows are
// handled in *slices*: the rows of one block of a column, up to 65,536 rows of one row group. A
// slice has vectors of 1,024 rows, the last of which may be shorter. Trivially copyable, for host
// and device. Tests: tests/queries/one_table.txt.
#pragma once

#include <cstdint>

#include "format/columns/integer_layout.h"
#include "format/host_device.h"
#include "presso/bytes.h"

namespace presso::gpu {

constexpr std::uint32_t kSliceVectors = kMaxIntegerRows / kVectorRows;
/// A task: neighbouring vectors that a warp takes one after another.
constexpr std::uint32_t kTaskVectors = 8;
constexpr std::uint32_t kSliceTasks = kSliceVectors / kTaskVectors;

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

/// Whether base + divisor * number is within a type of integers for all numbers of `width` bits, up
/// to 32. `base`: as a number of 64 bits.
PRESSO_HD constexpr bool stays_within(Byte width_bytes, bool is_signed, std::uint64_t base,
                                      std::uint64_t divisor, std::uint32_t width) {
  if (divisor >> 32 != 0) return false;  // allow(bare-32): bits
  const std::uint64_t span = ((std::uint64_t{1} << width) - 1) * divisor;
  const std::uint64_t greatest = ~std::uint64_t{0} >> (64 - 8 * width_bytes + (is_signed ? 1 : 0));
  return span <= greatest - base;
}

/// A value of a column as a number of 64 bits, from its own bits.
PRESSO_HD constexpr std::uint64_t widened(std::uint64_t value, Byte width_bytes, bool is_signed) {
  if (width_bytes == 8) return value;
  const std::uint32_t unused = 64 - 8 * std::uint32_t{width_bytes};
  const std::uint64_t top = value << unused;
  return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(top) >> unused)
                   : top >> unused;
}

/// The blocks of each column for each slice; that of slice s and column c:
/// blocks[c * slice_count + s].
struct TableBlocks {
  const TableSlice* slices = nullptr;
  const TableBlock* blocks = nullptr;
  std::uint32_t slice_count = 0;

  PRESSO_HD constexpr std::uint32_t tasks() const { return slice_count * kSliceTasks; }
};

}  // namespace presso::gpu
