// SPDX-License-Identifier: MIT
// Implements device_planner.h, the choice of order, groups and kernels for conditions on a GPU, by
// dynamic programmes. With n conditions, sets of conditions are bit masks; tables have 2^n elements
// of at most 16 bytes, 16 kB each for the maximum of ten conditions.
#include "query/plan/device_planner.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "query/plan/joint_shares.h"

namespace presso::query {
namespace {

/// The GPU's cost model: nanoseconds for each row of the slices that are read.
class DeviceModel {
 public:
  explicit DeviceModel(const DeviceFigures& figures) : figures_(figures) {}

  /// The cost of one condition. `begin` is the share of rows left when its kernel begins, which is
  /// when words are read ahead; `before` is the share left when the condition is tested.
  double one(std::size_t condition, const Left& begin, const Left& before) const {
    const DeviceCost& cost = figures_.costs[condition];
    return cost.once_ns + tested_strings(begin) * cost.strings_ns + begin.vectors * cost.read_ns +
           before.vectors * cost.vector_ns + before.rows * cost.row_ns;
  }
  /// The cost of skipping vectors without live rows between two groups.
  double branch(const Left& before) const {
    return before.vectors * figures_.branch_ns / kBatchRows;
  }
  /// The cost of ending a kernel and starting the next one.
  double division() const { return figures_.pass_ns + figures_.launch_ns; }
  /// An upper bound of what ending a kernel can save on the conditions that are still to be tested.
  double most_spared(const std::vector<std::size_t>& conditions, const Left& before) const {
    double sum = 0, strings = 0;
    for (const std::size_t number : conditions) {
      sum += figures_.costs[number].read_ns + figures_.costs[number].vector_ns;
      strings += figures_.costs[number].strings_ns;
    }
    return sum * (1 - before.vectors) + strings * (1 - tested_strings(before)) + branch(before);
  }

 private:
  /// The share of the time for all strings that those of a kernel take. Where few rows are left
  /// they are tested one by one, and finding them in a vector costs something, too; otherwise all
  /// rows of a vector are tested. Measured on an H200 (plan_sweep_gpu, the points with LIKE).
  static double tested_strings(const Left& begin) {
    constexpr double kOfVector = 0.15;
    constexpr double kOfRow = 10;
    return std::min(begin.vectors, kOfVector * begin.vectors + kOfRow * begin.rows);
  }

  const DeviceFigures& figures_;
};

/// The best way found so far to have tested a set of conditions.
struct DeviceChoice {
  double cost = std::numeric_limits<double>::infinity();
  /// The set that had been tested before the last step.
  ConditionSet before = 0;
};

/// Searches all divisions into kernels and groups. Outer programme: kernels_[s] is the cheapest way
/// to have tested set s in complete kernels. Inner programme, run for each set b at which a kernel
/// may begin: groups_[s] is the cheapest way to get from b to s within one kernel. 4^n steps in the
/// worst case; sets at which ending a kernel cannot pay are skipped, which are nearly all.
class AllKernels {
 public:
  AllKernels(const PlannerInput& input, const std::vector<Left>& left)
      : input_(input),
        model_(*input.device),
        left_(left),
        all_(static_cast<ConditionSet>(left.size() - 1)),
        kernels_(left.size()),
        groups_(left.size()),
        sums_(left.size()),
        strings_(left.size()),
        by_rows_(left.size()) {
    for (std::size_t i = 0; i < input.device->costs.size(); ++i) {
      if (input.device->costs[i].is_expression) expressions_ |= ConditionSet{1} << i;
    }
    for (ConditionSet set = 1; set <= all_; ++set) {
      const auto lowest = static_cast<std::size_t>(std::countr_zero(set));
      strings_[set] = strings_[set & (set - 1)] + input.device->costs[lowest].strings;
      by_rows_[set] = by_rows_[set & (set - 1)] + input.device->costs[lowest].by_rows;
    }
  }

  std::vector<FilterPass> best_plan(bool may_divide) {
    find_kernels(may_divide, true);
    // If one condition alone has more string tests than a kernel has room for, or if kernels must
    // not end, no division fits. A plan is made without regard to room, and whoever runs it
    // refuses.
    if (kernels_[all_].cost == kNone) find_kernels(false, false);
    looked_at_ = compared_;
    std::vector<FilterPass> passes;
    for (ConditionSet end = all_; end != 0;) {
      const ConditionSet begin = kernels_[end].before;
      find_groups(begin);
      passes.insert(passes.begin(), kernel(begin, end));
      end = begin;
    }
    return passes;
  }

