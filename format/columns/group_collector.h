// SPDX-License-Identifier: MIT
// Gathers rows of batches in memory until they make a row group. Where it ends depends only on the
// rows: with the one that reaches the size in bytes, or with the last one that it may have. So
// batches may be cut anywhere and the file is the same. Not for several threads. Tested by
// tests/unit/compress/table/table_writer_test.cpp.
#pragma once

#include <span>
#include <vector>

#include "presso/column_data.h"
#include "presso/table_schema.h"

namespace presso {

/// A row group is full when it reaches one of the two; a single row may be larger.
struct CollectorLimits {
  std::uint32_t rows = 1;   ///< at least 1
  std::uint64_t bytes = 1;  ///< bytes of values in memory
};

/// kInvalidArgument, naming the column, if a batch cannot be part of a table with this schema.
/// `rows_before`: rows of earlier batches, for messages.
Status check_batch(const TableSchema& schema, std::span<const ColumnView> columns,
                   std::uint64_t rows_before);

/// Owns copies of the rows: batches need not outlive take().
class GroupCollector {
 public:
  /// Keeps `schema` by reference.
  GroupCollector(const TableSchema& schema, CollectorLimits limits);

  /// Copies rows from `first` on: as many as there are and belong to this row group, at least
  /// one. Returns their number. The batch must have been checked.
  std::uint64_t take(std::span<const ColumnView> columns, std::uint64_t first);
  /// Whether nothing more belongs to the row group.
  bool full() const { return rows_ == limits_.rows || bytes_ >= limits_.bytes; }
  std::uint64_t rows() const { return rows_; }
  /// Bytes of its values, without validity and without what stands under nulls.
  std::uint64_t bytes() const { return bytes_; }
  /// Returns the rows; the collector is empty after it.
  std::vector<ColumnData> finish();

 private:
  /// What these rows would add to bytes().
  std::uint64_t bytes_of(std::span<const ColumnView> columns, std::uint64_t first,
                         std::uint64_t rows) const;
  /// How many rows from `first` on still belong to the row group.
  std::uint64_t rows_that_fit(std::span<const ColumnView> columns, std::uint64_t first) const;
  void clear();

  const TableSchema& schema_;
  CollectorLimits limits_;
  std::vector<ColumnData> columns_;
  std::uint64_t rows_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace presso
