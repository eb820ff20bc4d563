// SPDX-License-Identifier: MIT
// Counts what zones alone (the least and greatest value of each slice of 65,536 rows) rule out,
// without reading a slice. Used by --explain, which shows how much of a scan is skipped, and by
// divided queries, which hand workers only row groups that may have rows. Costs one look at the
// directory for each slice and condition. Tested through tests/unit/query/answer/query_test.cpp.
#pragma once

#include <atomic>
#include <vector>

#include "query/plan/filter_plan.h"
#include "query/rows/slices.h"

namespace presso::query {

/// Totals over all slices of the tables.
struct ZoneCounts {
  std::uint64_t slices = 0;
  /// Slices in which no row can fulfil the conditions, and the rows of these slices.
  std::uint64_t skipped = 0;
  std::uint64_t skipped_rows = 0;
  /// Bytes of all blocks of the selected columns, those of skipped slices included.
  std::uint64_t stored_bytes = 0;
};

/// `columns` are the columns that the query reads, numbered as in the tables. `cancelled` may be
/// nullptr; setting it from another thread stops the walk. Errors: kCancelled, and those of opening
/// row groups.
Result<ZoneCounts> count_by_zones(const std::vector<Table>& tables, const FilterPlan& plan,
                                  const std::vector<std::size_t>& columns,
                                  const std::atomic<bool>* cancelled);

/// For each row group of the table: whether zones leave it a row that may fulfil all conditions. A
/// row group whose directory cannot be read counts as wanted, so that whoever reads it reports the
/// damage. Error: kCancelled.
Result<std::vector<bool>> groups_by_zones(const Table& table,
                                          const std::vector<Condition>& conditions,
                                          const std::atomic<bool>* cancelled);

}  // namespace presso::query
