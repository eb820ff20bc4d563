// SPDX-License-Identifier: MIT
// Reading tables (FORMAT.md 15): whole columns or some rows of them, and the text that they were
// made from or another form of it. Sources: S1.4, S7.24, L1.
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

/// What is known of a column in a row group without reading it.
struct ColumnSummary {
  std::uint32_t nulls = 0;
  /// Least and greatest value as zone images (FORMAT.md 15.4), where `has_zone`; NaNs are left out.
  bool has_zone = false;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

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
  std::uint64_t most_distinct = 0;  ///< of the dictionaries; 0: none
  std::uint64_t plain_groups = 0;   ///< row groups by representation
  std::uint64_t dictionary_groups = 0;
  std::uint64_t token_groups = 0;
  std::uint64_t bytes_groups = 0;
};

/// A table opened for random access. Thread-safe after open. `file` is kept by reference.
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
  /// Of the exact text, heads included; 0 where it is not exact.
  std::uint64_t text_bytes() const;
  std::uint64_t text_lines() const;
  /// The index was damaged or missing, and was made from the directories.
  bool rebuilt() const;
  /// The file ends too early: rows at its end are missing.
  bool cut_off() const;
  /// The row groups from `first` to `end` - 1 alone, as a table of which they are all, counted from
  /// 0; RowGroupSummary::first_row and rows in messages are those of the whole table.
  /// kInvalidArgument where there are none such.
  Result<Table> part(std::uint64_t first, std::uint64_t end) const;
  /// By name; nullopt where there is none.
  std::optional<std::size_t> find_column(std::string_view name) const;

  /// Rows [first, first + rows) of a row group, of these columns: reads the row group's directory
  /// and the blocks that hold them, nothing else. kInvalidArgument where there are none such.
  Result<std::vector<ColumnData>> read(std::uint64_t group, std::span<const std::size_t> columns,
                                       std::uint32_t first, std::uint32_t rows) const;
  /// Reads all directories.
  Result<std::vector<ColumnStorage>> storage() const;

 private:
  friend struct TableAccess;  ///< decompress/table/group_reader.h
  Table(const RandomAccess& file, std::shared_ptr<const TableIndex> index,
        const DecodeOptions& options)
      : file_(&file), index_(std::move(index)), options_(options) {}

  const RandomAccess* file_;
  std::shared_ptr<const TableIndex> index_;
  DecodeOptions options_;
  std::shared_ptr<KeptDirectories> directories_;  ///< of a query that opens row groups often
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

/// Writes rows as text; lines that were stored as they stood are written from their values, too.
/// kInvalidArgument for columns or rows that the table has not.
Status write_rows(const Table& table, const RowsOptions& options, ByteSink& sink);

/// Whether the bytes begin a table (at least 12 of them).
bool begins_table(Bytes begun);

/// Writes the text that a table was made from, byte for byte; where it was not kept exactly, rows
/// as they would be written. Row groups are decoded on all threads; every block is compared with
/// its checksum, and the text of each row group with its own. Errors carry the offset in `source`.
/// With salvage, row groups that have damage in a block are left out and reported; after damage to
/// a directory nothing more is found. DecompressSummary::blocks counts row groups.
Result<DecompressSummary> decompress_table(ByteSource& source, ByteSink& sink,
                                           const DecompressOptions& options = {});

/// The same as a source that is read: decodes one row group after another on the reader's thread.
std::unique_ptr<ByteSource> table_text(ByteSource& table, const DecodeOptions& options = {});

}  // namespace presso
