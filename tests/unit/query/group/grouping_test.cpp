// SPDX-License-Identifier: MIT
// Groups and aggregates against a plain map (group_model.h): every strategy, one to three workers
// that take chunks in any order, keys and arguments of every form, nulls, and keys that were chosen
// to be difficult.
#include "query/group/grouping.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "corpora/random.h"
#include "query/values/hash.h"
#include "tests/unit/query/group/group_model.h"

namespace presso::query::test::grouping_test {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<bool> some_nulls(std::uint64_t rows, std::uint32_t one_in, std::uint64_t seed) {
  corpora::Random random(seed);
  std::vector<bool> nulls(rows);
  for (std::uint64_t i = 0; i < rows; ++i) nulls[i] = random.one_in(one_in);
  return nulls;
}

std::vector<std::int64_t> numbers_below(std::uint64_t rows, std::uint32_t limit, std::uint64_t seed,
                                        std::int64_t least = 0) {
  corpora::Random random(seed);
  std::vector<std::int64_t> numbers;
  for (std::uint64_t i = 0; i < rows; ++i) numbers.push_back(least + random.below(limit));
  return numbers;
}

/// All kinds of aggregates of a column that fit its form.
void add_aggregates(const TestColumn& column, GroupingPlan& plan, TestInput& input) {
  using Kind = AggregateKind;
  std::vector<Kind> kinds = {Kind::kCount, Kind::kCountDistinct, Kind::kMin, Kind::kMax};
  if (column.physical != Physical::kString && column.physical != Physical::kBool) {
    kinds.insert(kinds.end(), {Kind::kSum, Kind::kAverage});
  }
  for (const Kind kind : kinds) {
    AggregateSpec spec;
    spec.kind = kind;
    spec.argument = column.physical;
    spec.scale = kind == Kind::kAverage && column.physical != Physical::kDouble ? 2 : 0;
    spec.fixed_point = fixed_point_for(1e6, input.rows);
    plan.aggregates.push_back(spec);
    input.arguments.push_back(column);
  }
}

void add_count(GroupingPlan& plan, TestInput& input) {
  plan.aggregates.push_back({});
  input.arguments.push_back(int_column(std::vector<std::int64_t>(input.rows)));
}

void add_key(const TestColumn& column, KeySpec spec, GroupingPlan& plan, TestInput& input) {
  spec.physical = column.physical;
  plan.keys.push_back(spec);
  input.keys.push_back(column);
}

struct Way {
  GroupStrategy strategy;
  unsigned threads;
};

std::string name_of(const testing::TestParamInfo<Way>& info) {
  static const char* const kNames[] = {"Auto", "Dense", "Hash", "Radix"};
  return kNames[static_cast<int>(info.param.strategy)] + std::to_string(info.param.threads);
}

class Groups : public testing::TestWithParam<Way> {
 protected:
  bool is_dense() const { return GetParam().strategy == GroupStrategy::kDense; }

