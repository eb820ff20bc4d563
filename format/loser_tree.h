// SPDX-License-Identifier: MIT
// A tree of losers: which of several runs has the least head, with one comparison for each level
// after a head has changed. It knows numbers of runs only; what `comes_first(a, b)` compares, and
// that it is false both ways for no two runs, is for the caller to see to (equal heads by the
// number of the run, runs at their end behind all others).
// Tested by tests/unit/format/loser_tree_test.cpp.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace presso {

class LoserTree {
 public:
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
  /// Not where empty.
  std::uint32_t winner() const { return tree_[0]; }

  /// After the head of the winner has become another one.
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
  /// Node n has the children 2n and 2n + 1; runs are the nodes from tree_.size() on. Each holds who
  /// lost there, node 0 the winner.
  std::vector<std::uint32_t> tree_;
};

}  // namespace presso
