// SPDX-License-Identifier: MIT
// Cuts merged rows into row groups. Tested by tests/differential/table_sort_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "compress/table/rows/run_merger.h"
#include "compress/table/write/group_collector.h"

namespace presso {

class MergedGroups {
 public:
  /// `schema` is kept by reference.
  MergedGroups(const TableSchema& schema, RunMerger merger, CollectorLimits limits)
      : merger_(std::move(merger)), collector_(schema, limits) {}

  /// nullopt at the end.
  Result<std::optional<std::vector<ColumnData>>> next();

 private:
  RunMerger merger_;
  GroupCollector collector_;
  std::vector<ColumnData> rows_;   ///< the last that were merged
  std::vector<ColumnView> views_;  ///< of rows_
  std::uint64_t taken_ = 0;        ///< of rows_
};

/// Row groups of a table with `rows` rows that were made from `text_bytes` of text: those of
/// `group_rows`, or, where that is 0, about equal ones of 32 MiB of text.
CollectorLimits sorted_group_limits(const TableSchema& schema, std::uint32_t group_rows,
                                    std::uint64_t rows, std::uint64_t text_bytes);

}  // namespace presso
