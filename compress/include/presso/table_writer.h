// SPDX-License-Identifier: MIT
// Columns in memory compressed as a table (FORMAT.md 15), batch by batch. Such a table was not made
// from text; where text is asked for, it is printed as its schema says.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "presso/column_data.h"
#include "presso/compress.h"
#include "presso/table_schema.h"

namespace presso {

struct TableWriterOptions {
  /// Rows of a row group, at most kMaxTableGroupRows (presso/compress_table.h); fewer where they
  /// take 1 GiB in memory. 0: those of 32 MiB.
  std::uint32_t group_rows = 0;
  /// Level and coding of strings that are stored as bytes; threads, metadata, progress.
  CompressOptions compress;
};

struct TableWriterSummary {
  std::uint64_t rows = 0;
  std::uint64_t row_groups = 0;
  std::uint64_t value_bytes = 0;  ///< in memory, without validity and what stands under nulls
  std::uint64_t compressed_bytes = 0;
};

/// Gathers batches of any size until they are a row group for each thread, which are then encoded
/// at the same time. The file depends on the rows alone, not on how they were cut into batches and
/// not on the number of threads. Memory: a row group for each thread, and what they become. Not
/// thread-safe.
class TableWriter {
 public:
  /// `sink` is kept by reference. Of TableSchema::text the form is used in which rows are printed,
  /// CSV where its kind is kNone; head, order of keys, and TableSchema::exact are not. Errors:
  /// kInvalidArgument for a schema or options that are not valid, those of the sink.
  static Result<TableWriter> open(ByteSink& sink, const TableSchema& schema,
                                  const TableWriterOptions& options = {});
  TableWriter(TableWriter&&) noexcept;
  TableWriter& operator=(TableWriter&&) noexcept;
  /// Without close() before it, the file is cut off after its last whole row group.
  ~TableWriter();

  /// The columns of the schema, in its order, all with the same number of rows; copied.
  /// kInvalidArgument, and nothing of the batch is taken: another number of columns, another type,
  /// a column of another length, a null in a column that is not nullable, offsets that fall, a
  /// string that is not UTF-8 in a column that says so, more than 2 GiB in a row. Other errors
  /// (sink, kOutOfMemory, kCancelled) are for good: later calls return them again.
  Status append(std::span<const ColumnView> columns);

  /// Writes what was gathered, index and trailer. Once; after it the writer takes nothing more.
  Result<TableWriterSummary> close();

 private:
  class Body;
  explicit TableWriter(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace presso
