// SPDX-License-Identifier: MIT
// Turns results in physical form (vectors of up to 1,024 rows) into columns in Arrow's layout,
// batch by batch; the last step of a query before rows are encoded or handed out. Tested through
// tests/unit/query/answer/query_test.cpp.
#pragma once

#include <span>

#include "presso/query.h"
#include "query/values/vector.h"

namespace presso::query {

/// A batch is written as soon as it has this number of rows.
constexpr std::uint64_t kMostBatchRows = 65'536;

/// Builds one batch at a time. Not thread-safe; each thread has its own. Values grow by doubling
/// unless expect() was called; take() gives their memory away, so that the next batch begins with
/// none.
class BatchBuilder {
 public:
  /// `schema` is kept by reference.
  explicit BatchBuilder(const TableSchema& schema);

  const TableSchema& schema() const { return schema_; }
  std::uint64_t rows() const { return rows_; }
  /// Memory of what was appended since the last take().
  std::uint64_t bytes() const;
  /// Makes room for `rows` rows before anything is appended, so that values are not moved while
  /// more come. The bytes of strings are not included.
  void expect(std::uint64_t rows);
  /// Appends up to kBatchRows rows; `columns` has a view for each column of the schema.
  void append(std::span<const VectorView> columns, std::uint32_t count);
  /// Returns what was appended, and leaves the builder empty.
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

/// Returns a copy of the rows [first, first + rows) of a batch; for LIMIT and OFFSET.
ResultBatch part_of(const ResultBatch& batch, std::uint64_t first, std::uint64_t rows);
/// Rows of a batch; 0 if it has no columns.
std::uint64_t rows_of(const ResultBatch& batch);

}  // namespace presso::query
