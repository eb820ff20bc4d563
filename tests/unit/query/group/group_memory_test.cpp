// SPDX-License-Identifier: MIT
// What a grouping counts of its memory, up to its finished rows: limits are kept, and what sufficed
// once suffices again.
#include <gtest/gtest.h>

#include "corpora/random.h"
#include "query/group/grouping.h"
#include "tests/unit/query/group/group_model.h"

namespace presso::query::test::group_memory_test {
namespace {

constexpr std::uint64_t kRows = 150'000;
/// Strings of a vector come without being asked for before: a chunk of them for each thread.
constexpr std::uint64_t kStringChunk = 1u << 20;

struct Case {
  const char* name;
  GroupStrategy strategy;
  unsigned threads;
  enum Keys { kScattered, kAscending, kStrings } keys;
};

TestColumn keys_of(Case::Keys kind) {
  corpora::Random random(3);
  std::vector<std::int64_t> numbers(kRows);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<std::int64_t>(kind == Case::kAscending ? i / 2 : random.below(kRows));
  }
  if (kind != Case::kStrings) return int_column(numbers);
  std::vector<std::string> texts;
  for (const std::int64_t number : numbers) texts.push_back(std::to_string(number) + " of many");
  return string_column(texts);
}

class GroupMemory : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    input.rows = kRows;
    input.keys.push_back(keys_of(GetParam().keys));
    KeySpec key;
    key.physical = input.keys[0].physical;
    plan.keys.push_back(key);
    for (const AggregateKind kind : {AggregateKind::kSum, AggregateKind::kMax}) {
      AggregateSpec spec;
      spec.kind = kind;
      plan.aggregates.push_back(spec);
      std::vector<std::int64_t> values(kRows, 7);
      input.arguments.push_back(int_column(values));
    }
    plan.rows = kRows;
    plan.strategy = GetParam().strategy;
    plan.threads = GetParam().threads;
  }

  /// The most memory of a run with such a limit; its status and its rows' bytes.
  std::uint64_t run(std::uint64_t limit, Status& status, std::uint64_t& finished) {
    plan.memory_bytes = limit;
    const auto grouping = Grouping::make(plan);
    if (!grouping.ok()) {
      status = grouping.error();
      return 0;
    }
    status = feed(**grouping, plan, input, {1, false, true, false});
    if (status.ok()) {
      const Result<RowStore> rows = (*grouping)->finish();
      if (rows.ok()) {
        finished = rows->bytes();
      } else {
        status = rows.error();
      }
    }
    return (*grouping)->bytes();
  }

  GroupingPlan plan;
  TestInput input;
};

TEST_P(GroupMemory, LimitsHoldForGroupsTheirMergeAndTheirRows) {
  Status status;
  std::uint64_t finished = 0;
  const std::uint64_t most = run(std::uint64_t{1} << 40, status, finished);
  ASSERT_TRUE(status.ok());
  EXPECT_GT(finished, kRows / 2 * 8);
  EXPECT_GT(most, finished);
  // What a run takes depends a little on which thread gets which rows.
  const std::uint64_t strings = GetParam().keys == Case::kStrings ? plan.threads * kStringChunk : 0;
  for (const double share : {0.2, 0.5, 0.8, 1.6}) {
    const auto limit = static_cast<std::uint64_t>(static_cast<double>(most) * share);
    EXPECT_LE(run(limit, status, finished), limit + strings) << share;
    EXPECT_EQ(status.ok(), share > 1) << share;
    if (status.ok()) continue;
    EXPECT_EQ(status.error().code, ErrorCode::kOutOfMemory);
    EXPECT_EQ(status.error().what, "");
  }
}

TEST_P(GroupMemory, APartTakesItsShare) {
  Status status;
  std::uint64_t finished = 0;
  const std::uint64_t most = run(std::uint64_t{1} << 40, status, finished);
  plan.parts = 8;
  EXPECT_LT(run(most / 2, status, finished), most / 2);
  EXPECT_TRUE(status.ok());
}

INSTANTIATE_TEST_SUITE_P(
    Ways, GroupMemory,
    ::testing::Values(Case{"HashOfOne", GroupStrategy::kHash, 1, Case::kScattered},
                      Case{"HashOfThree", GroupStrategy::kHash, 3, Case::kScattered},
                      Case{"Radix", GroupStrategy::kRadix, 2, Case::kScattered},
                      Case{"Sorted", GroupStrategy::kHash, 3, Case::kAscending},
                      Case{"Strings", GroupStrategy::kHash, 2, Case::kStrings},
                      Case{"StringsByRadix", GroupStrategy::kRadix, 2, Case::kStrings}),
    [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace presso::query::test::group_memory_test
