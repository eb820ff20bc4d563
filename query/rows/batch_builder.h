// SPDX-License-Identifier: MIT
// Results in physical form become columns in Arrow's layout, batch by batch.
// Tested through tests/unit/query/answer/query_test.cpp.
#pragma once

#include <span>

#include "presso/query.h"
#include "query/values/vector.h"

namespace presso::query {

/// From which number of rows on a batch is written.
constexpr std::uint64_t kMostBatchRows = 65'536;

class BatchBuilder {
 public:
  /// `schema` is kept by reference.
  explicit BatchBuilder(const TableSchema& schema);

  const TableSchema& schema() const { return schema_; }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t bytes() const;  ///< of what was appended
  /// Before anything is appended: room for so many rows, so that values are not moved while there
  /// come more. Strings' bytes are left out.
  void expect(std::uint64_t rows);
  /// A view for each column of the schema; up to kBatchRows rows.
  void append(std::span<const VectorView> columns, std::uint32_t count);
  /// What was appended; the builder is empty afterwards.
  ResultBatch take();

 private:
  void append_values(ColumnData& column, const ColumnSchema& schema, const VectorView& view,
                     std::uint32_t count) const;
  static void append_strings(ColumnData& column, const VectorView& view, std::uint32_t count);
  void append_validity(ColumnData& column, const VectorView& view, std::uint32_t count) const;

  const TableSchema& schema_;
  ResultBatch batch_;
  std::uint64_t rows_ = 0;
};

/// Rows [first, first + rows) of a batch.
ResultBatch part_of(const ResultBatch& batch, std::uint64_t first, std::uint64_t rows);
std::uint64_t rows_of(const ResultBatch& batch);

}  // namespace presso::query
