// SPDX-License-Identifier: MIT
// Chooses in which order and groups conditions are tested (S4.1-S4.3, S4.7-S4.13). The cost of a
// plan is a sum over its conditions: each is tested in the vectors that still have live rows, at
// its own cost, times the rate r_k at which k conditions without a branch between them run together
// (S4.6). Figures in the thesis are for GPUs, where a warp of 32 rows is skipped or not. Here it is
// a vector of 1,024 rows, so branches pay only where few rows are left, or where these lie
// together, which a sample tells (S4.11). Blocks are read where a slice has a live row.
//
// With at most ten conditions, all orders are compared by a dynamic programme over the sets of
// conditions tested so far (joint_shares.h); ten conditions take 0.3 ms, 0.6 with a sample. With
// more, the order is that of rank = (selectivity - 1) / cost (S4.3), and a programme in S4.3's
// exact form finds the groups: the cost of a group depends on what stands before it, which the
// order fixes.
//
// The chosen plan costs 1.002 times the best one in the median and 1.046 times at worst, over 1,455
// measured points (query/NOTES.md; lab/programs/query/plan_sweep).
// Tested by tests/unit/query/plan/planner_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "presso/query.h"
#include "query/plan/filter_plan.h"

namespace presso::query {

/// What a condition costs on the CPU, in nanoseconds. The total is a sum of the parts, each for the
/// rows that it says.
struct ConditionCost {
  /// For each row of a vector that has live rows.
  double vector_ns = 0;
  /// For each row that is still alive.
  double row_ns = 0;
  /// For each row of a slice that has live rows: reading its blocks.
  double read_ns = 0;
  /// For text there are two ways, of which the cheaper one counts: sweeping a vector costs dense_ns
  /// for each of its rows, and reading row by row costs sparse_ns for each live row. 0 in sparse_ns
  /// excludes the second way.
  double dense_ns = 0;
  double sparse_ns = 0;
};

/// What a condition costs in a GPU's kernels (device_planner.h), in nanoseconds.
struct DeviceCost {
  /// For each row of a vector that has live rows.
  double vector_ns = 0;
  /// For each row that is still alive: the steps of a program.
  double row_ns = 0;
  /// For each row of a vector that has live rows when its kernel begins, since words are read
  /// ahead.
  double read_ns = 0;
  /// For each row whatever the plan is: text that other kernels decode beforehand.
  double once_ns = 0;
  /// For each row, of strings that other kernels test between the kernel before and its own, on the
  /// rows that the kernel before has left (device_planner.cpp).
  double strings_ns = 0;
  /// The number of string tests; by_rows counts those among them that other kernels make, if all
  /// row groups are stored as the first one is.
  std::uint32_t strings = 0;
  std::uint32_t by_rows = 0;
  bool is_expression = false;
};

/// The most tests of strings whose bits a kernel reads; one fewer where it reads which rows the
/// kernel before has left.
constexpr std::uint32_t kMostStringTests = 4;

/// Constants of the cost model for a GPU that may test the conditions.
struct DeviceFigures {
  /// By condition.
  std::vector<DeviceCost> costs;
  /// Testing a vector for live rows.
  double branch_ns = 0;
  /// Handing a row from one kernel to the next, as a bit that is written and read.
  double pass_ns = 0;
  /// Starting a kernel, for each row in slices that are read.
  double launch_ns = 0;
};

/// Which rows of a sample fulfil each condition: one bit for each row, in vectors of 1,024 rows.
struct ConditionSample {
  /// Number of vectors; 0 if no sample was drawn.
  std::uint32_t vectors = 0;
  /// For each slice, the number of vectors up to its end.
  std::vector<std::uint32_t> slice_ends;
  /// By condition: 16 words for each vector.
  std::vector<std::vector<std::uint64_t>> bits;
};

/// Everything the planner decides by.
struct PlannerInput {
  /// Costs, and shares of rows that pass, by condition.
  std::vector<ConditionCost> costs;
  std::vector<double> selectivities;
  /// Condition::by_rows; empty: there are no rows.
  std::vector<bool> by_rows;
  /// Without vectors, conditions count as independent.
  ConditionSample sample;
  /// The share of rows in slices that zones do not rule out (S1.1). All others cost nothing; costs,
  /// selectivities and sample refer to the live slices only.
  double live_share = 1;
  QueryRates rates;
  /// Set if a GPU may test the conditions.
  std::optional<DeviceFigures> device;
  /// Estimates the share of vectors with a live row as min(1,024 p, 1), as the thesis does, in
  /// place of 1 - (1 - p)^1024. For comparison in benchmarks only.
  bool linear_vectors = false;
};

/// A plan with its predicted cost.
struct PlanShape {
  std::vector<FilterPass> passes;
  /// Nanoseconds for each row of the tables.
  double cost_ns = 0;
  /// The share of rows that fulfil all conditions.
  double selectivity = 1;
};

/// The largest number of conditions of which all orders are compared.
constexpr std::size_t kMostOrdered = 10;

/// The cheapest plan by the model; with more than kMostOrdered conditions, the cheapest in the
/// order of their ranks. Pure function of the input.
PlanShape choose_plan(const PlannerInput& input);
/// The cheapest plan that tests the conditions in this order.
PlanShape choose_groups(const PlannerInput& input, const std::vector<std::size_t>& order);
/// The conditions in ascending order of (selectivity - 1) / cost, which is optimal if conditions
/// are independent and tested row by row.
std::vector<std::size_t> rank_order(const PlannerInput& input);
/// The predicted cost of the given passes. Also decides which passes read lists.
PlanShape cost_of(const PlannerInput& input, std::vector<FilterPass> passes);
/// Every plan: all orders and all ways to group them. For benchmarks and tests with up to five
/// conditions. Orders within a group count once, as they cost the same.
std::vector<PlanShape> all_plans(const PlannerInput& input);

/// Whether rows are handed to the next pass as a list if `share` of them is left. A list of 16-bit
/// numbers within a slice is smaller than a bitmap below 1/16 (S4.4).
bool list_is_smaller(double share);

/// Parses a plan such as "2&1&&3;4", in which conditions are numbered from 1; each of the
/// `conditions` conditions must occur once. A ';' at the end is skipped here and means
/// FilterPlan::writes_rows. Error: kInvalidArgument with the reason.
Result<std::vector<FilterPass>> parse_plan(const std::string& text, std::size_t conditions);
/// The inverse of parse_plan().
std::string plan_text(const std::vector<FilterPass>& passes);

}  // namespace presso::query
