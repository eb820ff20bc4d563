// SPDX-License-Identifier: MIT
// The CPU's cost model and the two dynamic programmes of planner.h. Sets of conditions are bit
// masks. Costs are nanoseconds for each row of the slices that zones leave; cost_with() scales them
// to all rows of the tables.
#include "query/plan/planner.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "query/plan/joint_shares.h"

namespace presso::query {
namespace {

/// The cost of a group of conditions that are tested in the same vectors, in two parts.
struct GroupCost {
  /// The part that is multiplied by r_k because the conditions run together, and the part that is
  /// not.
  double vectors = 0;
  double rest = 0;
  GroupCost operator+(const GroupCost& other) const {
    return {vectors + other.vectors, rest + other.rest};
  }
};

/// The cost model (S4.3, S4.6). Holds a reference to the input.
class Model {
 public:
  explicit Model(const PlannerInput& input) : input_(input) {}

  /// The cost of one condition if the shares `before` are left when it is tested.
  GroupCost one(std::size_t condition, const Left& before) const {
    const ConditionCost& cost = input_.costs[condition];
    double texts = before.vectors * cost.dense_ns;
    if (cost.sparse_ns > 0) texts = std::min(texts, before.rows * cost.sparse_ns);
    return {before.vectors * cost.vector_ns,
            before.rows * cost.row_ns + before.slices * cost.read_ns + texts};
  }

  /// The cost of a group of `count` conditions with the given sum. A branch stands before it unless
  /// it is the first.
  double group(const GroupCost& sum, std::size_t count, const Left& before, bool is_first) const {
    return sum.vectors * together(count) + sum.rest + (is_first ? 0 : branch(before));
  }

  /// What the end of a pass costs in addition to a branch: all vectors are looked at again, and a
  /// list of row numbers is made if it is smaller than the bitmap.
  double pass(const Left& before) const {
    const double list = list_is_smaller(before.rows) ? input_.rates.list_ns * before.rows : 0;
    return input_.rates.bitmap_ns + list - branch(before);
  }

 private:
  /// The cost of testing each vector for live rows, of which one misprediction in about two is
  /// assumed.
  double branch(const Left& before) const {
    return before.vectors * input_.rates.branch_ns / kBatchRows;
  }
  /// r_k of S4.6: how much cheaper k conditions are together than one by one, at most 1.
  double together(std::size_t count) const {
    const auto& rates = input_.rates.together;
    if (rates.empty()) return 1;
    return rates[std::min(count, rates.size()) - 1];
  }

  const PlannerInput& input_;
};

/// What stands before a group: '&&' or ';'.
enum class Begin : Byte { kBranch, kPass };

/// The cheapest way found so far to have tested a prefix of an order, or a set of conditions.
struct Choice {
  double cost = std::numeric_limits<double>::infinity();
  /// The length of the prefix, or the set, before the last group.
  std::size_t before = 0;
  Begin begin = Begin::kBranch;

  void take_cheaper(double other, std::size_t from, Begin how) {
    if (other < cost) *this = {other, from, how};
  }
};

/// Builds a plan from its last group to its first, the order in which choices are traced back.
class PlanFromEnd {
 public:
  void put_in_front(std::vector<std::size_t> group, Begin begin) {
    if (next_is_pass_) passes_.insert(passes_.begin(), FilterPass{});
    passes_.front().groups.insert(passes_.front().groups.begin(), std::move(group));
    next_is_pass_ = begin == Begin::kPass;
  }
  std::vector<FilterPass> take() { return std::move(passes_); }

 private:
  std::vector<FilterPass> passes_;
  bool next_is_pass_ = true;
};

/// The dynamic programme over sets: best_[s] is the least cost of having tested set s, over all
/// choices of the last group. It runs forward, from each set to all sets that one more group makes
/// of it, in 3^n steps. The sum of a group is that of the group without its lowest condition, plus
/// that condition.
class AllOrders {
 public:
  AllOrders(const PlannerInput& input, const std::vector<Left>& left)
      : input_(input), model_(input), left_(left), best_(left.size()), sums_(left.size()) {}

