// SPDX-License-Identifier: MIT
// What a condition costs and lets pass by what the directory of a row group tells, before a row is
// read: how its columns are stored, in how many bytes, between which values (S4.3, S4.6).
// lab/programs/query/plan_sweep compares the costs with what conditions take.
#pragma once

#include "decompress/table/group_reader.h"
#include "presso/query.h"
#include "query/plan/planner.h"

namespace presso::query {

/// What it costs a GPU. `group`: as for the CPU.
DeviceCost device_cost(const GroupReader& group, const GpuQueryRates& rates, const Filter& filter);

/// All by the first row group of the tables, which stands for the others.
class ConditionEstimator {
 public:
  /// Both are kept by reference.
  ConditionEstimator(const GroupReader& group, const QueryRates& rates)
      : group_(group), rates_(rates) {}

  /// As if values were spread evenly between the least and the greatest one.
  double selectivity(const Filter& filter) const;
  /// `share`: of the rows that it lets pass.
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
