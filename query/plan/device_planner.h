// SPDX-License-Identifier: MIT
// Chooses how a GPU tests conditions (S4.1-S4.3), by its own rates: their order, which go without a
// branch ('&'), and where a kernel ends (';'). A kernel reads the words of its conditions' columns
// ahead of each vector, so that a branch spares instructions, and only the end of a kernel spares
// reading: of vectors of 1,024 rows of which nothing is left, 1 - (1 - p)^1024 of them where rows
// lie anywhere (joint_shares.h). It costs a bitmap, which is written and read, and one more start.
//
// The cost of a plan is a sum over its conditions, as the CPU's is (planner.h). Conditions stand in
// kernels as these can have them (device_plan.h): those on columns before expressions. A dynamic
// programme over the sets that are tested already finds the cheapest kernels from each set on, and
// another one the cheapest sequence of these: 4^n steps, but for sets at which it cannot pay to end
// a kernel, which are nearly all.
// Tested by tests/unit/query/plan/device_planner_test.cpp.
#pragma once

#include <vector>

#include "query/plan/planner.h"

namespace presso::query {

/// The cheapest plan by the model; of more than kMostOrdered conditions those on columns and then
/// the expressions, by rank, in one kernel. `input.device` is there. `may_divide`: else it is one
/// kernel.
DevicePlan choose_device_plan(const PlannerInput& input, bool may_divide);
/// The cost of a plan by the model, whether or not kernels can follow it.
DevicePlan device_cost_of(const PlannerInput& input, std::vector<FilterPass> kernels);

}  // namespace presso::query