  /// Runs the programme and traces the cheapest plan back. Within a group, whose order costs
  /// nothing, the most selective condition comes first.
  std::vector<FilterPass> best_plan() {
    best_[0].cost = 0;
    for (ConditionSet before = 0; before + 1 < best_.size(); ++before) extend(before);
    PlanFromEnd plan;
    for (auto set = static_cast<ConditionSet>(best_.size() - 1); set != 0;) {
      const Choice& choice = best_[set];
      const auto before = static_cast<ConditionSet>(choice.before);
      std::vector<std::size_t> group = members(set & ~before);
      std::stable_sort(group.begin(), group.end(), [&](std::size_t a, std::size_t b) {
        return input_.selectivities[a] < input_.selectivities[b];
      });
      plan.put_in_front(std::move(group), choice.begin);
      set = before;
    }
    return plan.take();
  }

 private:
  /// Extends the cheapest plan for `before` by every possible group, after '&&' and after ';'.
  void extend(ConditionSet before) {
    const Left& left = left_[before];
    const ConditionSet rest = static_cast<ConditionSet>(best_.size() - 1) & ~before;
    const bool is_first = before == 0;
    for (ConditionSet one = rest; one != 0; one &= one - 1) {
      sums_[one & -one] = model_.one(static_cast<std::size_t>(std::countr_zero(one)), left);
    }
    const double cost_before = best_[before].cost;
    const double pass = is_first ? 0 : model_.pass(left);
    for (ConditionSet group = rest & -rest; group != 0; group = (group - rest) & rest) {
      const ConditionSet lowest = group & -group;
      const ConditionSet others = group & ~lowest;
      if (others != 0) sums_[group] = sums_[others] + sums_[lowest];
      const auto count = static_cast<std::size_t>(std::popcount(group));
      const double cost = cost_before + model_.group(sums_[group], count, left, is_first);
      Choice& best = best_[before | group];
      best.take_cheaper(cost, before, Begin::kBranch);
      best.take_cheaper(cost + pass, before, Begin::kPass);
    }
  }

