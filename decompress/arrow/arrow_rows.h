// SPDX-License-Identifier: MIT
// Rows of a table as columns in Arrow's layout, batch by batch. Both the C stream and the IPC
// stream are made from them. Tested by tests/unit/decompress/arrow/export_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "presso/arrow.h"

namespace presso {

/// Converts `data` to Arrow's layout: decimals of 64 bits are widened to 128. kBadRowGroup for
/// strings that are not UTF-8 though the column says so.
Status to_arrow_layout(const ColumnSchema& column, ColumnData& data);

/// The batches of the rows and columns that ArrowOptions ask for. One thread at a time calls
/// next(), which only says what a batch consists of; any number of threads call read(), which
/// decodes it.
class ArrowRows {
 public:
  /// A batch: rows of a single row group. It ends with its row group or at a multiple of
  /// ArrowOptions::batch_rows, counted in the row group.
  struct Batch {
    std::uint64_t group = 0;
    std::uint32_t first = 0;
    std::uint32_t rows = 0;
  };

  /// kInvalidArgument for a column that the table does not have.
  static Result<ArrowRows> make(const Table& table, const ArrowOptions& options);

  /// The schema of the wanted columns, in their order.
  const TableSchema& schema() const { return schema_; }
  /// The next batch; nullopt if there are no more.
  std::optional<Batch> next();
  /// Decodes the batch. Thread-safe.
  Result<std::vector<ColumnData>> read(const Batch& batch) const;

 private:
  explicit ArrowRows(const Table& table) : table_(table) {}

  Table table_;
  TableSchema schema_;
  std::vector<std::size_t> columns_;
  std::uint64_t row_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t group_ = 0;
  std::uint64_t batch_rows_ = 1;
};

}  // namespace presso
