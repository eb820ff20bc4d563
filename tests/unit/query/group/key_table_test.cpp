// SPDX-License-Identifier: MIT
// Numbers of keys: dense and in the order in which keys came, for any key, also where hashes are
// chosen to collide.
#include "query/group/key_table.h"

#include <gtest/gtest.h>

#include <map>

#include "corpora/random.h"

namespace presso::query::grouping::key_table_test {
namespace {

/// Looks vectors up and compares with a map. `hash_of` may be as bad as it likes.
template <class Key, class Same, class HashOf>
void expect_dense_numbers(const std::vector<Key>& keys, Same&& name_of, HashOf&& hash_of) {
  KeyTable<Key> table;
  std::map<decltype(name_of(keys[0])), std::uint32_t> numbers;
  for (std::size_t first = 0; first < keys.size(); first += kBatchRows) {
    const auto count =
        static_cast<std::uint32_t>(std::min<std::size_t>(kBatchRows, keys.size() - first));
    std::vector<std::uint64_t> hashes;
    for (std::uint32_t i = 0; i < count; ++i) hashes.push_back(hash_of(keys[first + i]));
    std::vector<std::uint32_t> ids(count);
    NewKeys added;
    table.reserve(count);
    table.find_or_add(&keys[first], hashes.data(), count, ids.data(), added);
    const std::size_t known = numbers.size();
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto next = static_cast<std::uint32_t>(numbers.size());
      ASSERT_EQ(ids[i], numbers.emplace(name_of(keys[first + i]), next).first->second);
      ASSERT_EQ(table.find(keys[first + i], hashes[i]), ids[i]);
    }
    ASSERT_EQ(added.first, known);
    ASSERT_EQ(added.count, numbers.size() - known);
    ASSERT_EQ(table.size(), numbers.size());
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

std::uint64_t itself(std::uint64_t key) {
  return key;
}

TEST(KeyTable, NumbersWordsInTheirOrder) {
  for (const std::uint32_t limit : {1u, 30u, 5000u, 1u << 30}) {
    expect_dense_numbers(some_words(20'000, limit), itself,
                         [](std::uint64_t key) { return hash_key(key); });
  }
}

TEST(KeyTable, SaysWhichKeysAreNotThere) {
  KeyTable<std::uint64_t> table;
  EXPECT_EQ(table.find(0, hash_key(std::uint64_t{0})), table.kAbsent);
  std::uint64_t keys[] = {0, 5, ~std::uint64_t{0}}, hashes[3];
  for (std::size_t i = 0; i < 3; ++i) hashes[i] = hash_key(keys[i]);
  std::uint32_t ids[3];
  NewKeys added;
  table.reserve(3);
  table.find_or_add(keys, hashes, 3, ids, added);
  for (const std::uint64_t absent : {1u, 4u, 6u}) {
    EXPECT_EQ(table.find(absent, hash_key(absent)), table.kAbsent);
    EXPECT_EQ(table.find(absent, hashes[1]), table.kAbsent);
  }
}

TEST(KeyTable, NumbersWordsWhoseHashesCollide) {
  const auto keys = some_words(6000, 700);
  expect_dense_numbers(keys, itself, [](std::uint64_t) { return std::uint64_t{0}; });
  expect_dense_numbers(keys, itself, [](std::uint64_t) { return ~std::uint64_t{0}; });
  expect_dense_numbers(keys, itself, [](std::uint64_t key) { return key % 5; });
}

TEST(KeyTable, NumbersPairs) {
  std::vector<WordPair> keys;
  for (const std::uint64_t word : some_words(9000, 3000)) keys.push_back({word % 50, word});
  const auto name_of = [](const WordPair& key) { return std::pair(key.first, key.second); };
  expect_dense_numbers(keys, name_of, [](const WordPair& key) { return hash_key(key); });
  expect_dense_numbers(keys, name_of, [](const WordPair& key) { return key.first; });
}

TEST(KeyTable, KeepsCopiesOfTexts) {
  std::vector<std::string> texts;
  for (const std::uint64_t word : some_words(5000, 900)) {
    texts.push_back(word % 7 == 0 ? "" : std::string(word % 40, '\0') + std::to_string(word));
  }
  std::vector<StringRef> keys;
  for (const std::string& text : texts) {
    keys.push_back({reinterpret_cast<const Byte*>(text.data()), text.size()});
  }
  const auto name_of = [](const StringRef& key) {
    return std::string(reinterpret_cast<const char*>(key.data), key.size);
  };
  expect_dense_numbers(keys, name_of, [](const StringRef& key) { return hash_key(key); });
  expect_dense_numbers(keys, name_of, [](const StringRef& key) { return key.size % 3; });
}

TEST(KeyTable, TakesKeysOverAndGivesThemAway) {
  Column<std::uint64_t> given;
  given.extend(3000);
  for (std::uint64_t i = 0; i < 3000; ++i) given[i] = i * i;
  KeyTable<std::uint64_t> table;
  table.adopt(std::move(given));
  const std::uint64_t keys[] = {4, 5, 2999 * 2999};
  std::uint64_t hashes[3];
  for (int i = 0; i < 3; ++i) hashes[i] = hash_key(keys[i]);
  std::uint32_t ids[3];
  NewKeys added;
  table.reserve(3);
  table.find_or_add(keys, hashes, 3, ids, added);
  EXPECT_EQ(ids[0], 2u);
  EXPECT_EQ(ids[1], 3000u);
  EXPECT_EQ(ids[2], 2999u);
  EXPECT_GT(table.bytes(), 3000u * 24);
  const KeyList<std::uint64_t> taken = table.take();
  EXPECT_EQ(taken.size(), 3001u);
  EXPECT_EQ(taken.keys[3000], 5u);
  EXPECT_EQ(table.size(), 0u);
  table.reserve(3);
  table.find_or_add(keys, hashes, 3, ids, added);
  EXPECT_EQ(ids[2], 2u);
}

TEST(KeyTable, SaysWhatItIsGoingToAllocate) {
  KeyTable<std::uint64_t> table;
  std::vector<std::uint64_t> keys(kBatchRows), hashes(kBatchRows);
  std::vector<std::uint32_t> ids(kBatchRows);
  NewKeys added;
  for (std::uint64_t i = 0; i < 200; ++i) {
    for (std::uint64_t j = 0; j < kBatchRows; ++j) {
      keys[j] = i * kBatchRows + j;
      hashes[j] = hash_key(keys[j]);
    }
    const std::uint64_t most = table.bytes() + table.growth_bytes(kBatchRows);
    table.reserve(kBatchRows);
    table.find_or_add(keys.data(), hashes.data(), kBatchRows, ids.data(), added);
    EXPECT_LE(table.bytes(), most);
  }
}

}  // namespace
}  // namespace presso::query::grouping::key_table_test
