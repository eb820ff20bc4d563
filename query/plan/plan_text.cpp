// SPDX-License-Identifier: MIT
// Plans in the notation that users write and --explain prints: conditions by number from 1, with
// '&' within a group, '&&' between groups and ';' between passes. Tested by
// tests/unit/query/plan/planner_test.cpp.
#include <algorithm>

#include "query/plan/planner.h"

namespace presso::query {

std::string plan_text(const std::vector<FilterPass>& passes) {
  std::string text;
  for (const FilterPass& pass : passes) {
    if (!text.empty()) text += ";";
    for (std::size_t group = 0; group < pass.groups.size(); ++group) {
      if (group > 0) text += "&&";
      for (std::size_t i = 0; i < pass.groups[group].size(); ++i) {
        if (i > 0) text += "&";
        text += std::to_string(pass.groups[group][i] + 1);
      }
    }
  }
  return text;
}

std::string FilterPlan::text() const {
  return plan_text(passes) + (writes_rows ? ";" : "");
}

void add_condition(FilterPlan& plan, Filter filter) {
  plan.on_device.reset();
  if (plan.passes.empty()) plan.passes.emplace_back();
  auto& groups = plan.passes.front().groups;
  groups.insert(groups.begin(), std::vector<std::size_t>{plan.conditions.size()});
  plan.conditions.emplace_back();
  plan.conditions.back().filter = std::move(filter);
}

Result<std::vector<FilterPass>> parse_plan(const std::string& text, std::size_t conditions) {
  const auto refused = [&](std::string_view why) {
    std::string what = "--plan ";
    what.append(text).append(": ").append(why).append("; the ");
    what.append(std::to_string(conditions));
    what.append(" conditions are numbered from 1, with '&', '&&' or ';' between them");
    return make_error(ErrorCode::kInvalidArgument, std::move(what));
  };
  std::vector<FilterPass> passes(1);
  passes[0].groups.emplace_back();
  std::vector<bool> seen(conditions);
  std::size_t at = 0;
  while (true) {
    std::size_t number = 0;
    const std::size_t begin = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9' && at - begin < 6) {
      number = number * 10 + static_cast<std::size_t>(text[at++] - '0');
    }
    if (at == begin) return refused("a number is missing");
    if (number == 0 || number > conditions) return refused("there is no such condition");
    if (seen[number - 1]) return refused("a condition stands there twice");
    seen[number - 1] = true;
    passes.back().groups.back().push_back(number - 1);
    if (at == text.size()) break;
    if (text[at] == ';') {
      if (at + 1 == text.size()) break;
      passes.emplace_back();
      passes.back().groups.emplace_back();
      ++at;
    } else if (text[at] == '&') {
      const bool branch = at + 1 < text.size() && text[at + 1] == '&';
      if (branch) passes.back().groups.emplace_back();
      at += branch ? 2 : 1;
    } else {
      return refused("only '&', '&&' and ';' stand between numbers");
    }
  }
  if (!std::all_of(seen.begin(), seen.end(), [](bool one) { return one; })) {
    return refused("a condition is missing");
  }
  return passes;
}

}  // namespace presso::query
