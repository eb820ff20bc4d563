// SPDX-License-Identifier: MIT
// How GPUs follow plans of selections: what is theirs of the planner's, and what they refuse.
#include "query/plan/device_plan.h"

#include <gtest/gtest.h>

#include "query/plan/planner.h"

namespace presso::query::device_plan_test {
namespace {

/// Conditions 1, 2 and 5 are on columns, 3 and 4 are expressions.
FilterPlan plan_of(const std::string& text) {
  FilterPlan plan;
  plan.conditions.resize(5);
  for (Condition& condition : plan.conditions) condition.filter.kind = Filter::Kind::kIntervals;
  plan.conditions[2].filter.kind = Filter::Kind::kExpression;
  plan.conditions[3].filter.kind = Filter::Kind::kExpression;
  plan.passes = *parse_plan(text, plan.conditions.size());
  plan.writes_rows = text.ends_with(';');
  return plan;
}

std::string followed(const std::string& text, bool is_asked,
                     PlanChoice::Rows rows = PlanChoice::Rows::kAuto) {
  const FilterPlan plan = plan_of(text);
  const auto kernels = device_kernels(plan, {is_asked ? plan.text() : "", rows});
  if (kernels.ok()) return device_plan_text(*kernels);
  EXPECT_EQ(kernels.error().code, ErrorCode::kUnsupported);
  return kernels.error().what;
}

TEST(DevicePlans, HaveThePlannersOrderAndGroups) {
  EXPECT_EQ(followed("2&1&&5&&3&4", false), "2&1&&5&&3&4");
  EXPECT_EQ(followed("3&&2&1&&4&5", false), "2&1&&5&&3&&4");
  EXPECT_EQ(followed("4&3&2&&1&5", false), "2&&1&5&&4&3");
}

/// The planner's passes are worth it for a CPU.
TEST(DevicePlans, AreOneKernelWhereNoneIsAskedFor) {
  EXPECT_EQ(followed("2&1;5;3&&4", false), "2&1&&5&&3&&4");
  EXPECT_EQ(followed("2;1;5;3;4", false, PlanChoice::Rows::kList), "2&&1&&5&&3&&4");
}

TEST(DevicePlans, AreFollowedAsAsked) {
  for (const char* const text :
       {"2&1&&5&&3&4", "3;2&1;5&&4", "3&&4;1;2;5", "1;2;3;4;5;", "1&2&5&&4&&3;", "4;2&&3;1&5"}) {
    EXPECT_EQ(followed(text, true), text);
    EXPECT_EQ(followed(text, true, PlanChoice::Rows::kBitmap), text);
  }
}

TEST(DevicePlans, FollowTheGpusRates) {
  FilterPlan plan = plan_of("2&1;5;3&&4");
  plan.on_device = DevicePlan{*parse_plan("3;5&1&&2&&4", 5), {1, 2}};
  EXPECT_EQ(device_plan_text(*device_kernels(plan, {})), "3;5&1&&2&&4");
  EXPECT_DOUBLE_EQ(plan.on_device->cost_ns(), 3);
  // What is asked for goes before, and a condition that came later is in the CPU's plan alone.
  EXPECT_EQ(device_plan_text(*device_kernels(plan, {plan.text()})), "2&1;5;3&&4");
  Filter filter;
  filter.kind = Filter::Kind::kIntervals;
  add_condition(plan, filter);
  EXPECT_EQ(device_plan_text(*device_kernels(plan, {})), "6&&2&1&&5&&3&&4");
}

/// Condition 1 tests strings row by row; so does 5 in the last plan.
TEST(DevicePlans, TestStringsOnRowsThatOthersLeave) {
  FilterPlan plan = plan_of("2&1&&5&&3&4");
  plan.conditions[0].by_rows = true;
  plan.conditions[0].filter.kind = Filter::Kind::kText;
  plan.conditions[1].selectivity = 0.9;
  EXPECT_EQ(device_plan_text(*device_kernels(plan, {})), "2&1&&5&&3&4") << "few rows are dropped";
  plan.conditions[4].selectivity = 0.1;
  EXPECT_EQ(device_plan_text(*device_kernels(plan, {})), "2&&5;1&&3&4");
  EXPECT_EQ(device_plan_text(*device_kernels(plan, {plan.text()})), plan.text());
  EXPECT_EQ(device_kernels(plan, {"", PlanChoice::Rows::kList})->size(), 1u);
  plan.on_device = DevicePlan{*parse_plan("2;1&5&&4&&3", 5), {1, 2}};
  EXPECT_EQ(device_plan_text(*device_kernels(plan, {})), "2;1&5&&4&&3") << "rates decide";
  plan.on_device.reset();
  plan.conditions[4].by_rows = true;
  EXPECT_EQ(device_plan_text(*device_kernels(plan, {})), "2&1&&5&&3&4");
  plan.conditions[1].selectivity = 0.01;
  EXPECT_EQ(device_plan_text(*device_kernels(plan, {})), "2;1&&5&&3&4");
  Filter& any = plan.conditions[0].filter;
  any.parts.assign(4, any);
  any.kind = Filter::Kind::kOr;
  EXPECT_EQ(device_plan_text(*device_kernels(plan, {})), "2&1&&5&&3&4") << "bits of four strings";
}

TEST(DevicePlans, LeaveOutConditionsThatMayBe) {
  FilterPlan plan = plan_of("2&1&&5&&3&4");
  plan.conditions[4].is_optional = true;
  EXPECT_EQ(device_plan_text(*device_kernels(plan, {})), "2&1&&3&4");
  EXPECT_EQ(device_kernels(FilterPlan(), {})->size(), 1u);
}

TEST(DevicePlans, ThatNoKernelCanFollowAreRefusedWithAReason) {
  const std::string begin = "a plan that a GPU cannot follow: ";
  const std::string behind =
      " is an expression, which a kernel tests behind condition 5 and '&&', or in a kernel of its "
      "own (';')";
  EXPECT_EQ(followed("1&2&&3&&5&&4", true), begin + "condition 3" + behind);
  EXPECT_EQ(followed("1&2;4&5;3", true), begin + "condition 4" + behind);
  EXPECT_EQ(followed("1&2;5&4;3", true), begin + "condition 4" + behind);
}

TEST(DevicePlans, HaveBitmapsBetweenKernels) {
  EXPECT_EQ(followed("1;2&5;3&4", true, PlanChoice::Rows::kList),
            "a plan that a GPU cannot follow: rows go from one kernel to the next as a bitmap, not "
            "as a list");
  EXPECT_EQ(followed("1&2&&5&&3&4", true, PlanChoice::Rows::kList), "1&2&&5&&3&4");
}

}  // namespace
}  // namespace presso::query::device_plan_test
