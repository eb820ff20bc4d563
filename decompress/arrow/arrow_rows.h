// SPDX-License-Identifier: MIT
// Rows of a table as columns in Arrow's layout, batch by batch: what both the C stream and the IPC
// stream are made from. Tested by tests/unit/decompress/arrow/export_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "presso/arrow.h"

namespace presso {

/// The values of `data` as Arrow has them. Decimals of 64 bits become those of 128 bits;
/// kBadRowGroup for strings that are not UTF-8 though the column says so.
Status to_arrow_layout(const ColumnSchema& column, ColumnData& data);

class ArrowRows {
 public:
  /// Rows of one row group.
  struct Batch {
    std::uint64_t group = 0;
    std::uint32_t first = 0;
    std::uint32_t rows = 0;
  };

  /// kInvalidArgument: a column that the table has not.
  static Result<ArrowRows> make(const Table& table, const ArrowOptions& options);

  /// Of the columns that are wanted.
  const TableSchema& schema() const { return schema_; }
  /// nullopt: there are no more.
  std::optional<Batch> next();
  /// Thread-safe.
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