  const PlannerInput& input_;
  Model model_;
  const std::vector<Left>& left_;
  std::vector<Choice> best_;
  /// By group, if it comes directly after the set that is being extended.
  std::vector<GroupCost> sums_;
};

/// The dynamic programme over an order: best[j] is the least cost of the first j conditions, whose
/// last group is [i, j). O(n^2) steps.
std::vector<FilterPass> best_in_order(const PlannerInput& input,
                                      const std::vector<std::size_t>& order,
                                      const std::vector<Left>& left) {
  const Model model(input);
  const std::size_t n = order.size();
  std::vector<Choice> best(n + 1);
  best[0].cost = 0;
  for (std::size_t i = 0; i < n; ++i) {
    GroupCost sum;
    const double pass = i == 0 ? 0 : model.pass(left[i]);
    for (std::size_t j = i + 1; j <= n; ++j) {
      sum = sum + model.one(order[j - 1], left[i]);
      const double cost = best[i].cost + model.group(sum, j - i, left[i], i == 0);
      best[j].take_cheaper(cost, i, Begin::kBranch);
      best[j].take_cheaper(cost + pass, i, Begin::kPass);
    }
  }
  PlanFromEnd plan;
  for (std::size_t j = n; j > 0; j = best[j].before) {
    plan.put_in_front({order.begin() + static_cast<std::ptrdiff_t>(best[j].before),
                       order.begin() + static_cast<std::ptrdiff_t>(j)},
                      best[j].begin);
  }
  return plan.take();
}

/// Prices passes and decides which of them read lists. `after(group)` returns the shares that are
/// left after each group, in order.
template <class After>
PlanShape cost_with(const PlannerInput& input, std::vector<FilterPass> passes, const After& after) {
  const Model model(input);
  PlanShape shape;
  Left left;
  bool is_first = true;
  for (FilterPass& pass : passes) {
    if (!is_first) {
      pass.as_list = list_is_smaller(left.rows);
      shape.cost_ns += model.pass(left);
    }
    for (const auto& group : pass.groups) {
      GroupCost sum;
      for (const std::size_t number : group) sum = sum + model.one(number, left);
      shape.cost_ns += model.group(sum, group.size(), left, is_first);
      left = after(group);
      is_first = false;
    }
  }
  shape.cost_ns *= input.live_share;
  shape.selectivity = left.rows * input.live_share;
  shape.passes = std::move(passes);
  return shape;
}

/// Prices passes by the shares of all sets, which must have been computed for these conditions.
PlanShape cost_by_sets(const PlannerInput& input, std::vector<FilterPass> passes,
                       const std::vector<Left>& left) {
  ConditionSet tested = 0;
  return cost_with(input, std::move(passes), [&](const std::vector<std::size_t>& group) {
    for (const std::size_t number : group) tested |= ConditionSet{1} << number;
    return left[tested];
  });
}

/// Prices passes of any number of conditions; shares are computed for prefixes of their order only.
PlanShape cost_by_prefixes(const PlannerInput& input, std::vector<FilterPass> passes) {
  std::vector<std::size_t> order;
  for (const FilterPass& pass : passes) {
    for (const auto& group : pass.groups) order.insert(order.end(), group.begin(), group.end());
  }
  const std::vector<Left> left = shares_of_prefixes(input, order);
  std::size_t tested = 0;
  return cost_with(input, std::move(passes), [&](const std::vector<std::size_t>& group) {
    tested += group.size();
    return left[tested];
  });
}

/// Adds every way to cut an order into groups and these into passes: 3^(n-1) ways, the digits of
/// `way` in base 3. Of ways that differ only in the order within groups, the ascending one is
/// added.
void add_cuts(const PlannerInput& input, const std::vector<std::size_t>& order,
              const std::vector<Left>& left, std::vector<PlanShape>& plans) {
  std::size_t ways = 1;
  for (std::size_t i = 1; i < order.size(); ++i) ways *= 3;
  for (std::size_t way = 0; way < ways; ++way) {
    std::vector<FilterPass> passes(1);
    passes[0].groups.push_back({order[0]});
    bool ascending = true;
    std::size_t rest = way;
    for (std::size_t i = 1; i < order.size(); ++i, rest /= 3) {
      if (rest % 3 == 2) passes.emplace_back();
      if (rest % 3 != 0) passes.back().groups.emplace_back();
      ascending = ascending && (rest % 3 != 0 || order[i - 1] < order[i]);
      passes.back().groups.back().push_back(order[i]);
    }
    if (ascending) plans.push_back(cost_by_sets(input, std::move(passes), left));
  }
}

}  // namespace

bool list_is_smaller(double share) {
  return share < 1.0 / 16;
}

std::vector<std::size_t> rank_order(const PlannerInput& input) {
  std::vector<std::size_t> order(input.costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const Model model(input);
  const auto rank = [&](std::size_t i) {
    const GroupCost cost = model.one(i, Left{});
    return (input.selectivities[i] - 1) / std::max(cost.vectors + cost.rest, 1e-6);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return order;
}

PlanShape cost_of(const PlannerInput& input, std::vector<FilterPass> passes) {
  if (input.costs.size() > kMostOrdered) return cost_by_prefixes(input, std::move(passes));
  return cost_by_sets(input, std::move(passes), shares_of_sets(input));
}

PlanShape choose_groups(const PlannerInput& input, const std::vector<std::size_t>& order) {
  if (order.empty()) return {};
  if (order.size() > kMostOrdered) {
    return cost_by_prefixes(input, best_in_order(input, order, shares_of_prefixes(input, order)));
  }
  const std::vector<Left> of_sets = shares_of_sets(input);
  std::vector<Left> left(1);
  ConditionSet tested = 0;
  for (const std::size_t number : order) {
    tested |= ConditionSet{1} << number;
    left.push_back(of_sets[tested]);
  }
  return cost_by_sets(input, best_in_order(input, order, left), of_sets);
}

PlanShape choose_plan(const PlannerInput& input) {
  const std::size_t n = input.costs.size();
  if (n == 0) return {};
  if (n > kMostOrdered) return choose_groups(input, rank_order(input));
  const std::vector<Left> left = shares_of_sets(input);
  return cost_by_sets(input, AllOrders(input, left).best_plan(), left);
}

std::vector<PlanShape> all_plans(const PlannerInput& input) {
  const std::vector<Left> left = shares_of_sets(input);
  std::vector<std::size_t> order(input.costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<PlanShape> plans;
  do {
    add_cuts(input, order, left, plans);
  } while (std::next_permutation(order.begin(), order.end()));
  return plans;
}

}  // namespace presso::query
