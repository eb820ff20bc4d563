// SPDX-License-Identifier: MIT
// Plans that are chosen are the cheapest by the model, among all plans and among those of an order;
// shares of sets of conditions are those that a plain count of the sample gives; plans as text.
#include "query/plan/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "corpora/random.h"
#include "query/plan/joint_shares.h"

namespace presso::query::planner_test {
namespace {

using corpora::Random;

double fraction(Random& random) {
  return random.below(1'000'000) / 1e6;
}

ConditionCost random_cost(Random& random) {
  ConditionCost cost;
  cost.vector_ns = 0.02 + fraction(random);
  cost.read_ns = 0.5 * fraction(random);
  if (random.one_in(3)) cost.row_ns = 3 * fraction(random);
  if (random.one_in(4)) {
    cost.dense_ns = 5 * fraction(random);
    cost.sparse_ns = 10 + 20 * fraction(random);
  }
  return cost;
}

/// Selectivities from 0.0001 to 1.
PlannerInput random_input(Random& random, std::size_t conditions) {
  PlannerInput input;
  for (std::size_t i = 0; i < conditions; ++i) {
    input.costs.push_back(random_cost(random));
    input.selectivities.push_back(std::pow(10.0, -4 * fraction(random)));
  }
  input.rates.together = {1.0, 0.9, 0.8, 0.75};
  input.rates.branch_ns = 20 * fraction(random);
  input.rates.bitmap_ns = 0.1 * fraction(random);
  input.live_share = 0.25 + 0.75 * fraction(random);
  return input;
}

/// Some slices of some vectors; conditions hold for single rows, or for whole vectors.
void add_sample(Random& random, PlannerInput& input) {
  ConditionSample& sample = input.sample;
  for (int slice = 0; slice < 4; ++slice) {
    sample.vectors += 1 + random.below(4);
    sample.slice_ends.push_back(sample.vectors);
  }
  for (const double share : input.selectivities) {
    std::vector<std::uint64_t> bits(std::size_t{sample.vectors} * kBatchWords);
    const bool together = random.one_in(3);
    for (std::uint32_t vector = 0; vector < sample.vectors; ++vector) {
      const bool whole = fraction(random) < share;
      for (std::uint32_t row = 0; row < kBatchRows; ++row) {
        const bool set = together ? whole : fraction(random) < share;
        if (set) bits[vector * kBatchWords + row / 64] |= std::uint64_t{1} << (row % 64);
      }
    }
    sample.bits.push_back(std::move(bits));
  }
}

double cheapest(const std::vector<PlanShape>& plans) {
  double least = plans[0].cost_ns;
  for (const PlanShape& plan : plans) least = std::min(least, plan.cost_ns);
  return least;
}

TEST(Planner, ChoosesTheCheapestOfAllPlans) {
  Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    PlannerInput input = random_input(random, 1 + random.below(4));
    if (trial % 2 == 1) add_sample(random, input);
    const PlanShape chosen = choose_plan(input);
    EXPECT_NEAR(chosen.cost_ns, cheapest(all_plans(input)), 1e-9) << "trial " << trial;
    EXPECT_NEAR(chosen.cost_ns, cost_of(input, chosen.passes).cost_ns, 1e-12);
  }
}

std::vector<std::size_t> order_of(const PlanShape& plan) {
  std::vector<std::size_t> order;
  for (const FilterPass& pass : plan.passes) {
    for (const auto& group : pass.groups) order.insert(order.end(), group.begin(), group.end());
  }
  return order;
}

/// All ways to cut an order, as text: each gap is '&', '&&' or ';'.
std::vector<std::string> all_cuts(const std::vector<std::size_t>& order) {
  std::vector<std::string> texts = {std::to_string(order[0] + 1)};
  for (std::size_t i = 1; i < order.size(); ++i) {
    std::vector<std::string> longer;
    for (const std::string& text : texts) {
      for (const char* gap : {"&", "&&", ";"}) {
        longer.push_back(std::string(text).append(gap).append(std::to_string(order[i] + 1)));
      }
    }
    texts = std::move(longer);
  }
  return texts;
}

TEST(Planner, ChoosesTheCheapestGroupsOfAnOrder) {
  Random random(2);
  for (int trial = 0; trial < 60; ++trial) {
    PlannerInput input = random_input(random, 1 + random.below(4));
    if (trial % 2 == 1) add_sample(random, input);
    std::vector<std::size_t> order(input.costs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
    }
    double least = 1e300;
    for (const std::string& text : all_cuts(order)) {
      least = std::min(least, cost_of(input, *parse_plan(text, order.size())).cost_ns);
    }
    const PlanShape chosen = choose_groups(input, order);
    EXPECT_EQ(order_of(chosen), order);
    EXPECT_NEAR(chosen.cost_ns, least, 1e-9) << "trial " << trial;
  }
}

TEST(Planner, TestsMoreConditionsThanItOrdersByTheirRanks) {
  Random random(3);
  PlannerInput input = random_input(random, kMostOrdered + 3);
  for (int sampled = 0; sampled < 2; ++sampled) {
    if (sampled == 1) add_sample(random, input);
    const PlanShape chosen = choose_plan(input);
    EXPECT_EQ(order_of(chosen), rank_order(input));
    EXPECT_NEAR(chosen.cost_ns, cost_of(input, chosen.passes).cost_ns, 1e-12);
    for (const char* gap : {"&", "&&", ";"}) {
      std::string text;
      for (const std::size_t i : rank_order(input)) {
        if (!text.empty()) text += gap;
        text += std::to_string(i + 1);
      }
      const double cost = cost_of(input, *parse_plan(text, input.costs.size())).cost_ns;
      EXPECT_LE(chosen.cost_ns, cost + 1e-9) << text;
    }
  }
}

PlannerInput equal_input(double share, std::size_t conditions) {
  PlannerInput input;
  ConditionCost cost;
  cost.vector_ns = 0.1;
  input.costs.assign(conditions, cost);
  input.selectivities.assign(conditions, share);
  return input;
}

TEST(Planner, RanksBySelectivityLessOneByCost) {
  PlannerInput input = equal_input(0.5, 4);
  input.selectivities = {0.5, 0.1, 0.9, 0.5};
  const double costs[] = {1.0, 10.0, 0.1, 0.2};
  for (std::size_t i = 0; i < 4; ++i) input.costs[i].vector_ns = costs[i];
  // -0.5, -0.09, -1, -2.5
  EXPECT_EQ(rank_order(input), (std::vector<std::size_t>{3, 2, 0, 1}));
}

TEST(Planner, SkipsVectorsWhereFewRowsAreLeftAndDoesNotLookWhereMany) {
  PlannerInput input = equal_input(1e-5, 3);
  input.rates.together = {1, 0.9, 0.9};
  EXPECT_EQ(plan_text(choose_plan(input).passes), "1&&2&&3");
  input.selectivities.assign(3, 0.9);
  EXPECT_EQ(plan_text(choose_plan(input).passes), "1&2&3");
}

TEST(Planner, FollowsCorrelationsThatASampleShows) {
  // 1 and 2 hold for the same rows; 3 holds for twice as many, but hardly ever for those.
  PlannerInput input = equal_input(0, 3);
  input.selectivities = {1.0 / 1024, 1.0 / 1024, 1.0 / 512};
  input.sample.vectors = 64;
  input.sample.slice_ends = {32, 64};
  input.sample.bits.assign(3, std::vector<std::uint64_t>(std::size_t{64} * kBatchWords));
  for (std::uint32_t vector = 0; vector < 64; ++vector) {
    input.sample.bits[0][vector * kBatchWords] = 1;
    input.sample.bits[1][vector * kBatchWords] = 1;
    input.sample.bits[2][vector * kBatchWords] = vector == 0 ? 7 : 6;
  }
  EXPECT_NE(order_of(choose_plan(input)).back(), 2u);
  input.sample = {};
  EXPECT_EQ(order_of(choose_plan(input)).back(), 2u);
}

TEST(Planner, CostsOnlyWhatZonesLeave) {
  Random random(5);
  PlannerInput input = random_input(random, 3);
  input.live_share = 1;
  const PlanShape all = choose_plan(input);
  input.live_share = 0.25;
  const PlanShape some = choose_plan(input);
  EXPECT_EQ(plan_text(some.passes), plan_text(all.passes));
  EXPECT_NEAR(some.cost_ns, all.cost_ns / 4, 1e-12);
  EXPECT_NEAR(some.selectivity, all.selectivity / 4, 1e-12);
}

TEST(Planner, HandsRowsOnAsAListWhereThatIsSmaller) {
  EXPECT_TRUE(list_is_smaller(0));
  EXPECT_TRUE(list_is_smaller(0.0624));
  EXPECT_FALSE(list_is_smaller(0.0625));
  PlannerInput input = equal_input(0.01, 2);
  const auto lists = [&](double share) {
    input.selectivities[0] = share;
    const auto passes = cost_of(input, *parse_plan("1;2", 2)).passes;
    EXPECT_FALSE(passes[0].as_list);
    return passes[1].as_list;
  };
  EXPECT_TRUE(lists(0.06));
  EXPECT_FALSE(lists(0.07));
}

TEST(Planner, HasNothingToChooseOfNoCondition) {
  EXPECT_TRUE(choose_plan({}).passes.empty());
  EXPECT_EQ(choose_plan({}).cost_ns, 0);
}

TEST(SharesOfSets, OfFewRowsLieBetweenTheSampleAndWhatIndependenceExpects) {
  PlannerInput input = equal_input(1e-3, 2);
  input.selectivities = {1e-2, 1e-3};
  input.sample.vectors = 64;
  input.sample.slice_ends = {64};
  input.sample.bits.assign(2, std::vector<std::uint64_t>(std::size_t{64} * kBatchWords));
  const auto share = [&](std::size_t rows) {
    for (std::vector<std::uint64_t>& bits : input.sample.bits) {
      std::fill(bits.begin(), bits.end(), 0);
    }
    // Many rows of each, of which some are the same.
    for (std::size_t row = 0; row < 655; ++row) input.sample.bits[0][row] = 1;
    for (std::size_t row = 0; row < 65; ++row) input.sample.bits[1][row] = row < rows ? 1 : 2;
    return shares_of_sets(input)[3].rows * 65536;
  };
  EXPECT_GT(share(0), 0.4);  // 0.65 are expected
  EXPECT_LT(share(0), 0.65);
  EXPECT_GT(share(1), 0.65);
  EXPECT_LT(share(1), 1);
  EXPECT_NEAR(share(50), 50, 1e-9);
}

/// Whether a row of the sample fulfils all conditions of a set.
bool fulfils(const ConditionSample& sample, ConditionSet set, std::uint32_t row) {
  for (std::size_t i = 0; i < sample.bits.size(); ++i) {
    if ((set >> i & 1) != 0 && (sample.bits[i][row / 64] >> (row % 64) & 1) == 0) return false;
  }
  return true;
}

TEST(SharesOfSets, AreThoseOfTheSampleWhereItHasManySuchRows) {
  Random random(7);
  for (const std::size_t conditions : {1u, 2u, 5u, 7u, 9u}) {
    PlannerInput input = random_input(random, conditions);
    for (double& share : input.selectivities) share = std::max(share, 0.2);
    add_sample(random, input);
    const ConditionSample& sample = input.sample;
    const std::vector<Left> left = shares_of_sets(input);
    ASSERT_EQ(left.size(), std::size_t{1} << conditions);
    for (ConditionSet set = 0; set < left.size(); ++set) {
      std::uint32_t rows = 0;
      for (std::uint32_t row = 0; row < sample.vectors * kBatchRows; ++row) {
        rows += fulfils(sample, set, row) ? 1 : 0;
      }
      if (rows < 200) continue;
      const double share = rows / (1024.0 * sample.vectors);
      EXPECT_NEAR(left[set].rows, share, 0.01 * share) << set;
    }
  }
}

TEST(SharesOfSets, NeverGrowWithMoreConditions) {
  Random random(8);
  for (int trial = 0; trial < 20; ++trial) {
    PlannerInput input = random_input(random, 6);
    if (trial % 2 == 0) add_sample(random, input);
    const std::vector<Left> left = shares_of_sets(input);
    for (ConditionSet set = 1; set < left.size(); ++set) {
      for (ConditionSet rest = set; rest != 0; rest &= rest - 1) {
        const Left& less = left[set & ~(rest & -rest)];
        EXPECT_LE(left[set].rows, less.rows);
        EXPECT_LE(left[set].vectors, less.vectors);
        EXPECT_LE(left[set].slices, less.slices);
      }
      EXPECT_GT(left[set].rows, 0);
    }
  }
}

TEST(SharesOfSets, OfIndependentConditionsAreProducts) {
  PlannerInput input = equal_input(0.5, 2);
  input.selectivities = {0.01, 0.001};
  const std::vector<Left> left = shares_of_sets(input);
  EXPECT_NEAR(left[3].rows, 1e-5, 1e-18);
  EXPECT_NEAR(left[3].vectors, 1 - std::pow(1 - 1e-5, 1024), 1e-12);
  EXPECT_NEAR(left[3].slices, 1 - std::pow(1 - 1e-5, 65536), 1e-9);
  input.linear_vectors = true;
  EXPECT_NEAR(shares_of_sets(input)[3].vectors, 1024e-5, 1e-12);
  EXPECT_EQ(shares_of_sets(input)[1].vectors, 1);
}

TEST(SharesOfSets, SeeRowsThatLieTogether) {
  // All rows of one vector of 16, in one of four slices.
  PlannerInput input = equal_input(1.0 / 16, 1);
  input.sample.vectors = 16;
  input.sample.slice_ends = {4, 8, 12, 16};
  input.sample.bits.assign(1, std::vector<std::uint64_t>(std::size_t{16} * kBatchWords));
  std::fill_n(input.sample.bits[0].begin() + 5 * kBatchWords, kBatchWords, ~std::uint64_t{0});
  const Left left = shares_of_sets(input)[1];
  EXPECT_NEAR(left.rows, 1.0 / 16, 1e-12);
  EXPECT_LT(left.vectors, 0.2);
  EXPECT_LT(left.slices, 0.5);
}

TEST(SharesOfPrefixes, AreThoseOfTheirSetsWithoutASample) {
  Random random(9);
  const PlannerInput input = random_input(random, 5);
  const std::vector<Left> sets = shares_of_sets(input);
  const std::vector<Left> prefixes = shares_of_prefixes(input, {3, 1, 0, 4, 2});
  ASSERT_EQ(prefixes.size(), 6u);
  const ConditionSet tested[] = {0, 8, 10, 11, 27, 31};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(prefixes[i].rows, sets[tested[i]].rows, 1e-15);
    EXPECT_NEAR(prefixes[i].vectors, sets[tested[i]].vectors, 1e-12);
  }
}