  std::uint64_t looked_at() const { return looked_at_; }

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  /// Whether a kernel that tests `kernel` has room for the bitmaps of its string tests, and for the
  /// bitmap of the kernel before it unless `begin` is empty. Columns that are coded in the first
  /// row group may need bitmaps in others, so a kernel may end only if all of its strings fit even
  /// then.
  bool has_room(ConditionSet begin, ConditionSet kernel) const {
    if (kernel == all_) return by_rows_[kernel] <= kMostStringTests;
    return strings_[kernel] <= kMostStringTests - (begin != 0 ? 1 : 0);
  }

  /// Fills kernels_. `needs_room` demands has_room() of every kernel; `may_divide` permits more
  /// than one kernel.
  void find_kernels(bool may_divide, bool needs_room) {
    kernels_.assign(kernels_.size(), {});
    kernels_[0].cost = 0;
    const bool must_divide = needs_room && !has_room(0, all_);
    for (ConditionSet begin = 0; begin < all_; ++begin) {
      if (begin != 0 && !(may_divide && (must_divide || may_pay(begin)))) continue;
      if (kernels_[begin].cost == kNone) continue;
      find_groups(begin);
      const double cost = kernels_[begin].cost + (begin != 0 ? model_.division() : 0);
      for_each_part(all_ & ~begin, [&](ConditionSet kernel) {
        if (needs_room && !has_room(begin, kernel)) return;
        take_cheaper(kernels_[begin | kernel], cost + groups_[begin | kernel].cost, begin);
      });
    }
  }

  /// Whether a kernel boundary after `begin` could pay at all; if not, the set is not extended.
  bool may_pay(ConditionSet begin) const {
    return model_.most_spared(members(all_ & ~begin), left_[begin]) > model_.division();
  }

  void take_cheaper(DeviceChoice& best, double cost, ConditionSet before) {
    ++compared_;
    if (cost < best.cost) best = {cost, before};
  }

  /// Calls `take` for all subsets of a set except the empty one, in ascending order of their masks.
  template <class Take>
  static void for_each_part(ConditionSet set, const Take& take) {
    for (ConditionSet part = set & -set; part != 0; part = (part - set) & set) take(part);
  }

  /// Fills groups_: the cheapest groups of one kernel that begins after `begin`, for every superset
  /// of `begin`.
  void find_groups(ConditionSet begin) {
    groups_.assign(groups_.size(), {});
    groups_[begin].cost = 0;
    add_groups(begin, begin);
    for_each_part(all_ & ~begin, [&](ConditionSet part) {
      if ((begin | part) != all_) add_groups(begin, begin | part);
    });
  }

  /// Extends the state `before` by each group that may come next: of columns if the kernel has no
  /// expression yet, or of expressions. The sums of a group are those of the group without its
  /// lowest condition, plus that condition.
  void add_groups(ConditionSet begin, ConditionSet before) {
    const double cost = groups_[before].cost + (before != begin ? model_.branch(left_[before]) : 0);
    if (cost == kNone) return;
    const bool only_expressions = (before & ~begin & expressions_) != 0;
    for (const ConditionSet kind : {only_expressions ? 0 : ~expressions_, expressions_}) {
      for_each_part(all_ & ~before & kind, [&](ConditionSet group) {
        const ConditionSet lowest = group & -group;
        sums_[group] = model_.one(static_cast<std::size_t>(std::countr_zero(lowest)), left_[begin],
                                  left_[before]) +
                       (group != lowest ? sums_[group & ~lowest] : 0);
        take_cheaper(groups_[before | group], cost + sums_[group], before);
      });
    }
  }

  /// Follows groups_ back from `end` to `begin`. Within a group the most selective condition comes
  /// first.
  FilterPass kernel(ConditionSet begin, ConditionSet end) const {
    FilterPass pass;
    while (end != begin) {
      const ConditionSet before = groups_[end].before;
      std::vector<std::size_t> group = members(end & ~before);
      std::stable_sort(group.begin(), group.end(), [&](std::size_t a, std::size_t b) {
        return input_.selectivities[a] < input_.selectivities[b];
      });
      pass.groups.insert(pass.groups.begin(), std::move(group));
      end = before;
    }
    return pass;
  }

