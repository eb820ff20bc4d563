// SPDX-License-Identifier: MIT
// Reading tables (FORMAT.md 15): whole columns or some rows of them, and the text that they were
// made from, or another form of it. Conditions and computations are the business of presso/query.h.
// Sources, as docs/sources.md numbers them: S1.4, S7.24, L1. Tested by tests/unit/decompress/table
// and tests/differential/table_round_trip_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "presso/column_data.h"
#include "presso/decompress.h"
#include "presso/table_schema.h"

namespace presso {

class KeptDirectories;
class TableIndex;
class UnpackedGroups;

/// What the directory of a row group says about a column, known without reading the column.
struct ColumnSummary {
  std::uint32_t nulls = 0;
  /// Whether `least` and `most` are known: the least and greatest value as zone images (FORMAT.md
  /// 15.4), which are numbers of 64 bits in the order of the values. NaNs are left out.
  bool has_zone = false;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

/// Place and size of a row group. `first_row` counts through the whole table.
struct RowGroupSummary {
  std::uint64_t first_row = 0;
  std::uint32_t rows = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t stored_bytes = 0;
};

/// How a column is stored, summed over the row groups.
struct ColumnStorage {
  std::uint64_t nulls = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t most_distinct = 0;  ///< of the dictionaries; 0: no row group has one
  std::uint64_t plain_groups = 0;   ///< row groups in which it is stored as plain values
  std::uint64_t dictionary_groups = 0;
  std::uint64_t token_groups = 0;
  std::uint64_t bytes_groups = 0;
  std::uint64_t packed_groups = 0;  ///< its text stands beside that of other columns
  /// The range of its values in the packed row groups, of which the index knows none.
  ColumnSummary packed_range;
};

/// A table opened for random access. Thread-safe after opening. Copies share the index. `file` is
/// kept by reference and must outlive all copies.
class Table {
 public:
  /// Errors: kContent for a file of bytes, kNotPresso, those of the frames with their offsets.
  static Result<Table> open(const RandomAccess& file, const DecodeOptions& options = {});

  const TableSchema& schema() const;
  const Metadata& metadata() const;
  std::uint64_t rows() const;
  std::uint64_t row_groups() const;
  RowGroupSummary row_group(std::uint64_t group) const;
  ColumnSummary column(std::uint64_t group, std::size_t column) const;
  std::uint64_t members() const;
  /// Bytes of the exact text in UTF-8, heads included; 0 if the table is not exact.
  std::uint64_t text_bytes() const;
  std::uint64_t text_lines() const;
  /// Whether the index was damaged or missing and was made from the directories.
  bool rebuilt() const;
  /// Whether the file ends too early, so that rows at its end are missing.
  bool cut_off() const;
  /// Returns a table of the row groups `first` to `end` - 1 only, counted from 0 in it.
  /// RowGroupSummary::first_row, and rows in messages, remain those of the whole table.
  /// kInvalidArgument if these row groups do not exist.
  Result<Table> part(std::uint64_t first, std::uint64_t end) const;
  /// Returns the same rows with other columns, without copying any. Its text cannot be given back.
  /// kInvalidArgument for a value that is not of its column's type.
  Result<Table> arranged(std::vector<ArrangedColumn> columns) const;
  /// Returns the number of the column with this name, or nullopt.
  std::optional<std::size_t> find_column(std::string_view name) const;

  /// Reads rows [first, first + rows) of a row group for these columns. Reads the row group's
  /// directory and the blocks that hold the rows, nothing else. kInvalidArgument if group, columns
  /// or rows do not exist.
  Result<std::vector<ColumnData>> read(std::uint64_t group, std::span<const std::size_t> columns,
                                       std::uint32_t first, std::uint32_t rows) const;
  /// Reads the directories of all row groups, and those that are packed as a whole, and adds up how
  /// each column is stored. The blocks of packed rows count for the first of their columns.
  Result<std::vector<ColumnStorage>> storage() const;

 private:
  friend struct TableAccess;  ///< decompress/table/group_reader.h
  Table(const RandomAccess& file, std::shared_ptr<const TableIndex> index,
        const DecodeOptions& options);

  const RandomAccess* file_;
  std::shared_ptr<const TableIndex> index_;
  DecodeOptions options_;
  std::shared_ptr<KeptDirectories> directories_;  ///< of a query that opens row groups often
  std::shared_ptr<UnpackedGroups> unpacked_;
};

/// Which rows and columns are written as text, and how.
struct RowsOptions {
  std::vector<std::size_t> columns;  ///< empty: all
  std::uint64_t first_row = 0;
  std::uint64_t rows = ~std::uint64_t{0};  ///< fewer at the table's end
  TextForm form;                           ///< its head is not used
  bool header = true;                      ///< delimited text: a line with the names
  unsigned threads = 0;                    ///< 0: all
};

/// Writes rows as text. Lines that an exact table stores as text (because their values do not print
/// back to the same bytes) are written from their values, too. kInvalidArgument for columns or rows
/// that the table does not have.
Status write_rows(const Table& table, const RowsOptions& options, ByteSink& sink);

/// Whether a file that begins with these bytes, at least 12 of them, is a table.
bool begins_table(Bytes begun);

/// Writes the text that a table was made from, byte for byte; if it was not kept exactly, rows as
/// they would be written. Row groups are decoded on all threads. Unless DecodeOptions::verify is
/// off, every block is compared with its checksum, and so is the text of each row group if the
/// table keeps its text exactly. Errors carry the offset in `source`. With salvage, row groups with
/// damage in a block are left out and reported; after damage to a directory nothing more is found.
/// DecompressSummary::blocks counts row groups and, for each member, its beginning.
Result<DecompressSummary> decompress_table(ByteSource& source, ByteSink& sink,
                                           const DecompressOptions& options = {});

/// Returns the text of a table as a source. One row group after another is decoded on the reader's
/// thread. `table` is kept by reference.
std::unique_ptr<ByteSource> table_text(ByteSource& table, const DecodeOptions& options = {});

}  // namespace presso
