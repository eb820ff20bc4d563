// SPDX-License-Identifier: MIT
// Columns in memory compressed as a table (FORMAT.md 15), batch by batch. Such a table was not made
// from text; where text is asked for, it is printed as its schema says. Tested by
// tests/unit/compress/table/table_writer_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "presso/column_data.h"
#include "presso/compress.h"
#include "presso/table_schema.h"

namespace presso {

/// How rows are grouped and coded.
struct TableWriterOptions {
  /// How many rows a row group has, at most kMaxTableGroupRows (presso/compress_table.h) and 2^26
  /// values; fewer where they take 1 GiB in memory. 0: the rows of 32 MiB in memory.
  std::uint32_t group_rows = 0;
  /// As TableOptions::compress (presso/compress_table.h).
  CompressOptions compress;
  /// As TableOptions::quick.
  bool quick = false;
};

/// Counts of a finished table.
struct TableWriterSummary {
  std::uint64_t rows = 0;
  std::uint64_t row_groups = 0;
  std::uint64_t value_bytes = 0;  ///< in memory, without validity and what stands under nulls
  std::uint64_t compressed_bytes = 0;
};

/// Gathers batches of any size until there is a row group, the unit in which rows are encoded, for
/// each thread; these are then encoded at the same time, within append() or close(). The file
/// depends on the rows alone, not on how they were cut into batches and not on the number of
/// threads. Memory: a row group for each thread, and their encoded form. Not thread-safe.
class TableWriter {
 public:
  /// `sink` is kept by reference. TableSchema::text says how rows are printed when text is asked
  /// for (CSV if its kind is kNone); its head and its order of keys are not used, nor is
  /// TableSchema::exact. Errors: kInvalidArgument for a schema or options that are not valid, those
  /// of the sink.
  static Result<TableWriter> open(ByteSink& sink, const TableSchema& schema,
                                  const TableWriterOptions& options = {});
  TableWriter(TableWriter&&) noexcept;
  TableWriter& operator=(TableWriter&&) noexcept;
  /// Without close() before it, the file is cut off after its last whole row group.
  ~TableWriter();

  /// Copies a batch: the columns of the schema, in its order, all with the same number of rows.
  /// kInvalidArgument, and nothing of the batch is taken, for another number of columns, another
  /// type, a column of another length, a null in a column that is not nullable, offsets that fall,
  /// a string that is not UTF-8 in a column that says so, or more than 2 GiB in a row. Other errors
  /// (sink, kOutOfMemory, kCancelled) are final: later calls return them again.
  Status append(std::span<const ColumnView> columns);

  /// Writes the rows that are still held, the index and the trailer. Called once; the writer takes
  /// nothing more afterwards.
  Result<TableWriterSummary> close();

 private:
  class Body;
  explicit TableWriter(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace presso
