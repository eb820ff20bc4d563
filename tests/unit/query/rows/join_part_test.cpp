// SPDX-License-Identifier: MIT
#include "query/rows/join_part.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "corpora/random.h"

namespace presso::query::join_part_test {
namespace {

constexpr std::uint64_t kLast = ~std::uint64_t{0};

/// Each value is of one part, and rows without a value, too.
void expect_all_covered(const std::vector<JoinPart>& parts) {
  ASSERT_FALSE(parts.empty());
  EXPECT_EQ(parts.front().first, 0u);
  EXPECT_EQ(parts.back().last, kLast);
  int of_nulls = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_LE(parts[i].first, parts[i].last);
    if (i > 0) {
      EXPECT_EQ(parts[i].first, parts[i - 1].last + 1);
    }
    of_nulls += parts[i].has(parts[i].last, false) ? 1 : 0;
  }
  EXPECT_EQ(of_nulls, 1);
}

TEST(JoinPart, HasTheValuesOfItsRangeAndTheFirstOneNulls) {
  const JoinPart part{true, 100, 200};
  EXPECT_TRUE(part.has(100, true));
  EXPECT_TRUE(part.has(200, true));
  EXPECT_FALSE(part.has(99, true));
  EXPECT_FALSE(part.has(201, true));
  EXPECT_FALSE(part.has(150, false));
  EXPECT_TRUE((JoinPart{true, 0, 99}).has(150, false));
  EXPECT_TRUE(JoinPart{}.is_all());
  EXPECT_TRUE(JoinPart{}.has(kLast, true));
}

TEST(JoinPart, PartsOfHashesAreAsFewAsFit) {
  PartSizes sizes;
  sizes.by_hash.assign(kPartSlots, 10);
  sizes.row_bytes = 100;
  const double all = 100.0 * 10 * kPartSlots;
  EXPECT_EQ(parts_by_hash(sizes, all).size(), 1u);
  EXPECT_TRUE(parts_by_hash(sizes, all)[0].is_all());
  for (const double bytes : {all / 2, all / 3, all / 100, 1000.0}) {
    const auto parts = parts_by_hash(sizes, bytes);
    expect_all_covered(parts);
    EXPECT_GE(static_cast<double>(parts.size()), all / bytes);
    EXPECT_LE(static_cast<double>(parts.size()), all / bytes * 1.1 + 1);
    for (const JoinPart& part : parts) EXPECT_FALSE(part.by_word);
  }
  EXPECT_TRUE(parts_by_hash(sizes, 999).empty()) << "a slot takes 1,000 bytes";
}

TEST(JoinPart, RowsOfAPartOfWordsFitWhateverTheirKeysAre) {
  corpora::Random random(3);
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1000}, kLast - 3'000'000}) {
    PartSizes sizes;
    sizes.first_word = first;
    sizes.word_bits = 9;
    sizes.word_row_bytes = 8;
    sizes.by_word.resize(kPartSlots);
    std::vector<std::uint64_t> words;
    for (int i = 0; i < 20'000; ++i) {
      // Most keys lie together, some far from others.
      const std::uint64_t range = random.below(4) == 0 ? 2'000'000 : 50'000;
      words.push_back(first + random.below(static_cast<unsigned>(range)));
      ++sizes.by_word[slot_of_word(sizes, words.back())];
    }
    const double bytes = 8 * 2000;
    const auto parts = parts_by_word(sizes, bytes);
    expect_all_covered(parts);
    EXPECT_GE(parts.size(), 10u);
    std::size_t covered = 0;
    for (const JoinPart& part : parts) {
      EXPECT_TRUE(part.by_word);
      std::size_t rows = 0;
      for (const std::uint64_t word : words) rows += part.has(word, true) ? 1 : 0;
      EXPECT_LE(static_cast<double>(8 * rows), bytes);
      covered += rows;
    }
    EXPECT_EQ(covered, words.size());
  }
}

TEST(JoinPart, WordsBesideTheRangeAreOfTheFirstSlotOrTheLast) {
  PartSizes sizes;
  sizes.first_word = 1000;
  sizes.word_bits = 2;
  EXPECT_EQ(slot_of_word(sizes, 0), 0u);
  EXPECT_EQ(slot_of_word(sizes, 1003), 0u);
  EXPECT_EQ(slot_of_word(sizes, 1004), 1u);
  EXPECT_EQ(slot_of_word(sizes, kLast), kPartSlots - 1);
}

}  // namespace
}  // namespace presso::query::join_part_test
