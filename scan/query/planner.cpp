// SPDX-License-Identifier: MIT
#include "scan/query/planner.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace presso::query {
namespace {

using Set = std::uint32_t;  ///< a bit a condition

constexpr std::size_t kMostOrdered = 10;
constexpr double kSliceRowsOfModel = 65536;

/// What is left after the conditions of a set.
struct Left {
  double rows = 1;     ///< share of the rows
  double vectors = 1;  ///< share of the vectors that have one of them
};

/// Shares of rows and vectors, of the sample or under independence.
class Model {
 public:
  explicit Model(const PlannerInput& input) : input_(input) {}

  Left after(const std::vector<std::size_t>& conditions) const {
    if (input_.sample.vectors != 0) return counted(conditions);
    double share = 1;
    for (const std::size_t condition : conditions) share *= input_.selectivities[condition];
    return {share, any_of(share, kBatchRows)};
  }

  /// 1 - (1 - p)^n: that one of n rows is left, the exact form of S4.3's phi.
  static double any_of(double share, double rows) {
    if (share >= 1) return 1;
    return -std::expm1(rows * std::log1p(-std::max(share, 0.0)));
  }

  double together(std::size_t count) const {
    const auto& rates = input_.rates.together;
    if (rates.empty()) return 1;
    return rates[std::min(count, rates.size()) - 1];
  }

 private:
  Left counted(const std::vector<std::size_t>& conditions) const {
    const ConditionSample& sample = input_.sample;
    std::uint64_t rows = 0;
    std::uint32_t vectors = 0;
    for (std::uint32_t vector = 0; vector < sample.vectors; ++vector) {
      std::uint64_t in_vector = 0;
      for (std::uint32_t word = 0; word < kBatchWords; ++word) {
        std::uint64_t bits = ~std::uint64_t{0};
        for (const std::size_t condition : conditions) {
          bits &= sample.bits[condition][vector * kBatchWords + word];
        }
        in_vector += static_cast<std::uint64_t>(std::popcount(bits));
      }
      rows += in_vector;
      vectors += in_vector != 0 ? 1 : 0;
    }
    const double share = static_cast<double>(rows) / (1024.0 * sample.vectors);
    // A sample without a row does not prove that there is none.
    const double least = 0.3 / (1024.0 * sample.vectors);
    Left left{std::max(share, least), static_cast<double>(vectors) / sample.vectors};
    if (rows == 0) left.vectors = any_of(left.rows, kBatchRows);
    return left;
  }