  void expect_as_by_the_map(GroupingPlan plan, const TestInput& input) {
    plan.strategy = GetParam().strategy;
    plan.threads = GetParam().threads;
    plan.rows = input.rows;
    std::vector<std::uint64_t> expected_rows;
    const std::vector<TextRow> expected = expected_groups(plan, input, &expected_rows);
    for (const Feeding feeding :
         {Feeding{7, false, false, false, false}, Feeding{7, false, true, true, false},
          Feeding{7, false, false, false, true}}) {
      std::vector<std::uint64_t> rows;
      ASSERT_EQ(actual_groups(plan, input, feeding, &rows), expected);
      EXPECT_EQ(rows, expected_rows);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(
    , Groups,
    testing::Values(Way{GroupStrategy::kAuto, 2}, Way{GroupStrategy::kDense, 1},
                    Way{GroupStrategy::kDense, 2}, Way{GroupStrategy::kDense, 3},
                    Way{GroupStrategy::kHash, 1}, Way{GroupStrategy::kHash, 2},
                    Way{GroupStrategy::kHash, 3}, Way{GroupStrategy::kRadix, 1},
                    Way{GroupStrategy::kRadix, 2}, Way{GroupStrategy::kRadix, 3}),
    name_of);

TEST_P(Groups, HoldEveryAggregateOfIntegers) {
  for (const std::uint32_t groups : {1u, 4u, 50u, 300u, 9000u}) {
    GroupingPlan plan;
    TestInput input;
    input.rows = 20'000;
    add_key(int_column(numbers_below(input.rows, groups, groups, -7)),
            {Physical::kInt64, -7, -7 + std::int64_t{groups} - 1, false}, plan, input);
    add_count(plan, input);
    add_aggregates(int_column(numbers_below(input.rows, 1000, 2, -500)), plan, input);
    expect_as_by_the_map(plan, input);
  }
}

TEST_P(Groups, HoldEveryAggregateOfIntegersWithNulls) {
  for (const std::uint32_t groups : {1u, 6u, 700u}) {
    GroupingPlan plan;
    TestInput input;
    input.rows = 12'000;
    add_key(int_column(numbers_below(input.rows, groups, groups), some_nulls(input.rows, 9, 3)),
            {Physical::kInt64, 0, groups - 1, true}, plan, input);
    add_count(plan, input);
    add_aggregates(int_column(numbers_below(input.rows, 100, 2, -50), some_nulls(input.rows, 2, 4)),
                   plan, input);
    expect_as_by_the_map(plan, input);
  }
}

TEST_P(Groups, WithoutAnyValueHaveNullsForSumsAndExtremes) {
  GroupingPlan plan;
  TestInput input;
  input.rows = 3000;
  add_key(int_column(numbers_below(input.rows, 5, 1)), {Physical::kInt64, 0, 4, false}, plan,
          input);
  add_aggregates(int_column(numbers_below(input.rows, 5, 1), std::vector<bool>(3000, true)), plan,
                 input);
  add_aggregates(string_column(std::vector<std::string>(3000), std::vector<bool>(3000, true)), plan,
                 input);
  expect_as_by_the_map(plan, input);
}

TEST_P(Groups, AddIntegersOfAnySizeExactly) {
  corpora::Random random(5);
  std::vector<std::int64_t> values;
  for (int i = 0; i < 9000; ++i) {
    values.push_back(random.one_in(3)   ? kMost - random.below(3)
                     : random.one_in(2) ? kLeast + random.below(3)
                                        : static_cast<std::int64_t>(random.next()));
  }
  for (const std::uint32_t groups : {1u, 3u, 200u, 5000u}) {
    GroupingPlan plan;
    TestInput input;
    input.rows = values.size();
    add_key(int_column(numbers_below(input.rows, groups, 8)),
            {Physical::kInt64, 0, groups - 1, false}, plan, input);
    add_aggregates(int_column(values), plan, input);
    for (AggregateSpec& spec : plan.aggregates) {
      spec.least = kLeast;
      spec.most = kMost;
    }
    expect_as_by_the_map(plan, input);
  }
}

TEST_P(Groups, AddWideIntegersExactly) {
  corpora::Random random(6);
  std::vector<Int128> values;
  for (int i = 0; i < 5000; ++i) {
    const Int128 high = random.one_in(4) ? 0 : static_cast<std::int64_t>(random.next()) / 4096;
    values.push_back(high * (Int128{1} << 60) + static_cast<std::int64_t>(random.next()));
  }
  for (const std::uint32_t groups : {1u, 3u, 900u}) {
    GroupingPlan plan;
    TestInput input;
    input.rows = values.size();
    add_key(int_column(numbers_below(input.rows, groups, 8)),
            {Physical::kInt64, 0, groups - 1, false}, plan, input);
    add_aggregates(wide_column(values, some_nulls(input.rows, 7, 3)), plan, input);
    expect_as_by_the_map(plan, input);
  }
}

TEST_P(Groups, AddDoublesToTheSameBitsInAnyOrder) {
  corpora::Random random(9);
  std::vector<double> values;
  for (int i = 0; i < 9000; ++i) {
    const double x = static_cast<double>(static_cast<std::int64_t>(random.next())) * 0x1p-46;
    values.push_back(std::ldexp(x, -static_cast<int>(random.below(90))));
  }
  for (const std::uint32_t groups : {1u, 3u, 400u}) {
    GroupingPlan plan;
    TestInput input;
    input.rows = values.size();
    add_key(int_column(numbers_below(input.rows, groups, 8)),
            {Physical::kInt64, 0, groups - 1, false}, plan, input);
    add_aggregates(double_column(values), plan, input);
    add_aggregates(double_column(values, some_nulls(input.rows, 3, 3)), plan, input);
    expect_as_by_the_map(plan, input);
  }
}

TEST_P(Groups, AddSmallDoublesBesideTheGreatestOnes) {
  corpora::Random random(19);
  std::vector<double> values;
  for (int i = 0; i < 5000; ++i) {
    const double x = static_cast<double>(static_cast<std::int64_t>(random.next())) * 0x1p-63;
    values.push_back(std::ldexp(x, 1024 - static_cast<int>(random.below(2100))));
  }
  for (const std::uint32_t groups : {1u, 900u}) {
    GroupingPlan plan;
    TestInput input;
    input.rows = values.size();
    add_key(int_column(numbers_below(input.rows, groups, 8)),
            {Physical::kInt64, 0, groups - 1, false}, plan, input);
    add_aggregates(double_column(values, some_nulls(input.rows, 3, 3)), plan, input);
    for (AggregateSpec& spec : plan.aggregates) {
      spec.fixed_point = fixed_point_for(std::numeric_limits<double>::max(), input.rows);
    }
    expect_as_by_the_map(plan, input);
  }
}

TEST_P(Groups, KnowInfinitiesNansAndNegativeZeros) {
  corpora::Random random(9);
  const double special[] = {kInfinity, -kInfinity, std::nan("1"), -std::nan("77"), -0.0, 0.0, 1.5};
  std::vector<double> values;
  for (int i = 0; i < 4000; ++i) {
    values.push_back(random.one_in(3) ? special[random.below(7)] : 0.25 * random.below(100));
  }
  GroupingPlan plan;
  TestInput input;
  input.rows = values.size();
  add_key(int_column(numbers_below(input.rows, 2500, 8)), {Physical::kInt64, 0, 2499, false}, plan,
          input);
  add_aggregates(double_column(values, some_nulls(input.rows, 5, 4)), plan, input);
  expect_as_by_the_map(plan, input);
}

TEST_P(Groups, KeepTheirLeastAndGreatestStringsAndCountDifferentOnes) {
  corpora::Random random(10);
  std::vector<std::string> values;
  for (int i = 0; i < 5000; ++i) {
    std::string text(random.skewed(40), static_cast<char>('a' + random.below(3)));
    if (random.one_in(2)) text += std::string("\xFF\x00z", random.below(4));
    values.push_back(text);
  }
  for (const std::uint32_t groups : {1u, 3u, 900u}) {
    GroupingPlan plan;
    TestInput input;
    input.rows = values.size();
    add_key(int_column(numbers_below(input.rows, groups, 8)),
            {Physical::kInt64, 0, groups - 1, false}, plan, input);
    add_aggregates(string_column(values, some_nulls(input.rows, 3, 4)), plan, input);
    expect_as_by_the_map(plan, input);
  }
}

TEST_P(Groups, KeepBooleans) {
  GroupingPlan plan;
  TestInput input;
  input.rows = 3000;
  std::vector<bool> values = some_nulls(input.rows, 3, 5);
  add_key(bool_column(values, some_nulls(input.rows, 3, 6)), {Physical::kBool, 0, -1, true}, plan,
          input);
  add_aggregates(bool_column(some_nulls(input.rows, 500, 7), some_nulls(input.rows, 3, 8)), plan,
                 input);
  expect_as_by_the_map(plan, input);
}

TEST_P(Groups, HaveSeveralKeysWithNulls) {
  GroupingPlan plan;
  TestInput input;
  input.rows = 10'000;
  add_key(int_column(numbers_below(input.rows, 3, 1, 100), some_nulls(input.rows, 4, 11)),
          {Physical::kInt64, 100, 102, true}, plan, input);
  add_key(bool_column(some_nulls(input.rows, 2, 12), some_nulls(input.rows, 4, 13)),
          {Physical::kBool, 0, -1, true}, plan, input);
  add_key(int_column(std::vector<std::int64_t>(input.rows, 42)), {Physical::kInt64, 42, 42, false},
          plan, input);
  add_key(int_column(numbers_below(input.rows, 40, 2, -20)), {Physical::kInt64, -20, 19, false},
          plan, input);
  add_aggregates(int_column(numbers_below(input.rows, 9, 2)), plan, input);
  expect_as_by_the_map(plan, input);
}

TEST_P(Groups, OfNeighboursAreTheSameAsOthers) {
  GroupingPlan plan;
  TestInput input;
  input.rows = 12'000;
  corpora::Random random(3);
  std::vector<std::int64_t> keys;
  for (std::int64_t key = 0; keys.size() < input.rows; ++key) {
    const std::size_t length = 1 + random.below(8);
    for (std::size_t i = 0; i < length && keys.size() < input.rows; ++i) keys.push_back(key % 6000);
  }
  add_key(int_column(keys), {Physical::kInt64, 0, 5999, false}, plan, input);
  add_count(plan, input);
  add_aggregates(int_column(numbers_below(input.rows, 1000, 2), some_nulls(input.rows, 10, 1)),
                 plan, input);
  add_aggregates(double_column(std::vector<double>(input.rows, 0.1)), plan, input);
  expect_as_by_the_map(plan, input);
}

TEST_P(Groups, WhoseKeysAscendAreTheSameAsOthers) {
  for (const bool ends_in_order : {true, false}) {
    for (const std::uint32_t longest : {1u, 9u}) {
      GroupingPlan plan;
      TestInput input;
      corpora::Random random(3);
      std::vector<std::int64_t> keys;
      for (std::int64_t key = 0; keys.size() < 8000; key += 1 + random.below(4)) {
        keys.insert(keys.end(), 1 + random.below(longest), key);
      }
      if (!ends_in_order) keys.insert(keys.end(), keys.begin() + 700, keys.begin() + 1500);
      input.rows = keys.size();
      add_key(int_column(keys), {Physical::kInt64, 0, 99'999, false}, plan, input);
      add_count(plan, input);
      add_aggregates(int_column(numbers_below(input.rows, 1000, 2), some_nulls(input.rows, 10, 1)),
                     plan, input);
      add_aggregates(string_column(std::vector<std::string>(input.rows, "text")), plan, input);
      expect_as_by_the_map(plan, input);
    }
  }
}

TEST_P(Groups, ShareSumsOfTheSameValuesAsLongAsTheyAreTheSame) {
  // Rows 0 to 4,999: the second argument is the first; afterwards it is another one.
  GroupingPlan plan;
  plan.keys = {KeySpec{Physical::kInt64, 0, 199, false}};
  plan.strategy = GetParam().strategy;
  plan.threads = GetParam().threads;
  AggregateSpec sum, average;
  sum.kind = AggregateKind::kSum;
  average.kind = AggregateKind::kAverage;
  average.scale = 1;
  plan.aggregates = {sum, average, sum};
  const auto keys = numbers_below(10'000, 200, 1);
  const auto one = numbers_below(10'000, 1000, 2);
  const auto other = numbers_below(10'000, 1000, 3);
  const auto grouping = Grouping::make(plan);
  ASSERT_TRUE(grouping.ok());
  for (std::uint64_t row = 0; row < 10'000; row += 500) {
    const VectorView key{Physical::kInt64, keys.data() + row, nullptr};
    const VectorView first{Physical::kInt64, one.data() + row, nullptr};
    const VectorView second{Physical::kInt64, (row < 5000 ? one : other).data() + row, nullptr};
    const VectorView arguments[] = {first, first, second};
    ASSERT_TRUE(
        (*grouping)
            ->add(static_cast<unsigned>(row / 500) % plan.threads, {row}, {&key, 1}, arguments, 500)
            .ok());
  }
  std::vector<std::int64_t> mixed(one.begin(), one.begin() + 5000);
  mixed.insert(mixed.end(), other.begin() + 5000, other.end());
  const TestInput input{
      10'000, {int_column(keys)}, {int_column(one), int_column(one), int_column(mixed)}};
  const auto store = (*grouping)->finish();
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(text_of(*store), expected_groups(plan, input));
}

TEST_P(Groups, AreNoneWithoutRows) {
  GroupingPlan plan;
  TestInput input;
  add_key(int_column({}), {Physical::kInt64, 0, 10, false}, plan, input);
  add_aggregates(int_column({}), plan, input);
  expect_as_by_the_map(plan, input);
}

TEST_P(Groups, AreOneWithoutKeys) {
  for (const std::uint64_t rows : {0, 1, 1024, 20'000}) {
    GroupingPlan plan;
    TestInput input;
    input.rows = rows;
    add_count(plan, input);
    add_aggregates(int_column(numbers_below(rows, 1000, 2, -500)), plan, input);
    add_aggregates(int_column(numbers_below(rows, 1000, 3, -5), some_nulls(rows, 2, 4)), plan,
                   input);
    add_aggregates(double_column(std::vector<double>(rows, 0.3)), plan, input);
    add_aggregates(string_column(std::vector<std::string>(rows, "abc")), plan, input);
    expect_as_by_the_map(plan, input);
  }
}

TEST_P(Groups, HaveKeysWithoutKnownRanges) {
  if (is_dense()) return;
  corpora::Random random(2);
  std::vector<std::int64_t> keys;
  const std::int64_t extremes[] = {kLeast, kLeast + 1, -1, 0, 1, kMost - 1, kMost};
  for (int i = 0; i < 9000; ++i) {
    keys.push_back(random.one_in(2) ? extremes[random.below(7)]
                                    : static_cast<std::int64_t>(random.next() >> random.below(60)));
  }
  for (const bool nullable : {false, true}) {
    GroupingPlan plan;
    TestInput input;
    input.rows = keys.size();
    add_key(int_column(keys, nullable ? some_nulls(input.rows, 9, 1) : std::vector<bool>{}),
            {Physical::kInt64, 0, -1, nullable}, plan, input);
    add_aggregates(int_column(numbers_below(input.rows, 1000, 2)), plan, input);
    expect_as_by_the_map(plan, input);
    add_key(int_column(numbers_below(input.rows, 3, 4, kMost - 3)),
            {Physical::kInt64, 0, -1, nullable}, plan, input);
    expect_as_by_the_map(plan, input);
    add_key(int_column(keys), {Physical::kInt64, kLeast, kMost, nullable}, plan, input);
    expect_as_by_the_map(plan, input);
  }
}

TEST_P(Groups, HaveDoublesAsKeys) {
  if (is_dense()) return;
  corpora::Random random(2);
  const double special[] = {kInfinity, -kInfinity, std::nan("1"), -std::nan("77"), -0.0, 0.0};
  std::vector<double> keys;
  for (int i = 0; i < 6000; ++i) {
    keys.push_back(random.one_in(3) ? special[random.below(6)] : 0.1 * random.below(1000));
  }
  GroupingPlan plan;
  TestInput input;
  input.rows = keys.size();
  add_key(double_column(keys, some_nulls(input.rows, 20, 1)), {Physical::kDouble, 0, -1, true},
          plan, input);
  add_aggregates(int_column(numbers_below(input.rows, 1000, 2)), plan, input);
  expect_as_by_the_map(plan, input);
  add_key(bool_column(some_nulls(input.rows, 2, 2)), {Physical::kBool, 0, -1, false}, plan, input);
  expect_as_by_the_map(plan, input);
}

TEST_P(Groups, HaveStringsAsKeys) {
  if (is_dense()) return;
  corpora::Random random(2);
  std::vector<std::string> keys;
  for (int i = 0; i < 6000; ++i) {
    keys.push_back(random.one_in(5)
                       ? std::string(random.below(3), '\0')
                       : std::string(random.below(50), 'x') + std::to_string(random.below(50)));
  }
  GroupingPlan plan;
  TestInput input;
  input.rows = keys.size();
  add_key(string_column(keys, some_nulls(input.rows, 20, 1)), {Physical::kString, 0, -1, true},
          plan, input);
  add_aggregates(int_column(numbers_below(input.rows, 1000, 2)), plan, input);
  expect_as_by_the_map(plan, input);
  // ("ab", "c") is not ("a", "bc").
  add_key(string_column({keys.rbegin(), keys.rend()}), {Physical::kString, 0, -1, true}, plan,
          input);
  add_key(wide_column(std::vector<Int128>(input.rows, Int128{-1} << 100)),
          {Physical::kInt128, 0, -1, true}, plan, input);
  add_key(bool_column(some_nulls(input.rows, 2, 3), some_nulls(input.rows, 2, 4)),
          {Physical::kBool, 0, -1, true}, plan, input);
  add_key(double_column(std::vector<double>(input.rows, -0.0)), {Physical::kDouble, 0, -1, true},
          plan, input);
  expect_as_by_the_map(plan, input);
}

TEST_P(Groups, AreFoundThoughAllHashesCollide) {
  if (is_dense()) return;
  // What hash_word() does, backwards: words whose hashes differ in the upper half only.
  const auto unshift = [](std::uint64_t value, unsigned shift) {
    std::uint64_t result = value;
    for (int i = 0; i < 6; ++i) result = value ^ (result >> shift);
    return result;
  };
  std::vector<std::int64_t> keys;
  for (std::uint64_t i = 0; i < 700; ++i) {
    std::uint64_t word = unshift((i << 40) | 0x1234, 31) * 0x319642B2D24D8EC3u;
    word = unshift(word, 27) * 0x96DE1B173F119089u;
    word = unshift(word, 30) ^ kHashKey;
    ASSERT_EQ(hash_word(word), (i << 40) | 0x1234);
    keys.push_back(static_cast<std::int64_t>(word));
  }
  GroupingPlan plan;
  TestInput input;
  for (int i = 0; i < 5; ++i) keys.insert(keys.end(), keys.begin(), keys.begin() + 700);
  input.rows = keys.size();
  add_key(int_column(keys), {Physical::kInt64, 0, -1, false}, plan, input);
  add_aggregates(int_column(numbers_below(input.rows, 1000, 2)), plan, input);
  expect_as_by_the_map(plan, input);
}

TEST_P(Groups, OfAllPartsAreAllGroups) {
  GroupingPlan plan;
  TestInput input;
  input.rows = 9000;
  add_key(int_column(numbers_below(input.rows, 2000, 1), some_nulls(input.rows, 9, 2)),
          {Physical::kInt64, 0, 1999, true}, plan, input);
  add_count(plan, input);
  add_aggregates(int_column(numbers_below(input.rows, 1000, 2), some_nulls(input.rows, 9, 3)), plan,
                 input);
  add_aggregates(string_column(std::vector<std::string>(input.rows, "some text")), plan, input);
  add_aggregates(bool_column(some_nulls(input.rows, 9, 5)), plan, input);
  plan.strategy = GetParam().strategy;
  plan.threads = GetParam().threads;
  std::vector<std::pair<std::uint64_t, TextRow>> found;
  plan.parts = 5;
  for (plan.part = 0; plan.part < plan.parts; ++plan.part) {
    std::vector<std::uint64_t> rows;
    const auto answer = actual_groups(plan, input, {plan.part, false, false, true}, &rows);
    ASSERT_EQ(answer.size(), rows.size());
    EXPECT_GT(rows.size(), 200u);
    EXPECT_LT(rows.size(), 700u);
    for (std::size_t i = 0; i < rows.size(); ++i) found.emplace_back(rows[i], answer[i]);
  }
  std::sort(found.begin(), found.end());
  std::vector<TextRow> answer;
  for (auto& [row, text] : found) answer.push_back(text);
  EXPECT_EQ(answer, expected_groups(plan, input));
}

TEST_P(Groups, StopWhereMemoryWouldNotSuffice) {
  GroupingPlan plan;
  TestInput input;
  input.rows = 60'000;
  std::vector<std::int64_t> keys(input.rows);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::int64_t>(i);
  add_key(int_column(keys), {Physical::kInt64, 0, 59'999, false}, plan, input);
  add_aggregates(int_column(keys), plan, input);
  plan.strategy = GetParam().strategy;
  plan.threads = GetParam().threads;
  plan.memory_bytes = 500'000;
  auto grouping = Grouping::make(plan);
  ASSERT_TRUE(grouping.ok());
  const Status fed = feed(**grouping, plan, input, {});
  ASSERT_FALSE(fed.ok());
  EXPECT_EQ(fed.error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(fed.error().what, "");
  EXPECT_LE((*grouping)->bytes(), 1'500'000u);
  plan.memory_bytes = 100'000'000;
  auto larger = Grouping::make(plan);
  EXPECT_TRUE(feed(**larger, plan, input, {}).ok());
  EXPECT_GT((*larger)->bytes(), 1'000'000u);
}

TEST_P(Groups, RefuseSumsOfMoreThan38Digits) {
  Int128 greatest = 1;
  for (int i = 0; i < 38; ++i) greatest *= 10;
  --greatest;
  for (const int sign : {1, -1}) {
    GroupingPlan plan;
    TestInput input;
    input.rows = 4;
    add_key(int_column({1, 2, 1, 1}), {Physical::kInt64, 1, 2, false}, plan, input);
    AggregateSpec sum;
    sum.kind = AggregateKind::kSum;
    sum.argument = Physical::kInt128;
    plan.aggregates.push_back(sum);
    input.arguments.push_back(wide_column({sign * greatest, 5, sign * greatest, -sign * greatest}));
    expect_as_by_the_map(plan, input);  // what lies between does not matter
    input.arguments[0].numbers[2] = sign;
    input.arguments[0].numbers[3] = 0;
    plan.strategy = GetParam().strategy;
    plan.threads = GetParam().threads;
    const auto answer = actual_groups(plan, input, {});
    ASSERT_EQ(answer.size(), 1u);
    EXPECT_NE(answer[0][0].find("the sum does not fit into 38 digits"), std::string::npos);
  }
}

TEST(GroupStrategies, RefuseAnArrayForKeysWithoutSmallRanges) {
  GroupingPlan plan;
  plan.strategy = GroupStrategy::kDense;
  for (const KeySpec& key : {KeySpec{Physical::kInt64, 0, -1, false}, KeySpec{Physical::kString},
                             KeySpec{Physical::kInt64, 0, kMost, false}}) {
    plan.keys = {key};
    const auto grouping = Grouping::make(plan);
    ASSERT_FALSE(grouping.ok());
    EXPECT_EQ(grouping.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(GroupStrategies, RefuseKeysOutsideOfTheArray) {
  GroupingPlan plan;
  plan.strategy = GroupStrategy::kDense;
  plan.keys = {KeySpec{Physical::kInt64, 10, 20, true}};
  for (const std::int64_t key : {std::int64_t{8}, std::int64_t{21}, kLeast, kMost}) {
    auto grouping = Grouping::make(plan);
    ASSERT_TRUE(grouping.ok());
    const VectorView view{Physical::kInt64, &key, nullptr};
    const Status added = (*grouping)->add(0, {}, {&view, 1}, {}, 1);
    ASSERT_FALSE(added.ok());
    EXPECT_EQ(added.error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace presso::query::test::grouping_test
