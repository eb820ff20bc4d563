// SPDX-License-Identifier: MIT
// The product's tables of joins in the suite (join_table_suite.cpp), and what is theirs alone.
#include "query/join/join_table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/query/join/join_table_suite.h"

namespace presso::query::join::test {
namespace {

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

class ProductWay : public JoinWay {
 public:
  explicit ProductWay(JoinStrategy strategy) : strategy_(strategy) {}

  std::string name() const override { return std::string(join_strategy_name(strategy_)); }
  bool suits(const JoinCase& which) const override {
    if (strategy_ == JoinStrategy::kMerge) return is_ascending(which);
    return strategy_ != JoinStrategy::kDirect || !is_too_wide(which);
  }
  Result<std::unique_ptr<JoinTable>> build(const Asked& asked, const BuildKeys& keys) override {
    return JoinTable::build(plan_of(asked), keys);
  }
  JoinMemory predict(const Asked& asked, const JoinTable& table) const override {
    return JoinTable::predict(plan_of(asked), table.facts());
  }

 private:
  JoinTablePlan plan_of(const Asked& asked) const {
    JoinTablePlan plan;
    plan.strategy = asked.like == nullptr ? strategy_ : asked.like->strategy();
    plan.threads = asked.threads;
    plan.memory_bytes = asked.memory_bytes;
    return plan;
  }

  JoinStrategy strategy_;
};

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

TEST(JoinTable, PartitionsManyKeys) {
  const Words build = zipf_keys(700'000, 200'000, 0.7, 3);
  Words probe(2'000);
  for (std::size_t i = 0; i < probe.size(); ++i) probe[i] = 101 * i;
  const JoinCase which{"many keys", build, probe, {}, {}};
  ProductWay unchained(JoinStrategy::kUnchained);
  expect_rows(unchained, 2, which, expected_rows(which));
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

std::vector<JoinWay*> join_ways() {
  static ProductWay ways[] = {ProductWay(JoinStrategy::kAuto), ProductWay(JoinStrategy::kMerge),
                              ProductWay(JoinStrategy::kDirect),
                              ProductWay(JoinStrategy::kUnchained)};
  std::vector<JoinWay*> all;
  for (ProductWay& way : ways) all.push_back(&way);
  return all;
}

}  // namespace presso::query::join::test
