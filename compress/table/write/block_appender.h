// SPDX-License-Identifier: MIT
// Codes and appends the blocks of one row group, stream by stream, and enters each into the
// directory (format/columns/row_group.h explains streams and directory).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "compress/table/write/table_encoders.h"
#include "format/columns/column_block.h"
#include "format/columns/row_group.h"
#include "format/columns/zones.h"
#include "presso/column_data.h"

namespace presso {

/// Used for one row group by one thread: for each column begin_column(), and then the column's
/// streams in the order of ColumnStream. Writes to the buffer and directory that it was given; a
/// block's number is its place in the directory.
class BlockAppender {
 public:
  /// Keeps everything by reference.
  BlockAppender(RowGroup& directory, Buffer& blocks, TableEncoders& encoders)
      : directory_(directory), blocks_(blocks), encoders_(encoders) {}

  /// Enters a column into the directory; the blocks that follow belong to it.
  void begin_column(Representation representation);

  /// Appends `rows` values of `width_bytes` bytes each (0: bits) in blocks of at most
  /// kMaxBlockRows. zone_of(first_row, rows) returns the range of a block's rows.
  template <class ZoneOf>
  void integers(ColumnStream stream, const Byte* values, Byte width_bytes, bool is_signed,
                bool floating, std::uint32_t rows, const Byte* validity, ZoneOf zone_of) {
    for (std::uint32_t first = 0; first < rows;) {
      const std::uint32_t count = std::min(rows - first, kMaxBlockRows);
      const Byte* from = values + value_offset(first, width_bytes);
      integer_block(stream, from, width_bytes, is_signed, floating, count,
                    validity == nullptr ? nullptr : validity + first / 8, zone_of(first, count));
      first += count;
    }
  }
  /// Unsigned integers of 4 or 8 bytes without ranges.
  template <class T>
  void plain_integers(ColumnStream stream, std::span<const T> values) {
    integers(stream, reinterpret_cast<const Byte*>(values.data()), sizeof(T), false, false,
             static_cast<std::uint32_t>(values.size()), nullptr,
             [](std::uint32_t, std::uint32_t) { return Zone{}; });
  }

  /// Appends whole strings, up to `block_bytes` a block, or less where that costs nothing.
  /// Longer strings stand alone, in several blocks.
  void bytes(ColumnStream stream, const Byte* values, std::span<const std::int64_t> offsets);
  /// Appends one string, of at most kMaxBlockBytes, as one block.
  void single(ColumnStream stream, Bytes content);
  /// Appends packed rows, or their cuts, in blocks that end anywhere.
  void packed_rows(ColumnStream which, Bytes stream);
  /// Appends a block of packed token codes (FORMAT.md 17) for `rows` strings of `plain_bytes`
  /// bytes in all.
  void tokens(Bytes payload, std::uint32_t codes, std::uint32_t rows, std::uint32_t plain_bytes);

  /// The directory's entry of the column begun last.
  ColumnChunk& chunk() { return directory_.columns.back(); }

 private:
  /// Where a row's value begins; of bools only multiples of 8 are asked for.
  static std::size_t value_offset(std::uint32_t row, Byte width_bytes) {
    return width_bytes == 0 ? row / 8 : std::size_t{row} * width_bytes;
  }
  void integer_block(ColumnStream stream, const Byte* values, Byte width_bytes, bool is_signed,
                     bool floating, std::uint32_t rows, const Byte* validity, const Zone& zone);
  void add_entry(ColumnStream stream, std::size_t begin, std::uint32_t plain_bytes,
                 std::uint32_t rows, const Zone& zone);
  double must_save_in(ColumnStream stream) const;
  /// Each replaces a block of integers.
  bool take_planes_if_smaller(std::size_t begin, const PlaneInput& input, double must_save);
  bool take_bytes_if_smaller(std::size_t begin, Bytes values, double must_save);
  /// Block size for a column's strings.
  std::uint32_t block_bytes_of(Bytes text);
  /// One block of bytes, in the coding that is smallest.
  void append_coded(Bytes content);
  std::uint32_t next_number() const { return static_cast<std::uint32_t>(directory_.blocks.size()); }

  RowGroup& directory_;
  Buffer& blocks_;
  TableEncoders& encoders_;
  Buffer scratch_;
  /// A bit for each stream of this column for which planes and bytes have lost a trial.
  unsigned others_lost_ = 0;
};

}  // namespace presso
