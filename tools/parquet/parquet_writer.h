// SPDX-License-Identifier: MIT
// Writes tables as Parquet files: row groups of about a million rows, compressed by zstd, with
// logical types and the range of each column. All columns may have nulls. Timestamps in seconds
// become milliseconds, JSON text has the type JSON, text that is no UTF-8 is binary. Tested by
// tests/cli/test_parquet.py and tests/differential/parquet_oracle.py.
#pragma once

#include <memory>
#include <span>

#include "presso/byte_stream.h"
#include "presso/column_data.h"

namespace presso::cli {

/// Gathers rows until there is a row group, whose columns are then encoded by all threads. Not for
/// several threads.
class ParquetWriter {
 public:
  /// Writes the file's front; `sink` is kept by reference.
  static Result<ParquetWriter> open(ByteSink& sink, const TableSchema& schema, unsigned threads);
  ParquetWriter(ParquetWriter&&) noexcept;
  ParquetWriter& operator=(ParquetWriter&&) noexcept;
  ~ParquetWriter();

  /// Copies a batch of rows, with the columns of the schema. Errors: those of encoding and of the
  /// sink.
  Status append(std::span<const ColumnView> columns);
  /// Writes what is left and the footer.
  Status close();

 private:
  class Body;
  explicit ParquetWriter(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace presso::cli
