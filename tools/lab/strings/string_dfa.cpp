// SPDX-License-Identifier: MIT
#include "tools/lab/strings/string_dfa.h"

#include <algorithm>
#include <map>

namespace presso::strings {
namespace {

using scan_detail::CompleteDfa;
using scan_detail::EquivalentStates;
using State = std::uint32_t;

/// Numbers the blocks of equivalent states as string_dfa.h orders them, each kind by the first of
/// its states.
class Numbering {
 public:
  Numbering(const CompleteDfa& dfa, const EquivalentStates& equivalent)
      : dfa_(dfa), block_of_(equivalent.block_of), first_of_(equivalent.blocks, StringDfa::kNone) {
    for (State state = 0; state < block_of_.size(); ++state) {
      if (first_of_[block_of_[state]] != StringDfa::kNone) continue;
      first_of_[block_of_[state]] = state;
      order_.push_back(block_of_[state]);
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [&](State a, State b) { return rank(a) < rank(b); });
    number_.resize(order_.size());
    for (State i = 0; i < order_.size(); ++i) number_[order_[i]] = i;
  }

  StringDfa build(const std::array<Byte, 256>& class_of) const {
    StringDfa made;
    made.states = static_cast<State>(order_.size());
    made.start = number_[block_of_[0]];
    for (const State block : order_) {
      if (!accepts(block)) ++made.first_accepting;
      if (rank(block) == kRejectSink) made.reject_sink = number_[block];
      if (rank(block) == kAcceptSink) made.accept_sink = number_[block];
    }
    merge_classes(class_of, made);
    return made;
  }

 private:
  enum Rank { kRejecting, kRejectSink, kAccepting, kAcceptSink };

  bool accepts(State block) const { return dfa_.accepts[first_of_[block]]; }
  State target(State block, std::uint32_t symbol) const {
    return block_of_[dfa_.next[std::size_t{first_of_[block]} * dfa_.classes + symbol]];
  }
  bool is_sink(State block) const {
    for (std::uint32_t symbol = 0; symbol < dfa_.classes; ++symbol) {
      if (target(block, symbol) != block) return false;
    }
    return true;
  }
  Rank rank(State block) const {
    if (accepts(block)) return is_sink(block) ? kAcceptSink : kAccepting;
    return is_sink(block) ? kRejectSink : kRejecting;
  }

  /// Classes of the given automaton that all blocks treat alike become one.
  void merge_classes(const std::array<Byte, 256>& class_of, StringDfa& made) const {
    std::map<std::vector<State>, std::uint32_t> known;
    std::vector<std::uint32_t> merged(dfa_.classes);
    std::vector<State> column(order_.size());
    for (std::uint32_t symbol = 0; symbol < dfa_.classes; ++symbol) {
      for (State i = 0; i < order_.size(); ++i) column[i] = number_[target(order_[i], symbol)];
      merged[symbol] =
          known.try_emplace(column, static_cast<std::uint32_t>(known.size())).first->second;
    }
    made.classes = static_cast<std::uint32_t>(known.size());
    made.next.resize(std::size_t{made.states} * made.classes);
    for (const auto& [targets, symbol] : known) {
      for (State i = 0; i < made.states; ++i) {
        made.next[std::size_t{i} * made.classes + symbol] = targets[i];
      }
    }
    for (unsigned byte = 0; byte < 256; ++byte) {
      made.class_of[byte] = static_cast<Byte>(merged[class_of[byte]]);
    }
  }

  const CompleteDfa& dfa_;
  const std::vector<State>& block_of_;
  std::vector<State> first_of_;  ///< [block]
  std::vector<State> order_;     ///< blocks
  std::vector<State> number_;    ///< [block]
};

}  // namespace

bool StringDfa::accepts(Bytes string) const {
  std::uint32_t state = start;
  for (const Byte byte : string) state = step(state, byte);
  return state >= first_accepting;
}

StringDfa minimal_dfa(const CompleteDfa& dfa, const std::array<Byte, 256>& class_of) {
  const EquivalentStates equivalent = find_equivalent_states(dfa);
  return Numbering(dfa, equivalent).build(class_of);
}

}  // namespace presso::strings
