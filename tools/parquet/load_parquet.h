// SPDX-License-Identifier: MIT
// A table of presso from a Parquet file, and the facts about it. Tested by
// tests/cli/test_parquet.py.
#pragma once

#include <functional>

#include "presso/compress_table.h"
#include "tools/parquet/parquet_reader.h"

namespace presso::cli {

/// How a file is loaded.
struct ParquetLoad {
  CompressOptions compress;  ///< level, threads, metadata, progress in bytes of values
  bool quick = false;        ///< as TableOptions::quick
  bool names_only = false;   ///< the table gets no rows
  /// The columns that are needed, by name; others are left out of the table, except that there is
  /// always one. Without a function all are needed.
  std::function<bool(const std::string&)> needs;
};

/// Writes the rows of the file as a table. Of the summary, what is about text stays empty, and
/// plain_bytes are those of the values in memory. Errors: those of ParquetReader and TableWriter.
Result<TableSummary> write_parquet_table(const ParquetReader& reader, ByteSink& sink,
                                         const ParquetLoad& load);
/// Reads all rows and writes nothing.
Result<TableSummary> describe_parquet(const ParquetReader& reader, unsigned threads);

}  // namespace presso::cli
