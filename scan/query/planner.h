// SPDX-License-Identifier: MIT
// Chooses in which order and groups conditions are tested (S4.1-S4.3, S4.7-S4.13). The cost of a
// plan is a sum over its conditions: each is tested in the vectors that still have live rows, and
// costs what it costs alone, times the rate at which several without a branch between them go
// together (r_k, S4.6). Theses' figures were of GPUs, where a warp of 32 rows is left out or not;
// here it is a vector of 1,024, so that branches pay only where few rows are left, or where these
// lie together, which a sample tells (S4.11).
//
// With a sample and up to ten conditions all orders are compared, by a dynamic programme over the
// sets of conditions that are tested already, whose joint selectivities are counted. Else the order
// is that of rank = (selectivity - 1) / cost (S4.3), and the O(n^3) programme in its exact form
// finds the groups: the cost of a group depends on what stands before it, which is fixed.
// Tested by tests/unit/scan/query/planner_test.cpp; tools/bench/programs/query/plan_sweep compares
// the choice with all plans.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "presso/query.h"
#include "scan/query/filter_plan.h"

namespace presso::query {

/// What a condition costs, in nanoseconds.
struct ConditionCost {
  double vector_ns = 0;  ///< for each row of a vector that is tested
  double row_ns = 0;     ///< for each row that is still alive
  double read_ns = 0;    ///< for each row of a slice that has live rows: reading its blocks
  /// What of vector_ns a pass of its own saves (text is decoded and swept for whole slices).
  double saved_by_pass = 0;
};

/// Which rows of a sample fulfil each condition: for each a bit a row, vectors of 1,024 rows.
struct ConditionSample {
  std::uint32_t vectors = 0;
  std::vector<std::vector<std::uint64_t>> bits;  ///< by condition: 16 words a vector
};

struct PlannerInput {
  std::vector<ConditionCost> costs;
  std::vector<double> selectivities;
  ConditionSample sample;  ///< vectors == 0: none, and conditions count as independent
  QueryRates rates;
};

struct PlanShape {
  std::vector<FilterPass> passes;
  double cost_ns = 0;  ///< of a row
  double selectivity = 1;
};

/// The cheapest plan by the model.
PlanShape choose_plan(const PlannerInput& input);
/// The cost of a plan by the model, and which passes take lists.
PlanShape cost_of(const PlannerInput& input, std::vector<FilterPass> passes);
/// Every plan: all orders, all ways to group. For benchmarks and tests; n of up to 5.
std::vector<PlanShape> all_plans(const PlannerInput& input);

/// "2&1&&3;4" with numbers from 1 on, of `conditions` conditions. Errors: kInvalidArgument.
Result<std::vector<FilterPass>> parse_plan(const std::string& text, std::size_t conditions);
std::string plan_text(const std::vector<FilterPass>& passes);

}  // namespace presso::query
