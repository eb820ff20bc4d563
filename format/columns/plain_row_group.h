// SPDX-License-Identifier: MIT
// Makes a row group (FORMAT.md 15.3) at the speed of memory: every block is raw, so numbers lie as
// in memory, and strings get a dictionary or lie one after another. This is the form of tables that
// one query leaves to the next, which are read once or twice and then dropped, and of packed rows
// after they were read; compress/table is for tables that are kept. Tested by
// tests/unit/query/kept/kept_rows_test.cpp.
#pragma once

#include <span>
#include <utility>

#include "format/columns/row_group.h"
#include "format/columns/string_dictionary.h"
#include "format/columns/zones.h"
#include "presso/column_data.h"

namespace presso {

/// One row group of at most kMaxGroupRows rows, to which columns are added in the schema's order.
class PlainRowGroup {
 public:
  explicit PlainRowGroup(std::uint32_t rows) { directory_.rows = rows; }
  /// Begins with columns that are stored already, to which others are added.
  PlainRowGroup(RowGroup directory, Buffer blocks)
      : directory_(std::move(directory)), blocks_(std::move(blocks)) {}

  /// Copies a column, which has as many rows as the group and at most 4 GiB of strings. With
  /// `try_dictionary`, strings get a dictionary if they repeat, which takes about 10 ns a row.
  /// Returns false if they were tried and did not repeat.
  bool add(const ColumnView& column, bool try_dictionary);
  /// Adds a column of the type int64 that counts from `first`.
  void add_numbers(std::int64_t first);
  /// Adds a column that is stored already, whose blocks are those of the group that this one began
  /// with.
  void add_stored(const ColumnChunk& column) { directory_.columns.push_back(column); }
  /// Adds the pseudo column of exact lines. `lines`: a string for each row and for what follows the
  /// last row, null where there is none.
  void add_exact_lines(const ColumnView& lines);

  const RowGroup& directory() const { return directory_; }
  Bytes blocks() const { return blocks_.bytes(); }
  RowGroup take_directory() { return std::move(directory_); }
  Buffer take_blocks() { return std::move(blocks_); }

 private:
  void begin_column(Representation representation);
  void add_strings(const ColumnView& column);
  void add_string_bytes(const Byte* values, std::span<const std::int64_t> offsets);
  void add_dictionary(const ColumnView& column, const StringDictionary& dictionary);
  template <class ZoneOf>
  void add_integers(ColumnStream stream, const Byte* values, Byte width_bytes, std::uint32_t count,
                    ZoneOf zone_of);
  void add_bytes(Bytes bytes, ColumnStream stream, std::uint32_t rows);
  void add_block(ColumnStream stream, Bytes plain, std::uint32_t rows, const Zone& zone);
  ColumnChunk& chunk() { return directory_.columns.back(); }

  RowGroup directory_;
  Buffer blocks_;
};

}  // namespace presso
