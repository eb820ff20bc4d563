// SPDX-License-Identifier: MIT
// Chooses how a GPU tests conditions (S4.1-S4.3), by its own measured rates: in which order, which
// go together without a branch ('&'), and where a kernel ends (';'). A kernel reads the words of
// its columns ahead of each vector, so a branch saves instructions only, and only the end of a
// kernel saves reading: it skips vectors of 1,024 rows of which no row is left, a share of 1 - (1 -
// p)^1024 being left if rows lie anywhere (joint_shares.h), and strings are tested on the rows that
// are left only. Ending a kernel costs a bitmap that is written and read, and another start.
//
// The cost of a plan is a sum over its conditions, as for the CPU (planner.h), and kernels have the
// form of device_plan.h: conditions on columns before expressions. A dynamic programme over the
// sets of conditions that have been tested finds the cheapest kernels from each set on, and another
// one the cheapest sequence of kernels. That takes up to 4^n steps, but sets at which ending a
// kernel cannot pay are skipped, which are nearly all. Beyond kMostOrdered conditions there is no
// search.
// Tested by tests/unit/query/plan/device_planner_test.cpp; lab/programs/query/plan_sweep_gpu times
// what it picks beside other plans.
#pragma once

#include <vector>

#include "query/plan/planner.h"

namespace presso::query {

/// The cheapest plan by the model. With more than kMostOrdered conditions, the result is one kernel
/// with the conditions on columns and then the expressions, each by rank. Precondition:
/// `input.device` is set. Without `may_divide` the plan is one kernel.
DevicePlan choose_device_plan(const PlannerInput& input, bool may_divide);
/// The cost of the given plan by the model, whether or not kernels can follow it. Same
/// precondition.
DevicePlan device_cost_of(const PlannerInput& input, std::vector<FilterPass> kernels);

}  // namespace presso::query
