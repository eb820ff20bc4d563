// SPDX-License-Identifier: MIT
// How a GPU tests a query's conditions (S4.1, S4.2): as it is asked to, or by its own rates
// (device_planner.h), or else in the CPU's order and groups, as kernels can have them. Within a
// kernel conditions on columns come first, compared where they lie packed, and then expressions,
// which a program computes of the rows that are left. ';' ends a kernel, which writes the rows that
// are left to device memory as a bitmap for the next one. What comes of the rows is the last
// kernel's. Tested by tests/unit/query/plan/device_plan_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "presso/query.h"
#include "query/plan/filter_plan.h"

namespace presso::query {

/// A part of a kernel: groups of conditions, as FilterPass has them.
using ConditionGroups = std::vector<std::vector<std::size_t>>;

struct DeviceKernel {
  ConditionGroups on_columns;
  ConditionGroups expressions;  ///< tested behind all of `on_columns`
};

/// One kernel at least; the last one may be without conditions. Where neither a plan was asked for
/// nor the rates of the GPU are known there is one kernel: what is written between two mostly costs
/// more than it spares.
///
/// Errors: kUnsupported, with the reason, where a plan was asked for that a GPU cannot follow: an
/// expression before or beside a condition on a column in one kernel, or lists between kernels.
Result<std::vector<DeviceKernel>> device_kernels(const FilterPlan& plan, const PlanChoice& asked);

/// "2&1&&3;4", as FilterPlan::text().
std::string device_plan_text(const std::vector<DeviceKernel>& kernels);

}  // namespace presso::query
