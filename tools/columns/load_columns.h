// SPDX-License-Identifier: MIT
// A table of presso from a file of columns (Parquet, Arrow), and the facts about it. Tested by
// tests/cli/test_parquet.py and tests/cli/test_arrow_files.py.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "presso/compress_table.h"
#include "tools/io/column_file.h"

namespace presso::cli {

/// Whether a file that begins with these bytes, eight of them or all, is such a file.
bool begins_columns(Bytes begun);
/// Opens a file for which begins_columns() is true; it is kept by reference.
Result<std::unique_ptr<ColumnFile>> open_columns(const RandomAccess& file);
/// The ending of a name, as ".parquet", that promises such a file; empty: it promises none.
std::string_view column_suffix(std::string_view name);
/// Error kInvalidArgument for a name that promises a file of columns.
Status check_promise(const std::string& name);

/// How a file is loaded.
struct ColumnLoad {
  CompressOptions compress;  ///< level, threads, metadata, progress in bytes of values
  bool quick = false;        ///< as TableOptions::quick
  bool names_only = false;   ///< the table gets no rows
  /// The columns that are needed, by name; others are left out of the table, except that there is
  /// always one. Without a function all are needed.
  std::function<bool(const std::string&)> needs;
  /// Columns that get another type, by name. With these or an order, the table is loaded into
  /// memory first.
  std::vector<ColumnSchema> types;
  TableSortOptions sort;
};

/// Writes the rows of the file as a table. Of the summary, what is about text stays empty, and
/// plain_bytes are those of the values in memory. Errors: those of ColumnFile::read() and
/// TableWriter; kInvalidArgument for types and an order of columns that are not there, and for
/// values that cannot get their type.
Result<TableSummary> write_column_table(const ColumnFile& file, ByteSink& sink,
                                        const ColumnLoad& load);
/// Reads all rows and writes nothing.
Result<TableSummary> describe_columns(const ColumnFile& file, unsigned threads);

}  // namespace presso::cli