  const PlannerInput& input_;
  const DeviceModel model_;
  const std::vector<Left>& left_;
  const ConditionSet all_;
  /// The set of conditions that are expressions.
  ConditionSet expressions_ = 0;
  /// By the set that has been tested when a kernel ends: the cheapest cost, and the set at which
  /// that kernel began.
  std::vector<DeviceChoice> kernels_;
  /// Within one kernel, by the set that has been tested: the cheapest cost, and the set before the
  /// last group.
  std::vector<DeviceChoice> groups_;
  /// Costs of each group if it comes directly after the set that is being extended.
  std::vector<double> sums_;
  /// Sums of DeviceCost::strings and DeviceCost::by_rows over each set.
  std::vector<std::uint32_t> strings_;
  std::vector<std::uint32_t> by_rows_;
  /// Number of choices compared so far, and the number when the search that counts had ended.
  std::uint64_t compared_ = 0;
  std::uint64_t looked_at_ = 0;
};

/// The order for more than kMostOrdered conditions: those on columns, then the expressions, each
/// kind by rank, which is (selectivity - 1) / cost (S4.3).
std::vector<std::size_t> device_order(const PlannerInput& input) {
  const DeviceModel model(*input.device);
  const auto rank = [&](std::size_t i) {
    return (input.selectivities[i] - 1) / std::max(model.one(i, Left{}, Left{}), 1e-9);
  };
  std::vector<std::size_t> order(input.device->costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const bool first = input.device->costs[a].is_expression;
    const bool second = input.device->costs[b].is_expression;
    return first != second ? second : rank(a) < rank(b);
  });
  return order;
}

/// Prices a plan. `after(group)` returns the shares that are left after each group, in order.
template <class After>
DevicePlan device_cost_with(const PlannerInput& input, std::vector<FilterPass> kernels,
                            const After& after) {
  const DeviceModel model(*input.device);
  DevicePlan plan;
  Left left;
  for (const FilterPass& kernel : kernels) {
    const Left begin = left;
    double cost = plan.kernel_ns.empty() ? 0 : model.division();
    for (const auto& group : kernel.groups) {
      if (&group != &kernel.groups.front()) cost += model.branch(left);
      for (const std::size_t number : group) cost += model.one(number, begin, left);
      left = after(group);
    }
    plan.kernel_ns.push_back(cost * input.live_share);
  }
  plan.kernels = std::move(kernels);
  return plan;
}

}  // namespace

double DevicePlan::cost_ns() const {
  return std::accumulate(kernel_ns.begin(), kernel_ns.end(), 0.0);
}

DevicePlan device_cost_of(const PlannerInput& input, std::vector<FilterPass> kernels) {
  if (input.device->costs.size() <= kMostOrdered) {
    const std::vector<Left> left = shares_of_sets(input);
    ConditionSet tested = 0;
    return device_cost_with(input, std::move(kernels), [&](const std::vector<std::size_t>& group) {
      for (const std::size_t number : group) tested |= ConditionSet{1} << number;
      return left[tested];
    });
  }
  std::vector<std::size_t> order;
  for (const FilterPass& kernel : kernels) {
    for (const auto& group : kernel.groups) order.insert(order.end(), group.begin(), group.end());
  }
  const std::vector<Left> left = shares_of_prefixes(input, order);
  std::size_t tested = 0;
  return device_cost_with(input, std::move(kernels), [&](const std::vector<std::size_t>& group) {
    tested += group.size();
    return left[tested];
  });
}

DevicePlan choose_device_plan(const PlannerInput& input, bool may_divide) {
  std::vector<FilterPass> kernels;
  std::uint64_t looked_at = 0;
  if (input.device->costs.size() <= kMostOrdered) {
    const std::vector<Left> left = shares_of_sets(input);
    AllKernels all(input, left);
    kernels = all.best_plan(may_divide);
    looked_at = all.looked_at();
  } else {
    kernels.emplace_back();
    for (const std::size_t number : device_order(input)) kernels[0].groups.push_back({number});
  }
  DevicePlan plan = device_cost_of(input, std::move(kernels));
  plan.looked_at = looked_at;
  return plan;
}

}  // namespace presso::query
