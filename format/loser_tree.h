// SPDX-License-Identifier: MIT
// A tree of losers (Knuth, The Art of Computer Programming 3, 5.4.1), for merging k sorted runs: it
// tells which run has the least head (next entry). After the head of the winner has changed,
// replay() needs one comparison for each level, log2(k) in all; a heap needs two. The tree knows
// numbers of runs only: `comes_first(a, b)` compares the heads of two runs, which the caller keeps.
// It must be a strict order in which no two runs are equal: callers break ties by the run's number
// and put runs that have ended after all others. Memory: four bytes a run. Not for several threads.
// Tested by tests/unit/format/loser_tree_test.cpp.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace presso {

/// The tree; the caller keeps the runs.
class LoserTree {
 public:
  /// Plays all matches, k - 1 comparisons. Call it once all runs have their first head, or have
  /// ended.
  template <class ComesFirst>
  void build(std::uint32_t runs, const ComesFirst& comes_first) {
    tree_.assign(runs, 0);
    if (runs == 0) return;
    std::vector<std::uint32_t> winners(2 * std::size_t{runs});
    for (std::uint32_t run = 0; run < runs; ++run) winners[runs + run] = run;
    for (std::uint32_t node = runs - 1; node > 0; --node) {
      std::uint32_t winner = winners[2 * node];
      std::uint32_t loser = winners[2 * node + 1];
      if (comes_first(loser, winner)) std::swap(winner, loser);
      winners[node] = winner;
      tree_[node] = loser;
    }
    tree_[0] = winners[1];
  }

  bool empty() const { return tree_.empty(); }
  /// The run whose head comes first; the tree must not be empty.
  std::uint32_t winner() const { return tree_[0]; }

  /// Call it after the head of the winner has been replaced by the run's next one.
  template <class ComesFirst>
  void replay(const ComesFirst& comes_first) {
    const auto runs = static_cast<std::uint32_t>(tree_.size());
    std::uint32_t run = tree_[0];
    for (std::uint32_t node = (run + runs) / 2; node > 0; node /= 2) {
      if (comes_first(tree_[node], run)) std::swap(tree_[node], run);
    }
    tree_[0] = run;
  }

 private:
  /// Node n has the children 2n and 2n + 1; run r is the leaf r + tree_.size(). An inner node
  /// holds the run that lost its match, node 0 the winner of all.
  std::vector<std::uint32_t> tree_;
};

}  // namespace presso
