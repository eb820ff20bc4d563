// SPDX-License-Identifier: MIT
// What zones tell of all slices of some tables, without reading one of them: for --explain, and for
// who divides a table.
// Tested through tests/unit/query/answer/query_test.cpp.
#pragma once

#include <atomic>
#include <vector>

#include "query/plan/filter_plan.h"
#include "query/rows/slices.h"

namespace presso::query {

struct ZoneCounts {
  std::uint64_t slices = 0;
  std::uint64_t skipped = 0;  ///< have no row that fulfils the conditions
  std::uint64_t skipped_rows = 0;
  std::uint64_t stored_bytes = 0;  ///< of all blocks of the columns that are read
};

/// `columns`: as the tables number them, those that are read.
Result<ZoneCounts> count_by_zones(const std::vector<Table>& tables, const FilterPlan& plan,
                                  const std::vector<std::size_t>& columns,
                                  const std::atomic<bool>* cancelled);

/// Of each row group of a table, whether zones leave it a row that may fulfil all conditions. One
/// whose directory cannot be read may have one: who reads it is told what is wrong. Error:
/// kCancelled.
Result<std::vector<bool>> groups_by_zones(const Table& table,
                                          const std::vector<Condition>& conditions,
                                          const std::atomic<bool>* cancelled);

}  // namespace presso::query
