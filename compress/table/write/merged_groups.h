// SPDX-License-Identifier: MIT
// The last step of sorting a table while it is written: cuts the rows, as they come sorted from the
// merge (run_merger.h), into row groups. Tested by tests/differential/table_sort_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "compress/table/rows/run_merger.h"
#include "format/columns/group_collector.h"

namespace presso {

/// Owns the merger, and holds one batch of merged rows beside the row group that it fills. Not
/// for several threads.
class MergedGroups {
 public:
  /// Keeps `schema` by reference.
  MergedGroups(const TableSchema& schema, RunMerger merger, CollectorLimits limits)
      : merger_(std::move(merger)), collector_(schema, limits) {}

  /// The next row group; nullopt at the end.
  Result<std::optional<std::vector<ColumnData>>> next();

 private:
  RunMerger merger_;
  GroupCollector collector_;
  std::vector<ColumnData> rows_;   ///< the rows that were merged last
  std::vector<ColumnView> views_;  ///< views of rows_
  std::uint64_t taken_ = 0;        ///< how many of rows_ were taken
};

/// Limits of row groups for a table of `rows` rows from `text_bytes` bytes of text: `group_rows`
/// rows each or, if that is 0, equal numbers of rows, for at most 32 MiB of text on average. Either
/// is cut by most_group_rows(), and a row group also ends at 128 MiB of memory (1 GiB with
/// `group_rows`).
CollectorLimits sorted_group_limits(const TableSchema& schema, std::uint32_t group_rows,
                                    std::uint64_t rows, std::uint64_t text_bytes);

}  // namespace presso
