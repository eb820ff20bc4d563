// SPDX-License-Identifier: MIT
// Which joins merge by themselves: those whose keys lie too far apart for an array and ascend on
// both sides. The answer is that of the other strategies.
#include "query/run/key_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>

#include "corpora/random.h"
#include "presso/compress_table.h"
#include "tests/unit/query/answer/text_sink.h"

namespace presso::query::key_order_test {
namespace {

using Keys = std::vector<std::string>;

/// 1,000 to 2,000 lie between two keys.
std::vector<std::int64_t> ascending(std::size_t count, std::uint64_t seed) {
  corpora::Random random(seed);
  std::vector<std::int64_t> keys;
  std::int64_t key = -1'000'000;
  for (std::size_t i = 0; i < count; ++i) {
    key += static_cast<std::int64_t>(1000 + random.below(1000));
    keys.push_back(key);
  }
  return keys;
}

Keys texts(const std::vector<std::int64_t>& keys) {
  Keys texts;
  for (const std::int64_t key : keys) texts.push_back(std::to_string(key));
  return texts;
}

/// Each key four times.
Keys in_fours(const Keys& keys) {
  Keys fours;
  for (const std::string& key : keys) fours.insert(fours.end(), 4, key);
  return fours;
}

TEST(KeyOrders, AreFoundOnce) {
  KeyOrders orders;
  int asked = 0;
  const auto find = [&](bool ascends) {
    return [&asked, ascends] {
      ++asked;
      return ascends;
    };
  };
  EXPECT_TRUE(orders.ascends(0, 3, find(true)));
  EXPECT_FALSE(orders.ascends(1, 3, find(false)));
  EXPECT_TRUE(orders.ascends(0, 3, find(false)));
  EXPECT_FALSE(orders.ascends(1, 3, find(true)));
  EXPECT_EQ(asked, 2);
}

class KeyOrderTest : public ::testing::Test {
 protected:
  const Table& table(const std::string& name, const Keys& keys) {
    std::string csv = name + ",number\n";
    std::size_t number = 0;
    for (const std::string& key : keys) csv += key + "," + std::to_string(number++) + "\n";
    const Bytes text(reinterpret_cast<const Byte*>(csv.data()), csv.size());
    MemorySource source(text), again(text);
    VectorSink sink(bytes_.emplace_back());
    TableOptions options;
    options.group_rows = 9000;
    EXPECT_TRUE(compress_table(source, &again, sink, options).ok());
    files_.push_back(std::make_unique<MemoryRandomAccess>(bytes_.back()));
    return tables_.emplace_back(*Table::open(*files_.back()));
  }

  /// The strategy that was chosen, and the one that was foreseen.
  static std::string chosen(const std::vector<Table>& left, const std::string& on,
                            const Table& right) {
    std::vector<std::string> names(left.size(), "left");
    Query query = Query::from(left, names);
    query.join({right}, {"right"}, JoinKind::kInner, on).select("left.number, right.number");
    QueryOptions options;
    options.threads = 2;
    const auto text = query.explain(options, true);
    EXPECT_TRUE(text.ok());
    expect_same_answers(query);
    for (const std::string name : {"merge", "unchained", "direct"}) {
      if (text->find(" (" + name + ", ") == text->npos) continue;
      return text->find(" " + name + " table)") == text->npos ? name + ", not foreseen" : name;
    }
    return *text;
  }

  static void expect_same_answers(const Query& query) {
    QueryOptions options;
    TextSink automatic, plain;
    EXPECT_TRUE(query.run(options, automatic).ok());
    options.join_strategy = JoinStrategy::kUnchained;
    EXPECT_TRUE(query.run(options, plain).ok());
    EXPECT_EQ(automatic.text, plain.text);
    EXPECT_FALSE(plain.text.empty());
  }

