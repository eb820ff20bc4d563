// SPDX-License-Identifier: MIT
// The result of planning: in which order and how conditions are tested (S4.1, S4.2). A plan has
// passes over a slice (up to 65,536 rows of a row group), and a pass has groups of conditions.
// Within a group there is no branch: all of its conditions are tested for every vector of 1,024
// rows that has live rows ('&'), that is, rows that no condition has dropped yet. Between groups,
// vectors without a live row are skipped ('&&'). Between passes (';') the remaining rows are
// written down, as a bitmap or as a list of row numbers.
//
// Plain data: planner.h makes it, query/filter/filter_run.h follows it on the CPU and device_plan.h
// turns it into kernels. Tested by tests/unit/query/plan/planner_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "query/plan/filter.h"

namespace presso::query {

/// One of the conditions under AND, with what the planner has estimated for it.
struct Condition {
  Filter filter;
  /// A description for --explain.
  std::string text;
  /// The share of rows that fulfil it.
  double selectivity = 1;
  /// Nanoseconds for each row of a vector in which it is tested.
  double cost_ns = 0;
  /// Rows that fail this condition would be dropped later in any case, by a join. The scan stops
  /// testing it if most rows pass.
  bool is_optional = false;
  /// It tests strings that are stored as tokens or bytes, in the row group that stands for others:
  /// a GPU tests them row by row, in kernels of their own.
  bool by_rows = false;
};

/// One pass over a slice.
struct FilterPass {
  /// Numbers of conditions, by group, in order.
  std::vector<std::vector<std::size_t>> groups;
  /// Whether the pass reads its rows from a list instead of a bitmap.
  bool as_list = false;
};

/// The plan for a GPU, by its own rates (device_planner.h).
struct DevicePlan {
  /// Each pass is a kernel; its text could be given as PlanChoice::plan.
  std::vector<FilterPass> kernels;
  /// Predicted nanoseconds for each row of the tables, by kernel.
  std::vector<double> kernel_ns;
  /// Number of alternatives that were compared to find this plan.
  std::uint64_t looked_at = 0;

  /// The sum over all kernels, in nanoseconds for each row.
  double cost_ns() const;
};

/// The whole plan of one scan.
struct FilterPlan {
  /// All of them must hold. Passes refer to them by index.
  std::vector<Condition> conditions;
  std::vector<FilterPass> passes;
  /// Whether the remaining rows are written down before anything else is done with them ("1&&2;").
  /// This matters on GPUs only, since the CPU always writes them down.
  bool writes_rows = false;
  /// The share of the tables' rows that fulfil all conditions.
  double selectivity = 1;
  /// Predicted nanoseconds for each row of the tables.
  double cost_ns = 0;
  /// The share of rows in slices that zones (the least and greatest value of a slice) do not rule
  /// out. All others cost nothing.
  double live_share = 1;
  /// Present if the rates of a GPU are known.
  std::optional<DevicePlan> on_device;

  /// The plan in the notation of PlanChoice::plan, such as "2&1&&3;4".
  std::string text() const;
};

/// Adds a condition that is tested before all others, such as the keys of a join. The GPU's plan is
/// dropped, since it does not account for the condition.
void add_condition(FilterPlan& plan, Filter filter);

}  // namespace presso::query