  const PlannerInput& input_;
};

/// The cost of testing `group` where `before` is left; `own_pass`: it begins a pass.
double group_cost(const PlannerInput& input, const Model& model, const Left& before,
                  const std::vector<std::size_t>& group, bool begins_pass) {
  double vectors = 0;
  double rows = 0;
  double reading = 0;
  double share = before.rows;
  for (const std::size_t number : group) {
    const ConditionCost& cost = input.costs[number];
    vectors += cost.vector_ns - (begins_pass && group.size() == 1 ? cost.saved_by_pass : 0);
    rows += cost.row_ns * share;
    reading += cost.read_ns;
    share *= input.selectivities[number];
  }
  const double slices = Model::any_of(before.rows, kSliceRowsOfModel);
  return before.vectors * (vectors * model.together(group.size()) + input.rates.branch_ns / 1024) +
         rows + reading * slices;
}

/// What it costs to end a pass with these rows left and to begin the next one.
double pass_cost(const QueryRates& rates, const Left& left, bool as_list) {
  return as_list ? rates.list_ns * left.rows : rates.bitmap_ns;
}

/// A list of row numbers of 32 bits is smaller than a bitmap below 1/32 (S4.4); within a slice 16
/// bits suffice, so that it is 1/16.
bool list_is_smaller(const Left& left) {
  return left.rows < 1.0 / 16;
}

std::vector<std::size_t> rank_order(const PlannerInput& input) {
  std::vector<std::size_t> order(input.costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto rank = [&](std::size_t i) {
    const ConditionCost& cost = input.costs[i];
    return (input.selectivities[i] - 1) /
           std::max(cost.vector_ns + cost.row_ns + cost.read_ns, 1e-6);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return order;
}

/// How the last group of a plan begins.
enum class Begin : Byte { kFirst, kBranch, kPass };

struct Choice {
  double cost = std::numeric_limits<double>::infinity();
  std::size_t before = 0;  ///< a prefix' length, or a set
  Begin begin = Begin::kFirst;
};

/// The cheaper way to begin a group behind something: a branch, or a new pass.
Choice cheaper_begin(const PlannerInput& input, const Model& model, const Left& before,
                     const std::vector<std::size_t>& group, bool is_first) {
  Choice choice;
  if (is_first) {
    choice.cost = group_cost(input, model, before, group, true);
    return choice;
  }
  const double branch = group_cost(input, model, before, group, false);
  const double pass = group_cost(input, model, before, group, true) +
                      pass_cost(input.rates, before, list_is_smaller(before));
  choice.cost = std::min(branch, pass);
  choice.begin = pass < branch ? Begin::kPass : Begin::kBranch;
  return choice;
}

void put_in_front(std::vector<FilterPass>& passes, std::vector<std::size_t> group, Begin begin,
                  bool new_pass) {
  if (new_pass) passes.insert(passes.begin(), FilterPass{});
  passes.front().groups.insert(passes.front().groups.begin(), std::move(group));
  (void)begin;
}

/// f(j): the least cost of the first j conditions of the order; each group is [i, j). O(n^3) with
/// the sums within a group.
std::vector<FilterPass> group_in_order(const PlannerInput& input,
                                       const std::vector<std::size_t>& order) {
  const Model model(input);
  const std::size_t n = order.size();
  std::vector<Left> left(n + 1);
  for (std::size_t i = 1; i <= n; ++i) {
    left[i] = model.after({order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i)});
  }
  std::vector<Choice> best(n + 1);
  best[0].cost = 0;
  for (std::size_t j = 1; j <= n; ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const std::vector<std::size_t> group(order.begin() + static_cast<std::ptrdiff_t>(i),
                                           order.begin() + static_cast<std::ptrdiff_t>(j));
      Choice choice = cheaper_begin(input, model, left[i], group, i == 0);
      choice.cost += best[i].cost;
      choice.before = i;
      if (choice.cost < best[j].cost) best[j] = choice;
    }
  }
  std::vector<FilterPass> passes;
  bool new_pass = true;
  for (std::size_t j = n; j > 0; j = best[j].before) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(best[j].before);
    put_in_front(passes, {begin, order.begin() + static_cast<std::ptrdiff_t>(j)}, best[j].begin,
                 new_pass);
    new_pass = best[j].begin == Begin::kPass;
  }
  return passes;
}

std::vector<std::size_t> members(Set set) {
  std::vector<std::size_t> numbers;
  for (; set != 0; set &= set - 1) {
    numbers.push_back(static_cast<std::size_t>(std::countr_zero(set)));
  }
  return numbers;
}

/// Costs of groups for all sets of conditions, made from those of smaller sets.
struct SetSums {
  std::vector<double> vector_ns;
  std::vector<double> read_ns;
  explicit SetSums(const PlannerInput& input)
      : vector_ns(std::size_t{1} << input.costs.size()), read_ns(vector_ns.size()) {
    for (Set set = 1; set < vector_ns.size(); ++set) {
      const auto lowest = static_cast<std::size_t>(std::countr_zero(set));
      vector_ns[set] = vector_ns[set & (set - 1)] + input.costs[lowest].vector_ns;
      read_ns[set] = read_ns[set & (set - 1)] + input.costs[lowest].read_ns;
    }
  }
};

/// Rows of the sample that fulfil every set of conditions, each from a smaller set.
std::vector<Left> left_after_sets(const PlannerInput& input, const Model& model) {
  const std::size_t sets = std::size_t{1} << input.costs.size();
  std::vector<Left> left(sets);
  for (Set set = 1; set < sets; ++set) left[set] = model.after(members(set));
  return left;
}

