// SPDX-License-Identifier: MIT
// What kernels read of a table in device memory: its blocks, and what conditions ask of them. It
// includes nothing but what code that is compiled at run time may include. Trivially copyable, for
// host and device. Tests: tests/queries/one_table.txt.
#pragma once

#include <cstdint>

#include "format/columns/lane_packing.h"
#include "format/host_device.h"
#include "presso/byte.h"

namespace presso::gpu {

/// The most rows of a slice (table_block.h), in vectors.
constexpr std::uint32_t kSliceVectors = 64;
/// A task: neighbouring vectors that a warp takes one after another.
constexpr std::uint32_t kTaskVectors = 8;
constexpr std::uint32_t kSliceTasks = kSliceVectors / kTaskVectors;
/// Bytes that may be read in vain behind a block: a vector of a few rows is read as one of 1,024.
constexpr std::uint32_t kReadBehind = 65 * kLanes * 4;

struct TableSlice {
  std::uint64_t first_row = 0;  ///< in the whole table
  std::uint32_t rows = 0;
  std::uint32_t group = 0;  ///< row group, counted over the whole table
};

/// Where the packed numbers of a vector are: values base + divisor * number (ColumnForm).
struct PackedPlace {
  std::uint64_t base = 0;
  const std::uint32_t* words = nullptr;  ///< nullptr: the vector is stored otherwise
};

/// A column's rows of a slice: values, or codes of a dictionary. Blocks of integers stay as they
/// are stored, the directory of vectors first (FORMAT.md 16); they were checked when they came, so
/// that kernels need not look at bounds. Blocks that are stored otherwise lie in memory as their
/// values do.
struct TableBlock {
  const std::uint32_t* words = nullptr;     ///< nullptr: all rows are null
  const std::uint32_t* validity = nullptr;  ///< bits, stored as values are; nullptr: no nulls
  /// In tables that stay in device memory: where each vector has its numbers in the form of the
  /// column (LoadedTable::form_of()), and the bits of its rows that are not null. nullptr: such
  /// places were not made; without bits, also: no row is null.
  const PackedPlace* places = nullptr;
  const std::uint32_t* const* valid_places = nullptr;
  std::uint64_t divisor = 1;
  std::uint32_t rows = 0;
  Byte width_bytes = 0;  ///< 0: bits
  bool is_signed = false;
  bool floating = false;
  bool is_plain = false;           ///< values as they lie in memory
  bool is_plain_validity = false;  ///< the bits are
  bool is_unread = false;          ///< strings that are stored row by row: `words` has no values
};

/// Words of an entry in a block's directory (FORMAT.md 16.2).
constexpr std::uint32_t kEntryWords = 4;
PRESSO_HD constexpr std::uint32_t directory_words(const TableBlock& block) {
  return vectors_of(block.rows) * kEntryWords;
}

/// The greatest number of `width` bits, up to 64.
PRESSO_HD constexpr std::uint64_t greatest_number(std::uint32_t width) {
  return width == 0 ? 0 : ~std::uint64_t{0} >> (64 - width);
}

/// Whether base + divisor * number is within a type of integers for all numbers of `width` bits, up
/// to 64. `base`: as a number of 64 bits.
PRESSO_HD constexpr bool stays_within(Byte width_bytes, bool is_signed, std::uint64_t base,
                                      std::uint64_t divisor, std::uint32_t width) {
  if (divisor >> 32 != 0) return false;  // allow(bare-32): bits
  const std::uint64_t number = greatest_number(width);
  const bool is_wide = number >> 32 != 0;  // allow(bare-32): bits
  if (is_wide && divisor != 1 && number > ~std::uint64_t{0} / divisor) return false;
  const std::uint64_t span = number * divisor;
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

/// Values by their zone images (FORMAT.md 15.4); of dictionaries the codes.
struct ImageInterval {
  std::uint64_t least = 0;
  std::uint64_t most = 0;  ///< included
};

/// What a leaf asks of a slice: that the value lies in one of `count` intervals from `first` on, or
/// that the code's bit is set.
struct LeafRange {
  static constexpr std::uint32_t kAll = ~std::uint32_t{0};  ///< every row that is not null
  static constexpr std::uint32_t kBits = kAll - 1;  ///< `first`: where the bits begin, in words
  std::uint32_t first = 0;
  std::uint32_t count = 0;  ///< 0: no row
};

}  // namespace presso::gpu
