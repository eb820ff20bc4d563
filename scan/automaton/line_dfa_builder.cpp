// SPDX-License-Identifier: MIT
#include "scan/automaton/line_dfa_builder.h"

#include <algorithm>
#include <utility>

#include "scan/automaton/complete_dfa.h"

namespace presso::scan_detail {
namespace {

using State = std::uint32_t;

/// Numbers blocks: those that do not match, by the first of their states, then those that do, the
/// sink last.
class Numbering {
 public:
  Numbering(const CompleteDfa& subsets, const std::vector<State>& block_of, std::size_t blocks,
            const Program& program)
      : subsets_(subsets), block_of_(block_of), program_(program), first_of_(blocks, kNone) {
    for (State state = 0; state < block_of.size(); ++state) {
      if (first_of_[block_of[state]] == kNone) {
        first_of_[block_of[state]] = state;
        order_.push_back(block_of[state]);
      }
    }
  }

  LineDfa build() {
    const auto rank = [&](State block) { return is_sink(block) ? 2 : matches(block) ? 1 : 0; };
    std::stable_sort(order_.begin(), order_.end(),
                     [&](State a, State b) { return rank(a) < rank(b); });
    number_.resize(order_.size());
    for (State i = 0; i < order_.size(); ++i) number_[order_[i]] = i;
    LineDfa dfa;
    dfa.class_of.assign(program_.class_of.begin(), program_.class_of.end());
    dfa.classes = program_.classes;
    dfa.states = static_cast<std::uint32_t>(order_.size());
    dfa.start = number_[block_of_[0]];
    dfa.first_matching = static_cast<std::uint32_t>(
        std::count_if(order_.begin(), order_.end(), [&](State b) { return !matches(b); }));
    dfa.sink = is_sink(order_.back()) ? dfa.states - 1 : dfa.states;
    for (const State block : order_) append_row(block, dfa);
    return dfa;
  }

 private:
  static constexpr State kNone = ~State{0};

  bool matches(State block) const { return subsets_.accepts[first_of_[block]]; }
  std::span<const State> row(State block) const {
    return {subsets_.next.data() + std::size_t{first_of_[block]} * program_.classes,
            program_.classes};
  }
  bool is_sink(State block) const {
    if (!matches(block)) return false;
    const auto next = row(block);
    for (unsigned symbol = 0; symbol < next.size(); ++symbol) {
      if (symbol != program_.class_of['\n'] && block_of_[next[symbol]] != block) return false;
    }
    return true;
  }
  void append_row(State block, LineDfa& dfa) const {
    for (const State to : row(block)) {
      dfa.next.push_back(static_cast<std::uint16_t>(number_[block_of_[to]]));
    }
  }

  const CompleteDfa& subsets_;
  const std::vector<State>& block_of_;
  const Program& program_;
  std::vector<State> first_of_;
  std::vector<State> order_;
  std::vector<State> number_;
};

}  // namespace

std::optional<LineDfa> make_line_dfa(const Program& program, const LineDfaLimits& limits) {
  const auto subsets =
      construct_subsets(program, Determinizer::Texts::kLines, limits.subset_states);
  if (!subsets) return std::nullopt;
  const EquivalentStates equivalent = find_equivalent_states(*subsets);
  if (equivalent.blocks > std::min<std::size_t>(limits.states, 65'535)) return std::nullopt;
  return Numbering(*subsets, equivalent.block_of, equivalent.blocks, program).build();
}

}  // namespace presso::scan_detail
