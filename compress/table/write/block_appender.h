// SPDX-License-Identifier: MIT
// Appends the blocks of one row group, stream by stream, with their entries in the directory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "compress/table/write/table_encoders.h"
#include "format/columns/column_block.h"
#include "format/columns/row_group.h"
#include "presso/column_data.h"

namespace presso {

/// What is known of some rows of a column, for the blocks that hold zones.
struct Zone {
  Byte flags = 0;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::uint64_t presence = 0;
};

class BlockAppender {
 public:
  /// All are kept by reference.
  BlockAppender(RowGroup& directory, Buffer& blocks, TableEncoders& encoders)
      : directory_(directory), blocks_(blocks), encoders_(encoders) {}

  void begin_column(Representation representation);

  /// `rows` values of `width_bytes` each, 0 for bits. `zone_of(first_row, rows)`: of a block's
  /// rows.
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
  /// Unsigned integers of 4 or 8 bytes that have no zones.
  template <class T>
  void plain_integers(ColumnStream stream, std::span<const T> values) {
    integers(stream, reinterpret_cast<const Byte*>(values.data()), sizeof(T), false, false,
             static_cast<std::uint32_t>(values.size()), nullptr,
             [](std::uint32_t, std::uint32_t) { return Zone{}; });
  }

  /// Whole strings of up to `block_bytes` a block, or less where that saves nothing; longer ones
  /// alone, in several blocks.
  void bytes(ColumnStream stream, const Byte* values, std::span<const std::int64_t> offsets);
  /// One string as one block, of at most kMaxBlockBytes.
  void single(ColumnStream stream, Bytes content);
  void tokens(Bytes payload, std::uint32_t codes, std::uint32_t rows, std::uint32_t plain_bytes);

  ColumnChunk& chunk() { return directory_.columns.back(); }

 private:
  static std::size_t value_offset(std::uint32_t row, Byte width_bytes) {
    return width_bytes == 0 ? row / 8 : std::size_t{row} * width_bytes;
  }
  void integer_block(ColumnStream stream, const Byte* values, Byte width_bytes, bool is_signed,
                     bool floating, std::uint32_t rows, const Byte* validity, const Zone& zone);
  void add_entry(ColumnStream stream, std::size_t begin, std::uint32_t plain_bytes,
                 std::uint32_t rows, const Zone& zone);
  bool take_bytes_if_smaller(std::size_t begin, Bytes values, double must_save);
  std::uint32_t block_bytes_of(Bytes text);
  void append_coded(Bytes content);
  std::uint32_t next_number() const { return static_cast<std::uint32_t>(directory_.blocks.size()); }

  RowGroup& directory_;
  Buffer& blocks_;
  TableEncoders& encoders_;
  Buffer scratch_;
  unsigned bytes_lost_ = 0;  ///< a bit for each stream of this column
};

}  // namespace presso
