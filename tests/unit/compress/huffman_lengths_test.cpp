// SPDX-License-Identifier: MIT
// Package-merge against two oracles that know nothing of it: all codes there are, for few symbols,
// and for many the least cost by a dynamic programme over how many words there are of each length.
#include "compress/encode/huffman_lengths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace presso::huffman_lengths_test {
namespace {

using Counts = std::vector<std::uint32_t>;
constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

std::vector<Byte> lengths_of(const Counts& counts, unsigned limit) {
  std::vector<Byte> lengths(counts.size(), 99);
  limited_code_lengths(counts, limit, lengths);
  return lengths;
}

std::uint64_t cost_of(const Counts& counts, const std::vector<Byte>& lengths) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) bits += std::uint64_t{counts[i]} * lengths[i];
  return bits;
}

/// Of the symbols from `at` on, when the words before them take `used` in units of 2^-limit.
std::uint64_t least_by_trying(const Counts& counts, unsigned limit, std::size_t at,
                              std::uint32_t used) {
  if (at == counts.size()) return used <= 1u << limit ? 0 : kNever;
  if (counts[at] == 0) return least_by_trying(counts, limit, at + 1, used);
  std::uint64_t least = kNever;
  for (unsigned length = 1; length <= limit; ++length) {
    const std::uint64_t rest =
        least_by_trying(counts, limit, at + 1, used + (1u << (limit - length)));
    if (rest != kNever) least = std::min(least, rest + std::uint64_t{counts[at]} * length);
  }
  return least;
}

/// The tree from its deepest level up: at each level some nodes are leaves, the largest counts
/// last. A level of n nodes has n / 2 parents in the level above. The cost counts every leaf once a
/// level that it is below.
std::uint64_t least_by_levels(Counts counts, unsigned limit) {
  counts.erase(std::remove(counts.begin(), counts.end(), 0u), counts.end());
  std::sort(counts.begin(), counts.end());
  const std::size_t symbols = counts.size();
  std::vector<std::uint64_t> sums(symbols + 1, 0);
  for (std::size_t i = 0; i < symbols; ++i) sums[i + 1] = sums[i] + counts[i];
  // best[placed][nodes]: symbols placed so far, nodes of the level just finished.
  std::vector<std::vector<std::uint64_t>> best(symbols + 1,
                                               std::vector<std::uint64_t>(symbols + 1, kNever));
  best[0][0] = 0;
  for (unsigned level = 0; level < limit; ++level) {
    auto next = best;
    for (auto& row : next) std::fill(row.begin(), row.end(), kNever);
    for (std::size_t placed = 0; placed <= symbols; ++placed) {
      for (std::size_t below = 0; below <= symbols; ++below) {
        if (best[placed][below] == kNever || below % 2 != 0) continue;
        for (std::size_t more = 0; placed + more <= symbols; ++more) {
          const std::size_t nodes = below / 2 + more;
          if (nodes > symbols) break;
          std::uint64_t& cell = next[placed + more][nodes];
          cell = std::min(cell, best[placed][below] + sums[placed + more]);
        }
      }
    }
    best = next;
  }
  return best[symbols][2];  // both children of the root
}

bool is_complete(const std::vector<Byte>& lengths) {
  std::uint64_t used = 0;
  for (const Byte length : lengths) used += length > 0 ? std::uint64_t{1} << (20 - length) : 0;
  return used == std::uint64_t{1} << 20;
}

TEST(LimitedCodeLengths, OfNothingAndOfOneSymbol) {
  EXPECT_EQ(lengths_of({0, 0, 0}, 5), (std::vector<Byte>{0, 0, 0}));
  EXPECT_EQ(lengths_of({0, 7, 0}, 5), (std::vector<Byte>{0, 1, 0}));
  EXPECT_EQ(lengths_of({3, 0, 7}, 1), (std::vector<Byte>{1, 0, 1}));
}

TEST(LimitedCodeLengths, CostAsLittleAsAnyCodeOfFewSymbols) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    Counts counts(1 + random() % 7);
    for (std::uint32_t& count : counts)
      count = static_cast<std::uint32_t>(random() % 4 == 0 ? 0 : 1 + random() % 60);
    const auto used = counts.size() - std::count(counts.begin(), counts.end(), 0u);
    if (used < 2) continue;
    for (unsigned limit = 3; limit <= 5; ++limit) {
      const std::vector<Byte> lengths = lengths_of(counts, limit);
      EXPECT_TRUE(is_complete(lengths));
      EXPECT_LE(*std::max_element(lengths.begin(), lengths.end()), limit);
      EXPECT_EQ(cost_of(counts, lengths), least_by_trying(counts, limit, 0, 0));
    }
  }
}

TEST(LimitedCodeLengths, CostAsLittleAsTheProgrammeOverLevels) {
  std::mt19937 random(2);
  for (int round = 0; round < 60; ++round) {
    Counts counts(2 + random() % 40);
    const auto steepness = static_cast<unsigned>(random() % 20);
    for (std::uint32_t& count : counts)
      count = static_cast<std::uint32_t>(1 + random() % (2u << random() % (steepness + 1)));
    unsigned limit = 1;
    while (1u << limit < counts.size()) ++limit;
    for (const unsigned more : {0u, 1u, 3u}) {
      const std::vector<Byte> lengths = lengths_of(counts, limit + more);
      EXPECT_TRUE(is_complete(lengths));
      EXPECT_LE(*std::max_element(lengths.begin(), lengths.end()), limit + more);
      EXPECT_EQ(cost_of(counts, lengths), least_by_levels(counts, limit + more));
    }
  }
}

TEST(LimitedCodeLengths, FibonacciCountsAreCutAtTheLimit) {
  Counts counts{1, 1};
  while (counts.size() < 30)
    counts.push_back(counts[counts.size() - 1] + counts[counts.size() - 2]);
  for (unsigned limit = 5; limit <= 15; ++limit) {
    const std::vector<Byte> lengths = lengths_of(counts, limit);
    EXPECT_EQ(*std::max_element(lengths.begin(), lengths.end()), limit);
    EXPECT_TRUE(is_complete(lengths));
    EXPECT_EQ(cost_of(counts, lengths), least_by_levels(counts, limit));
  }
}

TEST(LimitedCodeLengths, AsManySymbolsAsTheLimitHolds) {
  Counts counts(256);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<std::uint32_t>(1 + i * i);
  for (const Byte length : lengths_of(counts, 8)) EXPECT_EQ(length, 8);
}

}  // namespace
}  // namespace presso::huffman_lengths_test
