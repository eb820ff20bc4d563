// SPDX-License-Identifier: MIT
// Samples the conditions of a query: each condition is evaluated by itself on the same rows from
// all over the tables, so that the share of rows that pass can be counted for any combination of
// conditions, correlated ones included (S4.11). Slices (65,536 rows) that zones rule out are left
// out first, since every plan skips them (S1.1) and plans differ only in the rest.
//
// Costs 0.3 to 3 ms (query/NOTES.md), which is why make_plan.cpp samples large tables only. The
// plans chosen with it are compared with all others by lab/programs/query/plan_sweep. Tested
// through tests/unit/query/answer/query_test.cpp.
#pragma once

#include <vector>

#include "presso/table.h"
#include "query/plan/filter_plan.h"
#include "query/plan/planner.h"

namespace presso::query {

/// What the sample says; shares are in [0, 1].
struct SampledConditions {
  ConditionSample rows;
  /// The share of slices that zones do not rule out.
  double live_share = 1;
  /// By condition: the share of the live slices in which zones do not prove that all rows pass.
  std::vector<double> open_shares;
};

/// Looks at the zones of up to 64 slices and evaluates rows of up to 8 of them, of at least 2 in
/// small tables, 64 vectors in all. `physical` holds the representation of each column's values, as
/// SliceReader takes it. If no slice is live the sample has no rows. Errors: those of reading the
/// tables.
Result<SampledConditions> sample_conditions(const std::vector<Table>& tables,
                                            const std::vector<Physical>& physical,
                                            const std::vector<Condition>& conditions);

}  // namespace presso::query
