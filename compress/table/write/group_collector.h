// SPDX-License-Identifier: MIT
// Gathers rows of batches until they are a row group. Where it ends depends on the rows alone: with
// the first one by which it reaches its size, or with the last one that it may have. So batches may
// be cut anywhere. Tested by tests/unit/compress/table/table_writer_test.cpp.
#pragma once

#include <span>
#include <vector>

#include "presso/column_data.h"
#include "presso/table_schema.h"

namespace presso {

struct CollectorLimits {
  std::uint32_t rows = 1;   ///< at least 1
  std::uint64_t bytes = 1;  ///< in memory
};

/// kInvalidArgument, naming the column, where a batch cannot be part of a table with this schema.
/// `rows_before`: for messages.
Status check_batch(const TableSchema& schema, std::span<const ColumnView> columns,
                   std::uint64_t rows_before);

class GroupCollector {
 public:
  /// `schema` is kept by reference.
  GroupCollector(const TableSchema& schema, CollectorLimits limits);

  /// Copies rows from `first` on, as many as there are and as belong to this row group, at least
  /// one. The batch was checked.
  std::uint64_t take(std::span<const ColumnView> columns, std::uint64_t first);
  /// Nothing more belongs to it.
  bool full() const { return rows_ == limits_.rows || bytes_ >= limits_.bytes; }
  std::uint64_t rows() const { return rows_; }
  /// That its values take, without validity and what stands under nulls.
  std::uint64_t bytes() const { return bytes_; }
  /// What was gathered; the collector is empty after it.
  std::vector<ColumnData> finish();

 private:
  std::uint64_t bytes_of(std::span<const ColumnView> columns, std::uint64_t first,
                         std::uint64_t rows) const;
  std::uint64_t rows_that_fit(std::span<const ColumnView> columns, std::uint64_t first) const;
  void clear();

  const TableSchema& schema_;
  CollectorLimits limits_;
  std::vector<ColumnData> columns_;
  std::uint64_t rows_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace presso
