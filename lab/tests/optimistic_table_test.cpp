// SPDX-License-Identifier: MIT
// The optimistic table of keys knows the keys that the plain one knows, and says which are new;
// also where hashes are chosen to collide, so that optimistic stores fail.
#include "lab/groups/optimistic_table.h"

#include <gtest/gtest.h>

#include "corpora/random.h"

namespace presso::query::grouping::lab {
namespace {

template <class Key, class HashOf>
void expect_the_plain_tables_keys(const std::vector<Key>& keys, HashOf&& hash_of) {
  KeyTable<Key> plain;
  OptimisticTable<Key> optimistic;
  for (std::size_t first = 0; first < keys.size(); first += kBatchRows) {
    const auto count =
        static_cast<std::uint32_t>(std::min<std::size_t>(kBatchRows, keys.size() - first));
    std::vector<std::uint64_t> hashes;
    for (std::uint32_t i = 0; i < count; ++i) hashes.push_back(hash_of(keys[first + i]));
    std::vector<std::uint32_t> ids(count), others(count);
    NewKeys added, also_added;
    plain.reserve(count);
    plain.find_or_add(&keys[first], hashes.data(), count, ids.data(), added);
    optimistic.reserve(count);
    optimistic.find_or_add_optimistic(&keys[first], hashes.data(), count, others.data(),
                                      also_added);
    for (std::uint32_t i = 0; i < count; ++i) {
      ASSERT_LT(others[i], optimistic.size());
      ASSERT_TRUE(optimistic.keys()[others[i]] == keys[first + i]);
    }
    ASSERT_EQ(also_added.count, added.count);
    ASSERT_EQ(optimistic.size(), plain.size());
    for (std::uint32_t i = 0; i < also_added.count; ++i) {
      EXPECT_EQ(others[also_added.rows[i]], also_added.first + i);
    }
  }
}

std::vector<std::uint64_t> some_words(std::size_t count, std::uint32_t limit) {
  corpora::Random random(limit);
  const std::uint64_t special[] = {0, ~std::uint64_t{0}, std::uint64_t{1} << 63, 1};
  std::vector<std::uint64_t> keys;
  for (std::size_t i = 0; i < count; ++i) {
    keys.push_back(random.one_in(10) ? special[random.below(4)] : random.below(limit));
  }
  return keys;
}

TEST(OptimisticTable, KnowsWords) {
  for (const std::uint32_t limit : {1u, 30u, 5000u, 1u << 30}) {
    expect_the_plain_tables_keys(some_words(20'000, limit),
                                 [](std::uint64_t key) { return hash_key(key); });
  }
}

TEST(OptimisticTable, KnowsWordsWhoseHashesCollide) {
  const auto keys = some_words(6000, 700);
  expect_the_plain_tables_keys(keys, [](std::uint64_t) { return std::uint64_t{0}; });
  expect_the_plain_tables_keys(keys, [](std::uint64_t) { return ~std::uint64_t{0}; });
  expect_the_plain_tables_keys(keys, [](std::uint64_t key) { return key % 5; });
}

TEST(OptimisticTable, KnowsPairs) {
  std::vector<WordPair> keys;
  for (const std::uint64_t word : some_words(9000, 3000)) keys.push_back({word % 50, word});
  expect_the_plain_tables_keys(keys, [](const WordPair& key) { return hash_key(key); });
  expect_the_plain_tables_keys(keys, [](const WordPair& key) { return key.first; });
}

}  // namespace
}  // namespace presso::query::grouping::lab