/// f(S): the least cost of having tested the set S, over all last groups. 3^n steps.
std::vector<FilterPass> best_of_all_orders(const PlannerInput& input) {
  const Model model(input);
  const std::vector<Left> left = left_after_sets(input, model);
  const SetSums sums(input);
  std::vector<Choice> best(left.size());
  best[0].cost = 0;
  const double list_or_map = input.rates.bitmap_ns;
  for (Set set = 1; set < left.size(); ++set) {
    for (Set group = set; group != 0; group = (group - 1) & set) {
      const Set before = set & ~group;
      const auto count = static_cast<std::size_t>(std::popcount(group));
      const Left& from = left[before];
      double row_ns = 0;
      double saved = 0;
      for (Set rest = group; rest != 0; rest &= rest - 1) {
        const ConditionCost& cost = input.costs[static_cast<std::size_t>(std::countr_zero(rest))];
        row_ns += cost.row_ns;
        if (count == 1) saved = cost.saved_by_pass;
      }
      const double reading = sums.read_ns[group] * Model::any_of(from.rows, kSliceRowsOfModel);
      const double rate = model.together(count);
      double cost = best[before].cost + reading + row_ns * from.rows +
                    from.vectors * (sums.vector_ns[group] * rate + input.rates.branch_ns / 1024);
      Begin begin = before == 0 ? Begin::kFirst : Begin::kBranch;
      const double boundary =
          before == 0 ? 0 : (list_is_smaller(from) ? input.rates.list_ns * from.rows : list_or_map);
      const double gain = from.vectors * saved * rate - boundary;
      if (gain > 0) {
        cost -= gain;
        if (before != 0) begin = Begin::kPass;
      }
      if (cost < best[set].cost) best[set] = {cost, before, begin};
    }
  }
  std::vector<FilterPass> passes;
  bool new_pass = true;
  for (auto set = static_cast<Set>(left.size() - 1); set != 0;
       set = static_cast<Set>(best[set].before)) {
    std::vector<std::size_t> group = members(set & ~static_cast<Set>(best[set].before));
    std::stable_sort(group.begin(), group.end(), [&](std::size_t a, std::size_t b) {
      return input.selectivities[a] < input.selectivities[b];
    });
    put_in_front(passes, std::move(group), best[set].begin, new_pass);
    new_pass = best[set].begin == Begin::kPass;
  }
  return passes;
}

/// All ways to cut an order into groups, and these into passes.
void add_cuts(const PlannerInput& input, const std::vector<std::size_t>& order,
              std::vector<PlanShape>& plans) {
  const std::size_t gaps = order.size() - 1;
  std::size_t ways = 1;
  for (std::size_t i = 0; i < gaps; ++i) ways *= 3;
  for (std::size_t way = 0; way < ways; ++way) {
    std::vector<FilterPass> passes(1);
    passes[0].groups.push_back({order[0]});
    std::size_t rest = way;
    for (std::size_t i = 1; i < order.size(); ++i, rest /= 3) {
      if (rest % 3 == 2) passes.emplace_back();
      if (rest % 3 != 0) passes.back().groups.emplace_back();
      passes.back().groups.back().push_back(order[i]);
    }
    plans.push_back(cost_of(input, std::move(passes)));
  }
}

}  // namespace

PlanShape cost_of(const PlannerInput& input, std::vector<FilterPass> passes) {
  const Model model(input);
  PlanShape shape;
  std::vector<std::size_t> tested;
  Left left;
  for (FilterPass& pass : passes) {
    if (!tested.empty()) {
      pass.as_list = list_is_smaller(left);
      shape.cost_ns += pass_cost(input.rates, left, pass.as_list);
    }
    bool first = true;
    for (const auto& group : pass.groups) {
      shape.cost_ns += group_cost(input, model, left, group, first);
      tested.insert(tested.end(), group.begin(), group.end());
      left = model.after(tested);
      first = false;
    }
  }
  shape.selectivity = left.rows;
  shape.passes = std::move(passes);
  return shape;
}

PlanShape choose_plan(const PlannerInput& input) {
  const std::size_t n = input.costs.size();
  if (n == 0) return {};
  const bool all_orders = input.sample.vectors != 0 && n <= kMostOrdered;
  return cost_of(input,
                 all_orders ? best_of_all_orders(input) : group_in_order(input, rank_order(input)));
}

std::vector<PlanShape> all_plans(const PlannerInput& input) {
  std::vector<std::size_t> order(input.costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<PlanShape> plans;
  do {
    add_cuts(input, order, plans);
  } while (std::next_permutation(order.begin(), order.end()));
  return plans;
}

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
  return plan_text(passes);
}

Result<std::vector<FilterPass>> parse_plan(const std::string& text, std::size_t conditions) {
  const auto refused = [&](const std::string& why) {
    return make_error(ErrorCode::kInvalidArgument,
                      "--plan " + text + ": " + why + "; the " + std::to_string(conditions) +
                          " conditions are numbered from 1, with '&', '&&' or ';' between them");
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
      passes.emplace_back();
      passes.back().groups.emplace_back();
      ++at;
    } else if (text[at] == '&') {
      const bool branch = at + 1 < text.size() && text[at + 1] == '&';
      if (branch) passes.back().groups.emplace_back();
      at += branch ? 2 : 1;
    } else {
      return refused("'" + text.substr(at, 1) + "' is not known");
    }
  }
  if (!std::all_of(seen.begin(), seen.end(), [](bool one) { return one; })) {
    return refused("a condition is missing");
  }
  return passes;
}

}  // namespace presso::query
