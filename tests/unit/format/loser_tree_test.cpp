// SPDX-License-Identifier: MIT
// Merges by a tree of losers beside a sort of the same values, for every small number of runs.
#include "format/loser_tree.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "corpora/random.h"

namespace presso::loser_tree_test {
namespace {

using Runs = std::vector<std::vector<std::uint32_t>>;

Runs make_runs(std::uint32_t count, std::uint64_t seed) {
  corpora::Random random(seed);
  Runs runs(count);
  for (auto& run : runs) {
    run.resize(random.below(20));
    for (std::uint32_t& value : run) value = random.below(50);
    std::sort(run.begin(), run.end());
  }
  return runs;
}

/// Values with the run that each came from.
std::vector<std::pair<std::uint32_t, std::uint32_t>> merged(const Runs& runs) {
  std::vector<std::size_t> at(runs.size(), 0);
  const auto comes_first = [&](std::uint32_t a, std::uint32_t b) {
    const bool a_ended = at[a] == runs[a].size();
    const bool b_ended = at[b] == runs[b].size();
    if (a_ended || b_ended) return b_ended && (!a_ended || a < b);
    return std::pair(runs[a][at[a]], a) < std::pair(runs[b][at[b]], b);
  };
  LoserTree tree;
  tree.build(static_cast<std::uint32_t>(runs.size()), comes_first);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> values;
  while (!tree.empty() && at[tree.winner()] < runs[tree.winner()].size()) {
    const std::uint32_t run = tree.winner();
    values.emplace_back(runs[run][at[run]++], run);
    tree.replay(comes_first);
  }
  return values;
}

TEST(LoserTree, MergesAnyNumberOfRunsWithEqualHeadsInTheirOrder) {
  for (std::uint32_t count = 0; count <= 20; ++count) {
    const Runs runs = make_runs(count, count);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> expected;
    for (std::uint32_t run = 0; run < count; ++run) {
      for (const std::uint32_t value : runs[run]) expected.emplace_back(value, run);
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(merged(runs), expected) << count;
  }
}

}  // namespace
}  // namespace presso::loser_tree_test
