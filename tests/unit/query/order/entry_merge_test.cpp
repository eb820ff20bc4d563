// SPDX-License-Identifier: MIT
// Sorted runs merged by several threads beside one sort of all rows: runs of every size, keys that
// are all equal, parts that are empty.
#include "query/order/entry_merge.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "corpora/random.h"

namespace presso::query::entry_merge_test {
namespace {

/// Rows of several runs: their numbers in the input, which no two of them share.
struct Rows {
  explicit Rows(const std::vector<std::size_t>& sizes, std::uint32_t values, std::uint64_t seed) {
    corpora::Random random(seed);
    std::size_t all = 0;
    for (const std::size_t size : sizes) all += size;
    std::vector<std::int64_t> shuffled;
    for (std::size_t i = 0; i < all; ++i) shuffled.push_back(static_cast<std::int64_t>(i));
    for (std::size_t i = all; i > 1; --i) {
      std::swap(shuffled[i - 1], shuffled[random.below(static_cast<std::uint32_t>(i))]);
    }
    for (const std::size_t size : sizes) {
      const auto end = shuffled.end();
      numbers.emplace_back(end - static_cast<std::ptrdiff_t>(size), end);
      shuffled.resize(shuffled.size() - size);
    }
    for (std::uint32_t i = 0; i < sizes.size(); ++i) {
      sources.push_back(
          {{{Physical::kInt64, numbers[i].data(), nullptr}}, static_cast<std::uint32_t>(sizes[i])});
      EntryArray run(sizes[i]);
      for (std::uint32_t row = 0; row < sizes[i]; ++row) run[row] = {random.below(values), i, row};
      runs.push_back(std::move(run));
    }
  }

  std::vector<std::vector<std::int64_t>> numbers;
  std::vector<RowSource> sources;
  std::vector<EntryArray> runs;
};

void expect_merged(const std::vector<std::size_t>& sizes, std::uint32_t values, unsigned threads) {
  Rows rows(sizes, values, sizes.size() + values);
  const RowOrder order(rows.sources, nullptr);
  std::vector<SortEntry> expected;
  for (EntryArray& run : rows.runs) {
    std::sort(run.begin(), run.end(), order);
    expected.insert(expected.end(), run.begin(), run.end());
  }
  std::sort(expected.begin(), expected.end(), order);
  const auto merged = merge_entries(std::move(rows.runs), order, threads);
  ASSERT_TRUE(merged.ok());
  ASSERT_EQ(merged->size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ((*merged)[i].source, expected[i].source) << i;
    ASSERT_EQ((*merged)[i].row, expected[i].row) << i;
    ASSERT_EQ((*merged)[i].word, expected[i].word) << i;
  }
}

TEST(EntryMerge, MergesRunsOfAnySizeWithAnyNumberOfThreads) {
  const std::vector<std::size_t> kSizes[] = {
      {}, {5}, {0, 0}, {1, 0}, {1, 1}, {0, 3}, {1, 9}, {1000, 1000}, {3, 2000, 50}, {7, 7, 7, 7}};
  for (const auto& sizes : kSizes) {
    for (const std::uint32_t values : {1u, 10u, 1000000u}) {
      for (const unsigned threads : {1u, 2u, 3u, 8u}) expect_merged(sizes, values, threads);
    }
  }
}

}  // namespace
}  // namespace presso::query::entry_merge_test
