// SPDX-License-Identifier: MIT
// Plans for a GPU are the cheapest by the model among all that kernels can follow; a kernel ends
// where that is predicted to pay. Rates are made up.
#include "query/plan/device_planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "corpora/random.h"

namespace presso::query::device_planner_test {
namespace {

using corpora::Random;

double fraction(Random& random) {
  return random.below(1'000'000) / 1e6;
}

/// A condition on a column that takes so many bits, by the rates that are built in.
DeviceCost on_column(double bits) {
  const GpuQueryRates rates;
  DeviceCost cost;
  cost.vector_ns = rates.compare_width_ns(bits);
  cost.read_ns = rates.byte_ns * bits / 8;
  return cost;
}

DeviceCost expression(double steps) {
  DeviceCost cost;
  cost.row_ns = GpuQueryRates().step_ns * steps;
  cost.is_expression = true;
  return cost;
}

/// Of a table of 10^9 rows, in parts of 5 x 10^7.
PlannerInput input_of(std::vector<DeviceCost> costs, std::vector<double> selectivities) {
  const GpuQueryRates rates;
  PlannerInput input;
  input.costs.resize(costs.size());
  input.selectivities = std::move(selectivities);
  input.device =
      DeviceFigures{std::move(costs), rates.branch_ns, rates.pass_ns, rates.kernel_ns / 5e7};
  return input;
}

std::string chosen(const PlannerInput& input, bool may_divide = true) {
  return plan_text(choose_device_plan(input, may_divide).kernels);
}

DeviceCost strings_by_rows(std::uint32_t strings = 1) {
  DeviceCost cost = on_column(1);
  cost.strings_ns = 0.01;
  cost.strings = cost.by_rows = strings;
  return cost;
}

PlannerInput random_input(Random& random, std::size_t conditions) {
  PlannerInput input;
  DeviceFigures figures;
  for (std::size_t i = 0; i < conditions; ++i) {
    DeviceCost cost;
    cost.vector_ns = fraction(random);
    cost.once_ns = random.one_in(4) ? fraction(random) : 0;
    cost.strings_ns = random.one_in(4) ? fraction(random) : 0;
    cost.is_expression = random.one_in(3);
    (cost.is_expression ? cost.row_ns : cost.read_ns) = 2 * fraction(random);
    figures.costs.push_back(cost);
    input.selectivities.push_back(std::pow(10.0, -5 * fraction(random)));
  }
  input.costs.resize(conditions);
  figures.branch_ns = 200 * fraction(random);
  figures.pass_ns = fraction(random) / (random.one_in(2) ? 1 : 20);
  figures.launch_ns = 0.1 * fraction(random);
  input.live_share = 0.25 + 0.75 * fraction(random);
  input.device = std::move(figures);
  return input;
}

/// In each kernel expressions come behind all conditions on columns, and a branch.
bool can_be_followed(const PlannerInput& input, const std::vector<FilterPass>& kernels) {
  for (const FilterPass& kernel : kernels) {
    bool before = false;
    for (const auto& group : kernel.groups) {
      const auto is_expression = [&](std::size_t i) {
        return input.device->costs[i].is_expression;
      };
      const bool all = std::all_of(group.begin(), group.end(), is_expression);
      const bool any = std::any_of(group.begin(), group.end(), is_expression);
      if (any != all || (before && !any)) return false;
      before = any;
    }
  }
  return true;
}

TEST(DevicePlanner, ChoosesTheCheapestPlanThatKernelsCanFollow) {
  Random random(4);
  std::size_t divided = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const PlannerInput input = random_input(random, 1 + random.below(4));
    double least = 1e9;
    double least_undivided = 1e9;
    for (const PlanShape& plan : all_plans(input)) {
      if (!can_be_followed(input, plan.passes)) continue;
      const double cost = device_cost_of(input, plan.passes).cost_ns();
      least = std::min(least, cost);
      if (plan.passes.size() == 1) least_undivided = std::min(least_undivided, cost);
    }
    const DevicePlan best = choose_device_plan(input, true);
    EXPECT_TRUE(can_be_followed(input, best.kernels)) << plan_text(best.kernels);
    EXPECT_NEAR(best.cost_ns(), least, 1e-9) << "trial " << trial;
    EXPECT_EQ(best.kernel_ns.size(), best.kernels.size());
    divided += best.kernels.size() > 1 ? 1 : 0;
    const DevicePlan whole = choose_device_plan(input, false);
    EXPECT_EQ(whole.kernels.size(), 1u);
    EXPECT_NEAR(whole.cost_ns(), least_undivided, 1e-9) << "trial " << trial;
  }
  EXPECT_GT(divided, 30u);
  EXPECT_LT(divided, 270u);
}

TEST(DevicePlanner, IsOneKernelWhereAlmostAllVectorsHaveRows) {
  EXPECT_EQ(chosen(input_of({on_column(12), on_column(12)}, {0.5, 0.5})), "1&2");
  EXPECT_EQ(chosen(input_of({on_column(64), on_column(64), on_column(64)}, {0.5, 0.1, 0.01})),
            "3&2&&1");
}

/// A row in 100,000: of a hundred vectors one has such a row.
TEST(DevicePlanner, EndsAKernelWhereMostVectorsAreDone) {
  const std::vector<double> kShares = {0.5, 1e-5, 0.5, 0.5};
  const std::vector<DeviceCost> wide(4, on_column(64));
  const PlannerInput input = input_of(wide, kShares);
  EXPECT_EQ(chosen(input), "2;1&&3&&4");
  EXPECT_EQ(chosen(input, false), "2&&1&&3&&4");
  // Narrow columns are not worth it, nor is a start of each kernel for few rows.
  EXPECT_EQ(chosen(input_of({on_column(4), on_column(4)}, {1e-5, 0.5})), "1&&2");
  PlannerInput small = input;
  small.device->launch_ns = 5000.0 / 100'000;
  EXPECT_EQ(chosen(small), "2&&1&&3&&4");
}

/// Rows that lie together leave whole vectors empty, though there are many of them.
TEST(DevicePlanner, LooksAtHowRowsLie) {
  PlannerInput input = input_of(std::vector<DeviceCost>(4, on_column(64)), {0.05, 0.5, 0.5, 0.5});
  EXPECT_EQ(chosen(input), "1&2&3&4");
  input.sample.vectors = 200;
  for (std::uint32_t end = 10; end <= 200; end += 10) input.sample.slice_ends.push_back(end);
  for (int condition = 0; condition < 4; ++condition) {
    std::vector<std::uint64_t> bits(std::size_t{200} * kBatchWords, 0x5555555555555555u);
    if (condition == 0) {
      std::fill(bits.begin(), bits.end(), 0);
      std::fill_n(bits.begin(), 10 * kBatchWords, ~std::uint64_t{0});
    }
    input.sample.bits.push_back(std::move(bits));
  }
  EXPECT_EQ(chosen(input), "1;2&&3&4");
}

/// Strings wait for other conditions if these leave few rows, in a kernel that ends.
TEST(DevicePlanner, TestsStringsOnRowsThatAreLeft) {
  EXPECT_EQ(chosen(input_of({strings_by_rows(), on_column(8)}, {0.01, 0.001})), "2;1");
  EXPECT_EQ(chosen(input_of({strings_by_rows(), on_column(8)}, {0.01, 0.5})), "1&2");
  EXPECT_EQ(chosen(input_of({strings_by_rows(), on_column(8), on_column(12)}, {0.5, 0.1, 0.1})),
            "2&3;1");
}

/// Text is decoded in all rows before the kernel; then its bits cost next to nothing.
TEST(DevicePlanner, AsksBitsOfStringsFirst) {
  DeviceCost strings;
  strings.vector_ns = 0.0005;
  strings.once_ns = 0.01;
  const PlannerInput input = input_of({on_column(8), strings}, {0.5, 1e-4});
  EXPECT_EQ(chosen(input), "2&&1");
  PlannerInput without = input;
  without.device->costs[1].once_ns = 0;
  EXPECT_NEAR(choose_device_plan(input, true).cost_ns(),
              choose_device_plan(without, true).cost_ns() + 0.01, 1e-12);
}

/// Whether kernels have room for the bits of strings that they ask for.
bool have_room(const PlannerInput& input, const DevicePlan& plan) {
  bool fits = true;
  for (const FilterPass& kernel : plan.kernels) {
    std::uint32_t strings = &kernel == &plan.kernels.front() ? 0 : 1;
    for (const auto& group : kernel.groups) {
      for (const std::size_t number : group) strings += input.device->costs[number].strings;
    }
    fits = fits && strings <= kMostStringTests;
  }
  return fits;
}

/// A kernel that ends leaves no more strings to the next one than that has room for, and ends where
/// there are too many for one, though that does not pay.
TEST(DevicePlanner, EndsKernelsByWhatStringsHaveRoom) {
  std::vector<DeviceCost> costs(4, strings_by_rows());
  costs.push_back(on_column(64));
  costs.push_back(on_column(64));
  // The kernel that ends behind the second last condition leaves four strings to the next one.
  const std::vector<double> kShares = {0.5, 0.5, 0.5, 0.5, 1e-7, 0.5};
  const PlannerInput four = input_of(costs, kShares);
  const DevicePlan divided = choose_device_plan(four, true);
  EXPECT_GT(divided.kernels.size(), 1u);
  EXPECT_TRUE(have_room(four, divided)) << plan_text(divided.kernels);

  const PlannerInput six =
      input_of(std::vector<DeviceCost>(6, strings_by_rows()), std::vector<double>(6, 1));
  const DevicePlan needed = choose_device_plan(six, true);
  EXPECT_EQ(needed.kernels.size(), 2u);
  EXPECT_TRUE(have_room(six, needed)) << plan_text(needed.kernels);
  EXPECT_EQ(choose_device_plan(six, false).kernels.size(), 1u) << "no kernel may end";
  const PlannerInput lone = input_of({strings_by_rows(5), on_column(8)}, {0.5, 0.5});
  EXPECT_EQ(choose_device_plan(lone, true).kernels.size(), 1u) << "no plan has room";
  // Codes of dictionaries take no bits, unless a later row group has other forms.
  PlannerInput coded = six;
  for (DeviceCost& cost : coded.device->costs) cost.strings_ns = cost.by_rows = 0;
  EXPECT_EQ(choose_device_plan(coded, true).kernels.size(), 1u);
}

TEST(DevicePlanner, PutsExpressionsBehindColumnsOfTheirKernel) {
  EXPECT_EQ(chosen(input_of({expression(2), on_column(12)}, {0.001, 0.9})), "2&&1");
  // It is worth a kernel where it leaves hardly anything of wide columns.
  EXPECT_EQ(chosen(input_of({expression(0.1), on_column(64), on_column(64), on_column(64)},
                            {1e-7, 0.9, 0.9, 0.9})),
            "1;2&&3&&4");
}

TEST(DevicePlanner, PutsManyConditionsInOneKernelByRank) {
  std::vector<DeviceCost> costs(12, on_column(16));
  std::vector<double> shares;
  for (int i = 0; i < 12; ++i) shares.push_back(1.0 - 0.05 * i);
  costs[11] = expression(3);
  EXPECT_EQ(chosen(input_of(costs, shares)), "11&&10&&9&&8&&7&&6&&5&&4&&3&&2&&1&&12");
  const DevicePlan plan = choose_device_plan(input_of(costs, shares), true);
  EXPECT_GT(plan.cost_ns(), 0);
}

/// Planning must not take longer than a query does: ten conditions, whatever the rates.
TEST(DevicePlanner, PlansTenConditions) {
  Random random(8);
  const PlannerInput input = random_input(random, kMostOrdered);
  const DevicePlan plan = choose_device_plan(input, true);
  EXPECT_TRUE(can_be_followed(input, plan.kernels));
  EXPECT_LE(plan.cost_ns(), choose_device_plan(input, false).cost_ns() + 1e-9);
}

/// With n conditions one kernel has 3^n - 1 groups and ends; with an end that costs nothing each of
/// the 2^n sets begins one, which makes 4^n - 2^n.
TEST(DevicePlanner, LooksAtFewPlansWhereKernelsCostMuch) {
  static_assert(kMostOrdered == 10);
  constexpr std::uint64_t kOneKernel = 59'048;
  constexpr std::uint64_t kAllKernels = 1'047'552;
  Random random(9);
  PlannerInput input = random_input(random, kMostOrdered);
  DeviceFigures& figures = *input.device;
  for (DeviceCost& cost : figures.costs) cost.is_expression = false;
  figures.launch_ns = 1e9;
  EXPECT_EQ(choose_device_plan(input, true).looked_at, kOneKernel);
  EXPECT_EQ(choose_device_plan(input, false).looked_at, kOneKernel);
  figures.launch_ns = 0;
  figures.pass_ns = 0;
  EXPECT_EQ(choose_device_plan(input, true).looked_at, kAllKernels);
  EXPECT_EQ(choose_device_plan(input, false).looked_at, kOneKernel);
}

TEST(GpuQueryRates, AreByWidth) {
  GpuQueryRates rates;
  rates.compare_ns = {1, 2, 3, 4, 5};
  const std::pair<double, double> kKnown[] = {{0.1, 1}, {4, 1},  {4.5, 2}, {8, 2},  {12, 3},
                                              {16, 3},  {32, 4}, {33, 5},  {64, 5}, {70, 5}};
  for (const auto& [bits, ns] : kKnown) EXPECT_EQ(rates.compare_width_ns(bits), ns) << bits;
}

}  // namespace
}  // namespace presso::query::device_planner_test
