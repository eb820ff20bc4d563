// SPDX-License-Identifier: MIT
// Tables of joins: every strategy finds the rows that a plain map finds, in ascending order, for
// keys of every shape, by any number of threads; and allocates what it says.
#include "query/join/join_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "tests/unit/query/join/join_model.h"

namespace presso::query::join::test::join_table_test {
namespace {

using Rows = std::vector<std::vector<std::uint32_t>>;

Rows rows_of(const Found& found, std::size_t keys) {
  Rows rows(keys);
  std::uint64_t pairs = 0;
  for (std::size_t i = 0; i < keys; ++i) {
    for (std::uint32_t k = 0; k < found.count[i]; ++k) rows[i].push_back(found.row(i, k));
    pairs += found.count[i];
  }
  EXPECT_EQ(found.pairs, pairs);
  return rows;
}

bool is_ascending(const JoinCase& which) {
  const BuildKeys keys = which.build_keys();
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < which.build.size(); ++i) {
    if (keys.validity != nullptr && ((keys.validity[i / 64] >> (i % 64)) & 1) == 0) continue;
    if (which.build[i] < last) return false;
    last = which.build[i];
  }
  return true;
}

/// An array with a place for each of 2^40 keys is nothing for a test.
bool is_too_wide(const JoinCase& which) {
  if (which.build.empty()) return false;
  const auto [least, greatest] = std::minmax_element(which.build.begin(), which.build.end());
  return *greatest - *least > std::uint64_t{1} << 26;
}

bool suits(JoinStrategy strategy, const JoinCase& which) {
  if (strategy == JoinStrategy::kMerge) return is_ascending(which);
  if (strategy == JoinStrategy::kDirect) return !is_too_wide(which);
  return true;
}

bool has_repeats(const JoinCase& which) {
  Words keys;
  for (std::size_t i = 0; i < which.build.size(); ++i) {
    const auto& bits = which.build_validity;
    if (bits.empty() || ((bits[i / 64] >> (i % 64)) & 1) != 0) keys.push_back(which.build[i]);
  }
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

class JoinTables : public testing::TestWithParam<JoinStrategy> {
 protected:
  JoinTablePlan plan(unsigned threads) const {
    JoinTablePlan plan;
    plan.strategy = GetParam();
    plan.threads = threads;
    return plan;
  }
  bool is_slow() const { return GetParam() == JoinStrategy::kNestedLoop; }
};

void expect_rows(const JoinTablePlan& plan, const JoinCase& which, const Rows& expected) {
  auto table = JoinTable::build(plan, which.build_keys());
  ASSERT_TRUE(table.ok()) << which.name << table.error().what;
  Found found;
  ASSERT_TRUE((*table)->find(which.probe, which.probe_bits(), found).ok());
  EXPECT_EQ(rows_of(found, which.probe.size()), expected)
      << which.name << ": " << (*table)->describe();
  const JoinMemory memory = JoinTable::predict(plan, (*table)->facts());
  EXPECT_EQ(memory.kept(), (*table)->bytes()) << which.name << ": " << memory.text();
  EXPECT_EQ((*table)->facts().rows, which.build.size());
}

TEST_P(JoinTables, FindTheRowsThatAPlainMapFinds) {
  for (const JoinCase& which : join_cases(is_slow() ? 700 : 50'000, 500)) {
    if (!suits(GetParam(), which)) continue;
    const Rows expected = expected_rows(which);
    for (const unsigned threads : {1u, 2u, 3u, 7u}) {
      expect_rows(plan(threads), which, expected);
    }
  }
}

TEST_P(JoinTables, FindTheSameRowsOfFewKeys) {
  for (const std::size_t rows : {1u, 2u, 3u, 5u, 17u, 64u, 65u}) {
    for (const JoinCase& which : join_cases(rows, 3 * rows)) {
      if (suits(GetParam(), which)) expect_rows(plan(2), which, expected_rows(which));
    }
  }
}

TEST_P(JoinTables, KnowWhetherKeysAreUnique) {
  for (const JoinCase& which : join_cases(300, 3)) {
    if (!suits(GetParam(), which)) continue;
    auto table = JoinTable::build(plan(1), which.build_keys());
    ASSERT_TRUE(table.ok());
    EXPECT_FALSE((*table)->unique() && has_repeats(which)) << which.name;
    const bool may_not_know = GetParam() == JoinStrategy::kNestedLoop;
    EXPECT_TRUE((*table)->unique() || has_repeats(which) || may_not_know) << which.name;
  }
}

TEST_P(JoinTables, SayWhatMemoryTheyLack) {
  for (const JoinCase& which : join_cases(is_slow() ? 700 : 50'000, 500)) {
    if (!suits(GetParam(), which)) continue;
    auto enough = JoinTable::build(plan(1), which.build_keys());
    ASSERT_TRUE(enough.ok());
    const JoinMemory memory = JoinTable::predict(plan(1), (*enough)->facts());
    if (memory.needed() == 0) continue;
    JoinTablePlan little = plan(1);
    little.strategy = (*enough)->strategy();
    little.memory_bytes = memory.needed() - 1;
    auto table = JoinTable::build(little, which.build_keys());
    ASSERT_FALSE(table.ok()) << which.name;
    EXPECT_EQ(table.error().code, ErrorCode::kOutOfMemory);
    EXPECT_NE(table.error().what.find(memory.buffers[0].name), std::string::npos);
    little.memory_bytes = memory.needed();
    EXPECT_TRUE(JoinTable::build(little, which.build_keys()).ok()) << which.name;
  }
}

TEST_P(JoinTables, AnswerSeveralThreadsAtOnce) {
  for (const JoinCase& which : join_cases(2'000, 500)) {
    if (!suits(GetParam(), which)) continue;
    auto table = JoinTable::build(plan(3), which.build_keys());
    ASSERT_TRUE(table.ok());
    std::vector<Rows> answers(3);
    std::vector<std::thread> threads;
    for (Rows& answer : answers) {
      threads.emplace_back([&] {
        Found found;
        if (!(*table)->find(which.probe, which.probe_bits(), found).ok()) return;
        answer = rows_of(found, which.probe.size());
      });
    }
    for (std::thread& thread : threads) thread.join();
    const Rows expected = expected_rows(which);
    for (const Rows& answer : answers) EXPECT_EQ(answer, expected) << which.name;
  }
}

TEST_P(JoinTables, CountMorePairsThanFitInto32Bits) {
  if (is_slow()) return;
  const Words build(70'000, 12), probe(65'536, 12);
  auto table = JoinTable::build(plan(2), {build, nullptr});
  ASSERT_TRUE(table.ok());
  Found found;
  ASSERT_TRUE((*table)->find(probe, nullptr, found).ok());
  EXPECT_EQ(found.pairs, std::uint64_t{70'000} * 65'536);
  for (const std::size_t i : {0u, 1u, 65'535u}) {
    ASSERT_EQ(found.count[i], 70'000u);
    for (std::uint32_t k = 0; k < 70'000; ++k) ASSERT_EQ(found.row(i, k), k);
  }
}

std::string name_of(const testing::TestParamInfo<JoinStrategy>& info) {
  std::string name(join_strategy_name(info.param));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Strategies, JoinTables,
                         testing::Values(JoinStrategy::kAuto, JoinStrategy::kMerge,
                                         JoinStrategy::kDirect, JoinStrategy::kUnchained,
                                         JoinStrategy::kChained, JoinStrategy::kOpen,
                                         JoinStrategy::kDistinct, JoinStrategy::kRadix,
                                         JoinStrategy::kNestedLoop, JoinStrategy::kSortMerge),
                         name_of);

TEST(JoinTable, FindsAFoundOfAnotherTableReady) {
  Words few(100, 3);
  Words many(3000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = i;
  Found found;
  for (const Words* keys : {&many, &few, &many}) {
    auto table = JoinTable::build({}, {*keys, nullptr});
    ASSERT_TRUE(table.ok());
    ASSERT_TRUE((*table)->find(*keys, nullptr, found).ok());
    EXPECT_EQ(found.pairs, keys == &few ? 10'000u : 3000u);
  }
}

TEST(JoinTable, KeepsItsAnswerAtAnyLoad) {
  for (const JoinCase& which : join_cases(2'000, 300)) {
    const Rows expected = expected_rows(which);
    for (const JoinStrategy strategy :
         {JoinStrategy::kChained, JoinStrategy::kOpen, JoinStrategy::kDistinct}) {
      for (const double load : {0.25, 0.5, 0.95, 4.0}) {
        JoinTablePlan plan;
        plan.strategy = strategy;
        plan.load = load;
        expect_rows(plan, which, expected);
        plan.buckets = true;
        if (strategy == JoinStrategy::kOpen) expect_rows(plan, which, expected);
      }
    }
  }
}

TEST(JoinTable, DoublesATableOfDistinctKeysThatIsTooSmall) {
  Words keys(4096);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
  JoinTablePlan plan;
  plan.strategy = JoinStrategy::kDistinct;
  plan.load = 1;
  auto table = JoinTable::build(plan, {keys, nullptr});
  ASSERT_TRUE(table.ok());
  EXPECT_GT((*table)->facts().doublings, 0u);
  EXPECT_EQ(JoinTable::predict(plan, (*table)->facts()).kept(), (*table)->bytes());
  Found found;
  ASSERT_TRUE((*table)->find(keys, nullptr, found).ok());
  EXPECT_EQ(found.pairs, keys.size());
}

TEST(JoinTable, PartitionsInSeveralLevels) {
  const Words build = zipf_keys(700'000, 200'000, 0.7, 3);
  Words probe(2'000);
  for (std::size_t i = 0; i < probe.size(); ++i) probe[i] = 101 * i;
  const JoinCase which{"several levels", build, probe, {}, {}};
  const Rows expected = expected_rows(which);
  for (const JoinStrategy strategy : {JoinStrategy::kUnchained, JoinStrategy::kRadix}) {
    JoinTablePlan plan;
    plan.strategy = strategy;
    plan.threads = 2;
    expect_rows(plan, which, expected);
  }
}

TEST(JoinTable, RefusesToMergeKeysThatDoNotAscend) {
  const Words keys = {1, 3, 2};
  JoinTablePlan plan;
  plan.strategy = JoinStrategy::kMerge;
  auto table = JoinTable::build(plan, {keys, nullptr});
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().code, ErrorCode::kInvalidArgument);
}

TEST(JoinTable, RefusesAnArrayOfAllWords) {
  const Words keys = {0, ~std::uint64_t{0}};
  JoinTablePlan plan;
  plan.strategy = JoinStrategy::kDirect;
  plan.memory_bytes = std::uint64_t{1} << 40;
  auto table = JoinTable::build(plan, {keys, nullptr});
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().code, ErrorCode::kOutOfMemory);
}

TEST(JoinTable, NamesOfStrategiesAreThere) {
  for (std::size_t i = 0; i < kJoinStrategyNames.size(); ++i) {
    const auto strategy = static_cast<JoinStrategy>(i);
    EXPECT_EQ(join_strategy_of(join_strategy_name(strategy)), strategy);
  }
  EXPECT_FALSE(join_strategy_of("hash").has_value());
}

}  // namespace
}  // namespace presso::query::join::test::join_table_test
