// SPDX-License-Identifier: MIT
// Translates a filter plan into the kernels that test it on a GPU (S4.1, S4.2). The order comes
// from the plan that the user dictated, else from the GPU's own planner (device_planner.h), else
// from the CPU's plan. Within a kernel, conditions on columns are tested first, on packed values,
// and then expressions, which a program computes for the rows that are left. A ';' ends a kernel,
// which writes a bitmap of the remaining rows to device memory for the next one. The last kernel
// also does what the query wants with the rows. Plain C++ without a GPU. Tested by
// tests/unit/query/plan/device_plan_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "presso/query.h"
#include "query/plan/filter_plan.h"

namespace presso::query {

/// A sequence of groups of conditions by number, as in FilterPass::groups.
using ConditionGroups = std::vector<std::vector<std::size_t>>;

/// The conditions that one kernel tests, in order.
struct DeviceKernel {
  ConditionGroups on_columns;
  /// Tested after all groups of `on_columns`.
  ConditionGroups expressions;
};

/// The kernels for a plan, at least one; the last one may have no conditions. If the user has
/// dictated no plan and the GPU's rates are unknown, there is one kernel, since writing and reading
/// rows between two kernels mostly costs more than it saves. In both cases a kernel is divided if
/// it tests strings row by row (Condition::by_rows) and other conditions on columns that drop rows:
/// then these come first, and strings are tested on the rows that are left only.
///
/// Errors: kUnsupported, with the reason, where a plan was asked for that a GPU cannot follow: an
/// expression before or beside a condition on a column in one kernel, or lists between kernels.
Result<std::vector<DeviceKernel>> device_kernels(const FilterPlan& plan, const PlanChoice& asked);

/// "2&1&&3;4", as FilterPlan::text().
std::string device_plan_text(const std::vector<DeviceKernel>& kernels);

}  // namespace presso::query
