// SPDX-License-Identifier: MIT
// What conditions let pass of some rows from all over the tables, each alone, so that any
// combination of them can be counted (S4.11). Slices that zones rule out are left out first, since
// no plan reads them (S1.1): what is left is what plans differ in.
#pragma once

#include <vector>

#include "presso/table.h"
#include "query/plan/filter_plan.h"
#include "query/plan/planner.h"

namespace presso::query {

struct SampledConditions {
  ConditionSample rows;
  double live_share = 1;  ///< of the slices, that zones do not rule out
  /// By condition: the share of these slices of which zones do not know that all rows pass.
  std::vector<double> open_shares;
};

/// Zones of up to 64 slices, rows of up to 8 of them, 64 vectors in all; of small tables of fewer
/// slices, down to 2. `physical`: as for SliceReader.
Result<SampledConditions> sample_conditions(const std::vector<Table>& tables,
                                            const std::vector<Physical>& physical,
                                            const std::vector<Condition>& conditions);

}  // namespace presso::query
