// SPDX-License-Identifier: MIT
// More groups than small tables hold, so that strategies empty them or change, and more rows than
// 32 bits count.
#include <gtest/gtest.h>

#include "corpora/random.h"
#include "tests/unit/query/group/group_model.h"

namespace presso::query::test::many_groups_test {
namespace {

/// Each of `groups` keys twice, far apart. The sum of a key's two values is known.
struct ManyKeys {
  ManyKeys(std::uint32_t groups, bool as_text) : groups_(groups), as_text_(as_text) {
    plan.keys = {{as_text ? Physical::kString : Physical::kInt64, 0, -1, false}};
    AggregateSpec sum, distinct, least;
    sum.kind = AggregateKind::kSum;
    distinct.kind = AggregateKind::kCountDistinct;
    least.kind = AggregateKind::kMin;
    least.argument = Physical::kString;
    plan.aggregates = {sum, distinct, AggregateSpec{}, least};
    plan.rows = 2 * std::uint64_t{groups};
  }

  static std::string text_of(const char* prefix, std::int64_t number) {
    return std::string(prefix).append(std::to_string(number));
  }

  /// Keys 0, 7919, 2 * 7919, ... modulo the number of keys, and again.
  std::uint64_t key_of(std::uint64_t row) const { return row * 7919 % groups_; }

  Status feed(Grouping& grouping) const {
    std::vector<std::int64_t> keys(kBatchRows), values(kBatchRows);
    std::vector<std::string> texts(kBatchRows);
    std::vector<StringRef> refs(kBatchRows);
    for (std::uint64_t row = 0; row < plan.rows; row += kBatchRows) {
      const auto count =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatchRows, plan.rows - row));
      for (std::uint32_t i = 0; i < count; ++i) {
        keys[i] = static_cast<std::int64_t>(key_of(row + i));
        values[i] = 3 * keys[i] + (row + i < groups_ ? 1 : 0);
        texts[i] = text_of(as_text_ ? "key " : row + i < groups_ ? "b" : "a", keys[i]);
        refs[i] = {reinterpret_cast<const Byte*>(texts[i].data()), texts[i].size()};
      }
      const VectorView text{Physical::kString, refs.data(), nullptr};
      const VectorView number{Physical::kInt64, keys.data(), nullptr};
      const VectorView value{Physical::kInt64, values.data(), nullptr};
      const VectorView arguments[] = {value, value, value, text};
      const unsigned worker = static_cast<unsigned>(row / kBatchRows) % plan.threads;
      PRESSO_TRY(grouping.add(worker, {row}, {as_text_ ? &text : &number, 1}, arguments, count));
    }
    return {};
  }

  void expect_all(const RowStore& store) const {
    ASSERT_EQ(store.rows(), groups_);
    for (std::uint64_t row = 0; row < groups_; ++row) {
      const auto key = static_cast<std::int64_t>(key_of(row));
      const auto text_at = [&](std::size_t column) {
        const StringRef& ref = store.at<StringRef>(column, row);
        return std::string(reinterpret_cast<const char*>(ref.data), ref.size);
      };
      if (as_text_) {
        ASSERT_EQ(text_at(0), text_of("key ", key));
      } else {
        ASSERT_EQ(store.at<std::int64_t>(0, row), key);
      }
      Int128 sum = 0;
      std::memcpy(&sum, &store.at<Int128>(1, row), sizeof sum);
      ASSERT_TRUE(sum == 6 * key + 1);
      ASSERT_EQ(store.at<std::int64_t>(2, row), 2);
      ASSERT_EQ(store.at<std::int64_t>(3, row), 2);
      ASSERT_EQ(text_at(4), text_of(as_text_ ? "key " : "a", key));
    }
  }

  GroupingPlan plan;

 private:
  const std::uint64_t groups_;
  const bool as_text_;
};

TEST(ManyGroups, AreFoundThoughTablesAreEmptiedOnTheWay) {
  for (const bool as_text : {false, true}) {
    for (const unsigned threads : {1u, 2u}) {
      ManyKeys keys(50'021, as_text);
      keys.plan.strategy = GroupStrategy::kRadix;
      keys.plan.threads = threads;
      auto grouping = Grouping::make(keys.plan);
      ASSERT_TRUE(grouping.ok());
      ASSERT_TRUE(keys.feed(**grouping).ok());
      const auto store = (*grouping)->finish();
      ASSERT_TRUE(store.ok());
      keys.expect_all(*store);
    }
  }
}

TEST(ManyGroups, MakeATableBecomePartitions) {
  ManyKeys keys(450'001, false);
  auto grouping = Grouping::make(keys.plan);
  ASSERT_TRUE(grouping.ok());
  EXPECT_EQ((*grouping)->describe(), "hash");
  ASSERT_TRUE(keys.feed(**grouping).ok());
  EXPECT_EQ((*grouping)->describe(), "hash, then radix, 128 partitions");
  const auto store = (*grouping)->finish();
  ASSERT_TRUE(store.ok());
  keys.expect_all(*store);
}

TEST(ManyRows, AreCountedBeyond32Bits) {
  GroupingPlan plan;
  plan.aggregates = {AggregateSpec{}};
  auto grouping = Grouping::make(plan);
  ASSERT_TRUE(grouping.ok());
  const VectorView nothing;
  const std::uint64_t rows = (std::uint64_t{5} << 30) + 3 * kBatchRows;
  for (std::uint64_t row = 0; row < rows; row += kBatchRows) {
    ASSERT_TRUE((*grouping)->add(0, {row}, {}, {&nothing, 1}, kBatchRows).ok());
  }
  std::vector<std::uint64_t> first_rows;
  const auto store = (*grouping)->finish(&first_rows);
  ASSERT_TRUE(store.ok());
  EXPECT_EQ(store->at<std::int64_t>(0, 0), static_cast<std::int64_t>(rows));
  EXPECT_EQ(first_rows, std::vector<std::uint64_t>{0});
}

}  // namespace
}  // namespace presso::query::test::many_groups_test
