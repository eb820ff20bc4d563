// SPDX-License-Identifier: MIT
// Estimates the cost and the selectivity of a condition before any row is read, from the directory
// of a row group: how its columns are stored, in how many bytes, and between which extreme values
// (S4.3, S4.6). Estimates assume evenly spread values and independent conditions; a sample of rows
// corrects the selectivities of large tables (query/filter/condition_sample.h). Each estimate takes
// time proportional to the size of the filter.
//
// lab/programs/query/plan_sweep compares the estimates with measured times; results stand in
// query/NOTES.md. Tested through tests/unit/query/answer/query_test.cpp.
#pragma once

#include "decompress/table/group_reader.h"
#include "presso/query.h"
#include "query/plan/planner.h"

namespace presso::query {

/// The cost of a condition on a GPU with the given rates, from the directory of `group`.
DeviceCost device_cost(const GroupReader& group, const GpuQueryRates& rates, const Filter& filter);

/// Condition::by_rows, from the directory of `group`.
bool tests_by_rows(const GroupReader& group, const Filter& filter);

/// Estimates for the CPU. The first row group of the tables stands for all others.
class ConditionEstimator {
 public:
  /// Keeps references to both arguments, which must outlive the estimator.
  ConditionEstimator(const GroupReader& group, const QueryRates& rates)
      : group_(group), rates_(rates) {}

  /// The share of rows that fulfil the filter, in [0, 1], as if values were spread evenly between
  /// the smallest and the largest one, and as if parts under AND and OR were independent.
  double selectivity(const Filter& filter) const;
  /// The cost of testing the filter. `share` is its selectivity, for which selectivity() or a
  /// sample may be used.
  ConditionCost cost(const Filter& filter, double share) const;

 private:
  ConditionCost interval_cost(const Filter& filter) const;
  ConditionCost text_cost(const Filter& filter, double share) const;
  ConditionCost token_cost(const Filter& filter, double share) const;
  ConditionCost expression_cost(const Filter& filter) const;
  double nulls_cost(std::size_t column) const;

  const GroupReader& group_;
  const QueryRates& rates_;
};

}  // namespace presso::query
