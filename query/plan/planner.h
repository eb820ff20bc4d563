// SPDX-License-Identifier: MIT
// Chooses in which order and groups conditions are tested (S4.1-S4.3, S4.7-S4.13). The cost of a
// plan is a sum over its conditions: each is tested in the vectors that still have live rows, and
// costs what it costs alone, times the rate at which several without a branch between them go
// together (r_k, S4.6). The thesis' figures are of GPUs, where a warp of 32 rows is left out or
// not; here it is a vector of 1,024, so that branches pay only where few rows are left, or where
// these lie together, which a sample tells (S4.11). Blocks are read where a slice has a live row.
//
// Of up to ten conditions all orders are compared, by a dynamic programme over the sets of
// conditions that are tested already (joint_shares.h). Of more the order is that of rank =
// (selectivity - 1) / cost (S4.3), and a programme in its exact form finds the groups: the cost of
// a group depends on what stands before it, which is fixed.
// Tested by tests/unit/query/plan/planner_test.cpp; lab/programs/query/plan_sweep compares
// the choice with all plans.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "presso/query.h"
#include "query/plan/filter_plan.h"

namespace presso::query {

/// What a condition costs, in nanoseconds.
struct ConditionCost {
  double vector_ns = 0;  ///< for each row of a vector that has live rows
  double row_ns = 0;     ///< for each row that is still alive
  double read_ns = 0;    ///< for each row of a slice that has live rows: reading its blocks
  /// For each row of a vector again, unless few rows are alive, so that each of these costs
  /// sparse_ns: whichever is less. Texts are swept or read row by row.
  double dense_ns = 0;
  double sparse_ns = 0;
};

/// The same of a GPU's kernels (device_planner.h).
struct DeviceCost {
  double vector_ns = 0;  ///< for each row of a vector that has live rows
  double row_ns = 0;     ///< for each row that is still alive: a program
  /// For each row of a vector that has live rows when its kernel begins: words are read ahead.
  double read_ns = 0;
  double once_ns = 0;  ///< for each row whatever the plan: strings are tested by other kernels
  std::uint32_t strings = 0;  ///< tests of columns of strings, and those of them that
  std::uint32_t by_rows = 0;  ///< other kernels make, where all row groups are as the first one
  bool is_expression = false;
};

/// The most tests of strings whose bits a kernel reads; one fewer where it reads which rows the
/// kernel before has left.
constexpr std::uint32_t kMostStringTests = 4;

/// What is known of a GPU that may test the conditions.
struct DeviceFigures {
  std::vector<DeviceCost> costs;
  double branch_ns = 0;  ///< a vector that is tested for live rows
  double pass_ns = 0;    ///< a row that one kernel passes on to the next
  double launch_ns = 0;  ///< the start of a kernel, for each row in slices that are read
};

/// Which rows of a sample fulfil each condition: for each a bit a row, vectors of 1,024 rows.
struct ConditionSample {
  std::uint32_t vectors = 0;
  std::vector<std::uint32_t> slice_ends;         ///< vectors up to the end of each slice
  std::vector<std::vector<std::uint64_t>> bits;  ///< by condition: 16 words a vector
};

struct PlannerInput {
  std::vector<ConditionCost> costs;
  std::vector<double> selectivities;
  ConditionSample sample;  ///< vectors == 0: none, and conditions count as independent
  /// Of the rows, in slices that zones do not rule out (S1.1): all others cost nothing, and costs,
  /// selectivities and sample are of these only.
  double live_share = 1;
  QueryRates rates;
  std::optional<DeviceFigures> device;
  /// That a vector has a live row is taken for min(1,024 p, 1), as in the thesis, and not for
  /// 1 - (1 - p)^1024: for comparison.
  bool linear_vectors = false;
};

struct PlanShape {
  std::vector<FilterPass> passes;
  double cost_ns = 0;  ///< of a row of the tables
  double selectivity = 1;
};

/// The most conditions of which all orders are compared.
constexpr std::size_t kMostOrdered = 10;

/// The cheapest plan by the model; of more than kMostOrdered conditions the cheapest in the order
/// of their ranks.
PlanShape choose_plan(const PlannerInput& input);
/// The cheapest plan that tests the conditions in this order.
PlanShape choose_groups(const PlannerInput& input, const std::vector<std::size_t>& order);
/// By (selectivity - 1) / cost.
std::vector<std::size_t> rank_order(const PlannerInput& input);
/// The cost of a plan by the model, and which passes take lists.
PlanShape cost_of(const PlannerInput& input, std::vector<FilterPass> passes);
/// Every plan: all orders, all ways to group. For benchmarks and tests; n of up to 5. Orders within
/// a group count once: the others cost the same.
std::vector<PlanShape> all_plans(const PlannerInput& input);

/// Whether rows are handed to the next pass as a list: where `share` of them is left. A list of
/// numbers within a slice, of 16 bits, is smaller than a bitmap below 1/16 (S4.4).
bool list_is_smaller(double share);

/// "2&1&&3;4" with numbers from 1 on, of `conditions` conditions; a ';' at the end is left out
/// (FilterPlan::writes_rows). Errors: kInvalidArgument.
Result<std::vector<FilterPass>> parse_plan(const std::string& text, std::size_t conditions);
std::string plan_text(const std::vector<FilterPass>& passes);

}  // namespace presso::query