TEST(Plans, AsTextComeBackFromIt) {
  const std::pair<const char*, std::size_t> texts[] = {{"1", 1},
                                                       {"1&2", 2},
                                                       {"2&1&&3;4", 4},
                                                       {"4;3;2;1", 4},
                                                       {"1&&2&&3&&4", 4},
                                                       {"3&4;1&&2", 4},
                                                       {"12&1&2&3&4&5&6&7&8&9&10&11", 12}};
  for (const auto& [text, conditions] : texts) {
    const auto passes = parse_plan(text, conditions);
    ASSERT_TRUE(passes.ok()) << text << passes.error().what;
    EXPECT_EQ(plan_text(*passes), text);
  }
}

TEST(Plans, ThatAreNoneAreRefusedWithAReason) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "a number is missing"},
      {"1&", "a number is missing"},
      {"&1&2", "a number is missing"},
      {"1&&&2", "a number is missing"},
      {"1;;2", "a number is missing"},
      {"1&2;;", "a number is missing"},
      {";1&2", "a number is missing"},
      {"1;", "a condition is missing"},
      {"-1&2", "a number is missing"},
      {"0&1", "there is no such condition"},
      {"1&3", "there is no such condition"},
      {"99999999999999999999", "there is no such condition"},
      {"1&1", "a condition stands there twice"},
      {"1", "a condition is missing"},
      {"1,2", "only '&', '&&' and ';' stand between numbers"},
      {"1 & 2", "only '&', '&&' and ';' stand between numbers"},
  };
  for (const auto& [text, why] : wrong) {
    const auto passes = parse_plan(text, 2);
    ASSERT_FALSE(passes.ok()) << text;
    EXPECT_EQ(passes.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(passes.error().what.find(why), std::string::npos) << passes.error().what;
  }
}

/// What it means is no matter of the passes, but of who runs them.
TEST(Plans, MayEndWithASemicolon) {
  const auto passes = parse_plan("2;1;", 2);
  ASSERT_TRUE(passes.ok());
  EXPECT_EQ(plan_text(*passes), "2;1");
  FilterPlan plan;
  plan.passes = *passes;
  plan.writes_rows = true;
  EXPECT_EQ(plan.text(), "2;1;");
}

TEST(Plans, OfThreeConditionsAreAllOrdersInAllGroups) {
  Random random(12);
  const std::vector<PlanShape> plans = all_plans(random_input(random, 3));
  // Ordered partitions into 1, 2 and 3 groups: 1, 6 and 6; each gap is a branch or a pass.
  EXPECT_EQ(plans.size(), 1u + 6 * 2 + 6 * 4);
  std::vector<std::string> texts;
  for (const PlanShape& plan : plans) texts.push_back(plan_text(plan.passes));
  std::sort(texts.begin(), texts.end());
  EXPECT_EQ(std::unique(texts.begin(), texts.end()), texts.end());
}

}  // namespace
}  // namespace presso::query::planner_test
