// SPDX-License-Identifier: MIT
// Ascending keys: their numbers, where they are refused, and merging the lists of several threads.
#include "query/group/sorted_keys.h"

#include <gtest/gtest.h>

namespace presso::query::grouping::sorted_keys_test {
namespace {

using Ids = std::vector<std::uint32_t>;

Ids ids_of(SortedKeys& keys, const std::vector<std::uint64_t>& more) {
  Ids ids(more.size());
  const bool added = keys.add(more.data(), static_cast<std::uint32_t>(more.size()), ids.data());
  return added ? ids : Ids{};
}

TEST(SortedKeys, NumbersKeysThatAscend) {
  SortedKeys keys;
  EXPECT_EQ(ids_of(keys, {0, 0, 3, 5}), (Ids{0, 0, 1, 2}));
  EXPECT_EQ(ids_of(keys, {5, 5, 9}), (Ids{2, 2, 3}));
  EXPECT_EQ(ids_of(keys, {~std::uint64_t{0}}), (Ids{4}));
  EXPECT_EQ(keys.size(), 5u);
  EXPECT_EQ(keys.keys()[3], 9u);
}

TEST(SortedKeys, RefuseWhatDoesNotAscendAndStayAsTheyAre) {
  SortedKeys keys;
  ids_of(keys, {4, 8});
  EXPECT_EQ(ids_of(keys, {7}), Ids{});
  EXPECT_EQ(ids_of(keys, {9, 10, 9}), Ids{});
  EXPECT_EQ(keys.size(), 2u);
  EXPECT_EQ(ids_of(keys, {8, 9}), (Ids{1, 2}));
}

/// Threads with the given keys, each in as many rows as its number says.
struct Threads {
  std::vector<SortedKeys> keys;
  std::vector<GroupStates> states;

  void add(const std::vector<std::uint64_t>& more) {
    keys.emplace_back();
    const AggregateSpec count;
    states.emplace_back(std::span(&count, 1));
    Ids ids = ids_of(keys.back(), more);
    states.back().extend(keys.back().size());
    const GroupedRows rows{static_cast<std::uint32_t>(more.size()), keys.back().size(), ids.data()};
    const VectorView nothing;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const RowNumbers numbers{1000 * keys.size() + i};
      ASSERT_TRUE(states.back().add(rows, {&nothing, 1}, numbers, RowOrder::kAny).ok());
    }
  }

  /// (key, rows), piece by piece.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> merged() {
    std::vector<SortedGroups> groups;
    for (std::size_t i = 0; i < keys.size(); ++i) groups.push_back({&keys[i], &states[i]});
    std::vector<std::pair<std::uint64_t, std::uint64_t>> result;
    const auto pieces = merge_sorted(groups);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      for (std::size_t j = 0; j < pieces[i].groups.size(); ++j) {
        const std::uint32_t group = pieces[i].groups[j];
        std::uint64_t count = 0;
        pieces[i].states->get_row_counts({&group, 1}, &count);
        result.emplace_back(keys[i].keys()[group], count);
      }
    }
    return result;
  }
};

TEST(SortedKeys, OfSeveralThreadsAreMergedIntoTheFirst) {
  Threads threads;
  threads.add({1, 2, 3, 10, 11, 30});
  threads.add({3, 4, 5, 10, 12});
  threads.add({0, 3, 12, 30, 31});
  using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  EXPECT_EQ(threads.merged(), (Pairs{{1, 1},
                                     {2, 1},
                                     {3, 6},
                                     {10, 3},
                                     {11, 1},
                                     {30, 4},  // first thread
                                     {4, 2},
                                     {5, 2},
                                     {12, 5},  // second
                                     {0, 3},
                                     {31, 3}}));
}

TEST(SortedKeys, ThatAreFarApartOrTheSameAreMerged) {
  Threads threads;
  std::vector<std::uint64_t> low, high, both;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    low.push_back(i);
    high.push_back(5000 + i);
    if (i % 300 == 0) both.push_back(i);
  }
  for (std::uint64_t i = 0; i < 24; ++i) both.push_back(5976 + i);
  threads.add(low);
  threads.add(high);
  threads.add(both);
  const auto merged = threads.merged();
  EXPECT_EQ(merged.size(), 2000u);
  for (const auto& [key, rows] : merged) {
    const std::uint64_t own = key < 5000 ? 1 : 2;
    const bool is_in_both = key < 5000 ? key % 300 == 0 : key >= 5976;
    EXPECT_EQ(rows, own + (is_in_both ? 3 : 0)) << key;
  }
}

}  // namespace
}  // namespace presso::query::grouping::sorted_keys_test
