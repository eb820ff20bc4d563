// SPDX-License-Identifier: MIT
// Implements device_plan.h: turns a filter plan into the kernels that test its conditions on a GPU,
// and checks plans that the user has dictated, some of which no kernel can follow.
#include "query/plan/device_plan.h"

#include <algorithm>
#include <optional>

#include "query/plan/planner.h"

namespace presso::query {
namespace {

/// The error for a dictated plan that no kernel can follow.
Error cannot_follow(std::string why) {
  return make_error(ErrorCode::kUnsupported, "a plan that a GPU cannot follow: " + why);
}

/// Splits a group by kind and appends the parts to the kernel: conditions on columns to one place,
/// expressions to the other. If both parts exist, a branch stands between them. Optional conditions
/// are left out: they would drop only rows that the join drops anyway.
void add_group(const FilterPlan& plan, const std::vector<std::size_t>& group,
               DeviceKernel& kernel) {
  std::vector<std::size_t> on_columns;
  std::vector<std::size_t> expressions;
  for (const std::size_t number : group) {
    const Condition& condition = plan.conditions[number];
    if (condition.is_optional) continue;
    (has_expression(condition.filter) ? expressions : on_columns).push_back(number);
  }
  if (!on_columns.empty()) kernel.on_columns.push_back(std::move(on_columns));
  if (!expressions.empty()) kernel.expressions.push_back(std::move(expressions));
}

/// A kernel more pays, for strings that are tested row by row, if others leave at most this share.
/// It is used where the GPU's rates are not known.
constexpr double kShareToDivide = 0.75;

std::uint32_t string_tests(const Filter& filter) {
  if (filter.is_leaf()) return filter.kind == Filter::Kind::kText ? 1 : 0;
  std::uint32_t tests = 0;
  for (const Filter& part : filter.parts) tests += string_tests(part);
  return tests;
}

/// Appends the kernel, as two if strings that are tested row by row are to wait for others. Each
/// has room for the bits of three tests of strings beside those of the rows that are left.
void add_divided(const FilterPlan& plan, DeviceKernel kernel, std::vector<DeviceKernel>& kernels) {
  DeviceKernel first, then;
  double share = 1;
  std::uint32_t tests[2] = {0, 0};
  for (const std::vector<std::size_t>& group : kernel.on_columns) {
    std::vector<std::size_t> parts[2];
    for (const std::size_t number : group) {
      const Condition& condition = plan.conditions[number];
      parts[condition.by_rows ? 1 : 0].push_back(number);
      tests[condition.by_rows ? 1 : 0] += string_tests(condition.filter);
      if (!condition.by_rows) share *= condition.selectivity;
    }
    if (!parts[0].empty()) first.on_columns.push_back(std::move(parts[0]));
    if (!parts[1].empty()) then.on_columns.push_back(std::move(parts[1]));
  }
  const bool has_room = tests[0] < kMostStringTests && tests[1] < kMostStringTests;
  if (first.on_columns.empty() || then.on_columns.empty() || !has_room || share > kShareToDivide) {
    kernels.push_back(std::move(kernel));
    return;
  }
  then.expressions = std::move(kernel.expressions);
  kernels.push_back(std::move(first));
  kernels.push_back(std::move(then));
}

/// Checks whether a kernel can test the conditions in the order and the groups of the pass: no
/// condition on a column may come after, or in one group with, an expression.
Status check_order(const FilterPlan& plan, const FilterPass& pass) {
  std::optional<std::size_t> expression;
  for (const auto& group : pass.groups) {
    for (const std::size_t number : group) {
      if (has_expression(plan.conditions[number].filter)) expression = number;
    }
    if (!expression) continue;
    for (const std::size_t number : group) {
      if (has_expression(plan.conditions[number].filter)) continue;
      return cannot_follow("condition " + std::to_string(*expression + 1) +
                           " is an expression, which a kernel tests behind condition " +
                           std::to_string(number + 1) +
                           " and '&&', or in a kernel of its own (';')");
    }
  }
  return {};
}

}  // namespace

Result<std::vector<DeviceKernel>> device_kernels(const FilterPlan& plan, const PlanChoice& asked) {
  std::vector<DeviceKernel> kernels(1);
  const bool is_asked = !asked.plan.empty();
  const bool by_its_rates = !is_asked && plan.on_device.has_value();
  const std::vector<FilterPass>& passes = by_its_rates ? plan.on_device->kernels : plan.passes;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const FilterPass& pass = passes[i];
    if (i > 0 && (is_asked || by_its_rates)) kernels.emplace_back();
    if (is_asked) PRESSO_TRY(check_order(plan, pass));
    for (const auto& group : pass.groups) add_group(plan, group, kernels.back());
  }
  if (!is_asked && !by_its_rates && asked.rows != PlanChoice::Rows::kList) {
    std::vector<DeviceKernel> divided;
    for (DeviceKernel& kernel : kernels) add_divided(plan, std::move(kernel), divided);
    kernels = std::move(divided);
  }
  if (plan.writes_rows) kernels.emplace_back();
  if (kernels.size() > 1 && asked.rows == PlanChoice::Rows::kList) {
    return cannot_follow("rows go from one kernel to the next as a bitmap, not as a list");
  }
  return kernels;
}

std::string device_plan_text(const std::vector<DeviceKernel>& kernels) {
  std::vector<FilterPass> passes;
  for (const DeviceKernel& kernel : kernels) {
    FilterPass& pass = passes.emplace_back();
    pass.groups = kernel.on_columns;
    pass.groups.insert(pass.groups.end(), kernel.expressions.begin(), kernel.expressions.end());
  }
  return plan_text(passes);
}

}  // namespace presso::query
