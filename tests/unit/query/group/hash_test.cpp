// SPDX-License-Identifier: MIT
// The hash of keys: different words never collide, and the keys of real tables fill every power of
// two of slots, from the lowest as from the highest bits, as random numbers would.
#include "query/values/hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace presso::query::hash_test {
namespace {

std::uint64_t unshift(std::uint64_t value, unsigned shift) {
  std::uint64_t result = value;
  for (unsigned done = shift; done < 64; done += shift) result = value ^ (result >> shift);
  return result;
}

TEST(Hash, OfWordsCanBeUndone) {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t word = i * i * 0x123456789ABCDEFu;
    std::uint64_t back = unshift(hash_word(word), 31) * 0x319642B2D24D8EC3u;
    back = unshift(back, 27) * 0x96DE1B173F119089u;
    EXPECT_EQ(unshift(back, 30) ^ kHashKey, word);
  }
}

/// The fullest of 1,024 slots, for 65,536 hashes; random numbers give 64 +- 8 a slot.
template <class SlotOf>
std::uint32_t fullest(const std::vector<std::uint64_t>& hashes, SlotOf&& slot_of) {
  std::vector<std::uint32_t> slots(1024);
  for (const std::uint64_t hash : hashes) ++slots[slot_of(hash)];
  return *std::max_element(slots.begin(), slots.end());
}

void expect_even(const std::vector<std::uint64_t>& hashes) {
  EXPECT_LT(fullest(hashes, [](std::uint64_t hash) { return hash % 1024; }), 110u);
  EXPECT_LT(fullest(hashes, [](std::uint64_t hash) { return hash >> 54; }), 110u);
  EXPECT_LT(fullest(hashes, [](std::uint64_t hash) { return (hash >> 32) % 1024; }), 110u);
  EXPECT_LT(fullest(hashes, [](std::uint64_t hash) { return part_of(hash, 1024); }), 110u);
}

TEST(Hash, SpreadsDenseAndStridedKeys) {
  for (unsigned shift = 0; shift < 48; ++shift) {
    std::vector<std::uint64_t> hashes;
    for (std::uint64_t i = 0; i < 65'536; ++i) hashes.push_back(hash_word(i << shift));
    expect_even(hashes);
  }
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t i = 0; i < 65'536; ++i) hashes.push_back(hash_word(i * 1'000'003));
  expect_even(hashes);
}

TEST(Hash, SpreadsPairsAndTexts) {
  std::vector<std::uint64_t> pairs, turned, texts;
  for (std::uint64_t i = 0; i < 65'536; ++i) {
    pairs.push_back(hash_pair(i / 256, i % 256));
    turned.push_back(hash_pair(i % 256, i << 40));
    const std::string text = "customer " + std::to_string(i);
    texts.push_back(hash_bytes({reinterpret_cast<const Byte*>(text.data()), text.size()}));
  }
  expect_even(pairs);
  expect_even(turned);
  expect_even(texts);
}

TEST(Hash, FallsIntoPartsThatExist) {
  EXPECT_EQ(part_of(0, 7), 0u);
  EXPECT_EQ(part_of(~std::uint64_t{0}, 7), 6u);
  EXPECT_EQ(part_of(~std::uint64_t{0}, 1), 0u);
}

}  // namespace
}  // namespace presso::query::hash_test