  const Keys keys_ = texts(ascending(5000, 7));
  std::deque<std::vector<Byte>> bytes_;
  std::vector<std::unique_ptr<MemoryRandomAccess>> files_;
  std::deque<Table> tables_;
};

TEST_F(KeyOrderTest, KeysThatAscendOnBothSidesAreMerged) {
  const Table& build = table("b", keys_);
  EXPECT_EQ(chosen({table("a", in_fours(keys_))}, "a = b", build), "merge");
  EXPECT_EQ(
      chosen({table("a", in_fours(keys_))}, "a = b, left.number < right.number + 9000", build),
      "merge");
}

TEST_F(KeyOrderTest, KeysThatLieCloseTogetherHaveAnArray) {
  Keys close;
  for (int i = 0; i < 5000; ++i) close.push_back(std::to_string(i));
  EXPECT_EQ(chosen({table("a", in_fours(close))}, "a = b", table("b", close)), "direct");
}

TEST_F(KeyOrderTest, KeysInAnotherOrderAreLookedUp) {
  const Table& build = table("b", keys_);
  Keys fours = in_fours(keys_);
  std::reverse(fours.begin(), fours.end());
  EXPECT_EQ(chosen({table("a", fours)}, "a = b", build), "unchained") << "descending";
  corpora::Random random(3);
  for (std::size_t i = fours.size() - 1; i > 0; --i)
    std::swap(fours[i], fours[random.below(static_cast<std::uint32_t>(i + 1))]);
  EXPECT_EQ(chosen({table("a", fours)}, "a = b", build), "unchained") << "shuffled";
}

TEST_F(KeyOrderTest, WhatZonesOfRowGroupsDoNotTellIsReadFromSomeRows) {
  Keys fours = in_fours(keys_);
  corpora::Random random(3);
  for (std::size_t i = 0; i + 10 < fours.size(); ++i) {
    if (i / 9000 == (i + 9) / 9000) std::swap(fours[i], fours[i + random.below(10)]);
  }
  EXPECT_EQ(chosen({table("a", fours)}, "a = b", table("b", keys_)), "unchained");
}

TEST_F(KeyOrderTest, FilesAreOneTableInTheirOrder) {
  const Keys fours = in_fours(keys_);
  const Keys first(fours.begin(), fours.begin() + 7000), second(fours.begin() + 7000, fours.end());
  const Table& build = table("b", keys_);
  EXPECT_EQ(chosen({table("a", first), table("a", second)}, "a = b", build), "merge");
  EXPECT_EQ(chosen({table("a", second), table("a", first)}, "a = b", build), "unchained");
}

TEST_F(KeyOrderTest, NullsSeveralKeysAndComputedOnesAreNotMerged) {
  const Table& build = table("b", keys_);
  const Table& probe = table("a", in_fours(keys_));
  EXPECT_EQ(chosen({probe}, "a + 1 = b + 1", build), "unchained");
  EXPECT_EQ(chosen({probe}, "a = b, left.number // 4 = right.number", build), "unchained");
  Keys with_null = in_fours(keys_);
  with_null[100].clear();
  EXPECT_EQ(chosen({table("a", with_null)}, "a = b", build), "unchained");
}

TEST_F(KeyOrderTest, ABuildSideThatDoesNotAscendIsNotMerged) {
  Keys keys = keys_;
  std::swap(keys.front(), keys.back());
  EXPECT_EQ(chosen({table("a", in_fours(keys_))}, "a = b", table("b", keys)), "unchained");
}

TEST_F(KeyOrderTest, ConversionsKeepTheOrder) {
  Keys days, moments;
  for (int day = 0; day < 300; ++day) {
    const std::string text = std::to_string(1000 + 7 * day) + "-03-0" + std::to_string(1 + day % 9);
    days.push_back(text);
    for (int i = 0; i < 4; ++i) moments.push_back(text + "T00:00:00.00000" + std::to_string(i));
  }
  EXPECT_EQ(chosen({table("a", moments)}, "a = b", table("b", days)), "merge");
}

}  // namespace
}  // namespace presso::query::key_order_test
