// SPDX-License-Identifier: MIT
// In which order and how conditions are tested (S4.1, S4.2): passes over a slice, in each pass
// groups of conditions. Within a group there is no branch: all its conditions are tested for every
// vector that has live rows ('&'); between groups vectors without a live row are left out ('&&');
// between passes (';') the rows that are left are written down, as a bitmap or a list.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "query/plan/filter.h"

namespace presso::query {

struct Condition {
  Filter filter;
  std::string text;        ///< for people
  double selectivity = 1;  ///< share of the rows that fulfil it
  double cost_ns = 0;      ///< of a row of a vector in which it is tested
  /// Rows that do not fulfil it are dropped later anyway: where most do it is not tested any more.
  bool is_optional = false;
};

struct FilterPass {
  std::vector<std::vector<std::size_t>> groups;  ///< numbers of conditions
  bool as_list = false;                          ///< the rows that it is given are a list
};

/// How a GPU is to test them, by its own rates (device_planner.h).
struct DevicePlan {
  std::vector<FilterPass> kernels;  ///< each could be PlanChoice::plan of a GPU
  std::vector<double> kernel_ns;    ///< of a row, as predicted, by kernel
  std::uint64_t looked_at = 0;      ///< groups and kernels whose costs were compared to find it

  double cost_ns() const;
};

struct FilterPlan {
  std::vector<Condition> conditions;  ///< all must hold
  std::vector<FilterPass> passes;
  /// The rows that are left are written down before anything else is done with them ("1&&2;"): a
  /// matter of GPUs, since the CPU always writes them down.
  bool writes_rows = false;
  double selectivity = 1;
  double cost_ns = 0;  ///< of a row, as predicted
  /// The share of the rows of which a sample counts the cost: zones rule out the slices of all
  /// others.
  double live_share = 1;
  std::optional<DevicePlan> on_device;  ///< where the rates of a GPU are known

  /// "2&1&&3;4", as PlanChoice::plan.
  std::string text() const;
};

/// One more condition, which is tested before all others.
void add_condition(FilterPlan& plan, Filter filter);

}  // namespace presso::query
