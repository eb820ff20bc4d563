// SPDX-License-Identifier: MIT
// Threads that add at the same time, and merging on several: every strategy, with enough groups
// that tables are emptied and merged in partitions. Run by ThreadSanitizer too.
#include <gtest/gtest.h>

#include "corpora/random.h"
#include "tests/unit/query/group/group_model.h"

namespace presso::query::test::grouping_threads_test {
namespace {

/// Integers as keys, or texts; a sum, distinct values, the least text.
TestInput made_up(std::uint32_t groups, bool strings, GroupingPlan& plan) {
  corpora::Random random(groups);
  TestInput input;
  input.rows = 40'000;
  std::vector<std::int64_t> numbers, values;
  std::vector<std::string> texts;
  std::vector<bool> nulls;
  for (std::uint64_t i = 0; i < input.rows; ++i) {
    numbers.push_back(random.below(groups));
    values.push_back(random.below(50));
    texts.push_back("text " + std::to_string(numbers.back()));
    nulls.push_back(random.one_in(5));
  }
  input.keys.push_back(strings ? string_column(texts) : int_column(numbers));
  plan.keys.push_back({input.keys[0].physical, 0, std::int64_t{groups} - 1, false});
  AggregateSpec spec;
  for (const AggregateKind kind : {AggregateKind::kSum, AggregateKind::kCountDistinct}) {
    spec.kind = kind;
    plan.aggregates.push_back(spec);
    input.arguments.push_back(int_column(values, nulls));
  }
  spec.least = 0;  // of few groups counted by bits
  spec.most = 49;
  plan.aggregates.push_back(spec);
  input.arguments.push_back(int_column(values, nulls));
  spec.most = -1;
  spec.kind = AggregateKind::kMin;
  spec.argument = Physical::kString;
  plan.aggregates.push_back(spec);
  input.arguments.push_back(string_column(texts, nulls));
  plan.threads = 3;
  plan.rows = input.rows;
  return input;
}

TEST(GroupingThreads, GiveTheSameGroupsAsAPlainMap) {
  for (const std::uint32_t groups : {3u, 25'000u}) {
    for (const bool strings : {false, true}) {
      GroupingPlan plan;
      const TestInput input = made_up(groups, strings, plan);
      const std::vector<TextRow> expected = expected_groups(plan, input);
      for (const GroupStrategy strategy :
           {GroupStrategy::kDense, GroupStrategy::kHash, GroupStrategy::kRadix}) {
        if (strings && strategy == GroupStrategy::kDense) continue;
        plan.strategy = strategy;
        EXPECT_EQ(actual_groups(plan, input, {1, true}), expected)
            << static_cast<int>(strategy) << ' ' << groups;
      }
    }
  }
}

/// Different values of all rows together, far more than a partition of a merge has.
TEST(GroupingThreads, CountDifferentValuesOfOneGroup) {
  corpora::Random random(1);
  TestInput input;
  input.rows = 60'000;
  std::vector<std::int64_t> values;
  std::vector<std::string> texts;
  std::vector<bool> nulls;
  for (std::uint64_t i = 0; i < input.rows; ++i) {
    values.push_back(1000 + std::int64_t{random.below(40'000)});
    texts.push_back("text " + std::to_string(values.back()));
    nulls.push_back(random.one_in(50));
  }
  GroupingPlan plan;
  AggregateSpec spec;
  spec.kind = AggregateKind::kCountDistinct;
  for (const bool has_range : {false, true}) {
    spec.least = 1000;
    spec.most = has_range ? 40'999 : 0;
    plan.aggregates.push_back(spec);
    input.arguments.push_back(int_column(values, nulls));
  }
  spec.argument = Physical::kString;
  plan.aggregates.push_back(spec);
  input.arguments.push_back(string_column(texts, nulls));
  plan.rows = input.rows;
  const std::vector<TextRow> expected = expected_groups(plan, input);
  for (const unsigned threads : {1u, 3u}) {
    plan.threads = threads;
    EXPECT_EQ(actual_groups(plan, input, {1, true}), expected);
  }
}

TEST(GroupingThreads, RefuseAValueOutsideOfItsRange) {
  GroupingPlan plan;
  TestInput input;
  input.rows = 3;
  input.arguments.push_back(int_column({1, 2, 3}));
  AggregateSpec spec;
  spec.kind = AggregateKind::kCountDistinct;
  spec.least = 1;
  spec.most = 2;
  plan.aggregates.push_back(spec);
  auto grouping = Grouping::make(plan);
  ASSERT_TRUE(grouping.ok());
  const Status fed = feed(**grouping, plan, input, {1, false});
  ASSERT_FALSE(fed.ok());
  EXPECT_EQ(fed.error().code, ErrorCode::kInvalidArgument);
}

TEST(GroupingThreads, StopTogetherWhereMemoryEnds) {
  for (const GroupStrategy strategy : {GroupStrategy::kHash, GroupStrategy::kRadix}) {
    GroupingPlan plan;
    const TestInput input = made_up(25'000, true, plan);
    plan.strategy = strategy;
    plan.memory_bytes = 1'000'000;
    auto grouping = Grouping::make(plan);
    ASSERT_TRUE(grouping.ok());
    const Status fed = feed(**grouping, plan, input, {1, true});
    ASSERT_FALSE(fed.ok());
    EXPECT_EQ(fed.error().code, ErrorCode::kOutOfMemory);
  }
}

}  // namespace
}  // namespace presso::query::test::grouping_threads_test
