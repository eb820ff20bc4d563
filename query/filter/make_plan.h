// SPDX-License-Identifier: MIT
// From a query's conditions to the plan by which they are tested: what each costs and lets pass, by
// what the tables' directories tell and by a sample of rows (S4.3, S4.6, S4.11).
#pragma once

#include "presso/query.h"
#include "query/plan/filter_plan.h"
#include "query/plan/planner.h"
#include "query/plan/query_spec.h"

namespace presso::query {

/// The conditions of a query under AND, those on one column merged.
std::vector<Condition> conditions_of(const BoundQuery& query);
/// What is known of them: from the directories, and from a sample where tables are large.
/// `gpu_rates`: of the GPU that may test them, too.
Result<PlannerInput> planner_input(const std::vector<Table>& tables, const BoundQuery& query,
                                   const std::vector<Condition>& conditions,
                                   const QueryRates& rates,
                                   const std::optional<GpuQueryRates>& gpu_rates = {});
/// Conditions are those of all parts of the query's conditions under AND, those on one column
/// merged. Errors: those of the files, a PlanChoice::plan that is none.
Result<FilterPlan> make_filter_plan(const std::vector<Table>& tables, const BoundQuery& query,
                                    const QueryOptions& options);

}  // namespace presso::query
