// SPDX-License-Identifier: MIT
// Makes the filter plan of one scan: splits the query's WHERE condition into conditions under AND,
// estimates what each costs and lets pass (from the directories, and from a sample of rows if there
// are two conditions or more and tables of 2^20 rows or more, for a GPU far more), and lets the
// planner choose order and grouping (S4.3, S4.6, S4.11).
//
// Called once for each scan before threads start. A plan that the user dictates (--plan) is parsed
// and priced, but not changed. Tested by tests/unit/query/filter/make_plan_test.cpp and
// filter_run_test.cpp; lab/programs/query/plan_sweep times what is picked beside other plans.
#pragma once

#include "presso/query.h"
#include "query/plan/filter_plan.h"
#include "query/plan/planner.h"
#include "query/plan/query_spec.h"

namespace presso::query {

/// Splits the query's conditions under AND into filters and merges those on the same column, so
/// that `a > 1 and a < 5` becomes one range test. Constant conditions that hold disappear.
std::vector<Condition> conditions_of(const BoundQuery& query);
/// Everything the planner needs to know about `conditions`: costs, selectivities, and the sample if
/// one was drawn. With `gpu_rates`, costs on that GPU as well. `is_for_gpu`: a GPU will test them,
/// and a sample is drawn only if that takes long enough to pay for it; unknown rates are replaced
/// by the defaults of GpuQueryRates. Tables without rows give costs of 0. Errors: those of reading
/// directories and sampled rows.
Result<PlannerInput> planner_input(const std::vector<Table>& tables, const BoundQuery& query,
                                   const std::vector<Condition>& conditions,
                                   const QueryRates& rates,
                                   const std::optional<GpuQueryRates>& gpu_rates = {},
                                   bool is_for_gpu = false);
/// Makes the plan by which all conditions of the query are tested. Without conditions the plan is
/// empty and no file is touched. Errors: those of reading the files, and kInvalidArgument if
/// PlanChoice::plan is malformed.
Result<FilterPlan> make_filter_plan(const std::vector<Table>& tables, const BoundQuery& query,
                                    const QueryOptions& options);

}  // namespace presso::query
