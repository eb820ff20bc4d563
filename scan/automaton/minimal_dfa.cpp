// SPDX-License-Identifier: MIT
// minimal_dfa(): Minimisation finds the states that are equivalent, Numbering gives them their
// order and merges the classes of bytes.
#include "scan/automaton/minimal_dfa.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace presso::scan_detail {
namespace {

using State = std::uint32_t;

/// The partition into equivalent states; blocks are numbered from 0 in no special order.
struct EquivalentStates {
  std::vector<State> block_of;  ///< [state]; equal for equivalent states
  std::size_t blocks = 0;
};

/// Hopcroft's algorithm. It begins with two blocks, accepting and other states, and splits a block
/// when some of its states lead into another block on a symbol and some do not. A block is a
/// stretch of `order_`. Only the smaller part of a split block has to be used to split others, so
/// each state is looked at O(log states) times for each class.
class Minimisation {
 public:
  explicit Minimisation(const CompleteDfa& dfa)
      : dfa_(dfa), classes_(dfa.classes), count_(dfa.accepts.size()) {
    index_predecessors();
    order_.resize(count_);
    place_.resize(count_);
    block_of_.assign(count_, 0);
  }

  EquivalentStates run() {
    separate_accepting();
    while (!waiting_.empty()) {
      const State block = waiting_.back();
      waiting_.pop_back();
      is_waiting_[block] = false;
      const std::vector<State> members(order_.begin() + blocks_[block].begin,
                                       order_.begin() + blocks_[block].end);
      for (unsigned symbol = 0; symbol < classes_; ++symbol) split_by(members, symbol);
    }
    return {std::move(block_of_), blocks_.size()};
  }

 private:
  struct Block {
    State begin = 0;
    State end = 0;
    State marked = 0;  ///< moved to its front
  };

  /// For each class and state, lists which states lead there (a counting sort into `sources_`).
  void index_predecessors() {
    first_.assign(count_ * classes_ + 1, 0);
    for (std::size_t i = 0; i < dfa_.next.size(); ++i) ++first_[key(i) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<State> at(first_.begin(), first_.end() - 1);
    sources_.resize(dfa_.next.size());
    for (std::size_t i = 0; i < dfa_.next.size(); ++i) {
      sources_[at[key(i)]++] = static_cast<State>(i / classes_);
    }
  }
  /// The class of table entry i together with the state that it leads to.
  std::size_t key(std::size_t i) const { return (i % classes_) * count_ + dfa_.next[i]; }

  /// Makes the first partition and queues all its blocks.
  void separate_accepting() {
    std::iota(order_.begin(), order_.end(), State{0});
    const auto middle = std::stable_partition(order_.begin(), order_.end(),
                                              [&](State s) { return dfa_.accepts[s]; });
    const auto accepting = static_cast<State>(middle - order_.begin());
    for (State i = 0; i < count_; ++i) place_[order_[i]] = i;
    if (accepting > 0) add_block(0, accepting);
    if (accepting < count_) add_block(accepting, static_cast<State>(count_));
    for (State block = 0; block < blocks_.size(); ++block) wait_for(block);
  }

  /// Makes a block of order_[begin, end) and renumbers its states.
  State add_block(State begin, State end) {
    const auto number = static_cast<State>(blocks_.size());
    blocks_.push_back({begin, end, 0});
    is_waiting_.push_back(false);
    for (State i = begin; i < end; ++i) block_of_[order_[i]] = number;
    return number;
  }
  void wait_for(State block) {
    if (is_waiting_[block]) return;
    is_waiting_[block] = true;
    waiting_.push_back(block);
  }

  /// Splits every block of which only a part leads into `members` on `symbol`.
  void split_by(const std::vector<State>& members, unsigned symbol) {
    touched_.clear();
    for (const State member : members) {
      const std::size_t at = std::size_t{symbol} * count_ + member;
      for (std::size_t i = first_[at]; i < first_[at + 1]; ++i) mark(sources_[i]);
    }
    for (const State block : touched_) split(block);
  }

  /// Moves a state to the front part of its block; a state that is there already stays.
  void mark(State state) {
    Block& block = blocks_[block_of_[state]];
    const State front = block.begin + block.marked;
    if (place_[state] < front) return;
    if (block.marked++ == 0) touched_.push_back(block_of_[state]);
    const State other = order_[front];
    std::swap(order_[front], order_[place_[state]]);
    std::swap(place_[state], place_[other]);
  }

  /// Cuts a block after its marked states; a block that is marked as a whole stays as it is.
  void split(State number) {
    const Block block = blocks_[number];
    blocks_[number].marked = 0;
    const State middle = block.begin + block.marked;
    if (middle == block.end) return;
    // The smaller part gets the new number, so that only it is renumbered.
    const bool front_is_smaller = block.marked <= block.end - middle;
    blocks_[number].begin = front_is_smaller ? middle : block.begin;
    blocks_[number].end = front_is_smaller ? block.end : middle;
    wait_for(front_is_smaller ? add_block(block.begin, middle) : add_block(middle, block.end));
  }

  const CompleteDfa& dfa_;
  std::uint32_t classes_;
  std::size_t count_;
  std::vector<State> first_;    ///< [class * states + state]: in sources_
  std::vector<State> sources_;  ///< states that lead there
  std::vector<State> order_;
  std::vector<State> place_;  ///< of each state in order_
  std::vector<State> block_of_;
  std::vector<Block> blocks_;
  std::vector<State> waiting_;
  std::vector<bool> is_waiting_;
  std::vector<State> touched_;
};

/// Gives blocks of equivalent states the numbers that dfa.h promises: rejecting ones, `dead`,
/// accepting ones, `sink`. Within a kind they are numbered by the first of their states, so the
/// result does not depend on the order in which blocks were split.
class Numbering {
 public:
  Numbering(const CompleteDfa& dfa, const EquivalentStates& equivalent, Texts texts)
      : dfa_(dfa),
        block_of_(equivalent.block_of),
        newline_(texts == Texts::kLines ? dfa.class_of['\n'] : dfa.classes),
        first_of_(equivalent.blocks, kNone) {
    for (State state = 0; state < block_of_.size(); ++state) {
      if (first_of_[block_of_[state]] != kNone) continue;
      first_of_[block_of_[state]] = state;
      order_.push_back(block_of_[state]);
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [&](State a, State b) { return rank(a) < rank(b); });
    number_.resize(order_.size());
    for (State i = 0; i < order_.size(); ++i) number_[order_[i]] = i;
  }

  Dfa build() const {
    Dfa made;
    made.states = made.sink = made.dead = static_cast<State>(order_.size());
    made.start = number_[block_of_[0]];
    for (const State block : order_) {
      if (!accepts(block)) ++made.first_matching;
      if (rank(block) == kDead) made.dead = number_[block];
      if (rank(block) == kSink) made.sink = number_[block];
    }
    merge_classes(made);
    return made;
  }

 private:
  enum Rank { kRejecting, kDead, kAccepting, kSink };
  static constexpr State kNone = ~State{0};

  bool accepts(State block) const { return dfa_.accepts[first_of_[block]]; }
  State target(State block, std::uint32_t symbol) const {
    return block_of_[dfa_.next[std::size_t{first_of_[block]} * dfa_.classes + symbol]];
  }
  /// Whether no byte leads out of the block; the line feed does not count, since it ends the line.
  bool is_absorbing(State block) const {
    for (std::uint32_t symbol = 0; symbol < dfa_.classes; ++symbol) {
      if (symbol != newline_ && target(block, symbol) != block) return false;
    }
    return true;
  }
  Rank rank(State block) const {
    if (accepts(block)) return is_absorbing(block) ? kSink : kAccepting;
    return is_absorbing(block) ? kDead : kRejecting;
  }

  /// Merges classes of bytes that lead to the same block from every block. The line feed keeps a
  /// class of its own over lines.
  void merge_classes(Dfa& made) const {
    std::map<std::pair<bool, std::vector<State>>, std::uint32_t> known;
    std::vector<std::uint32_t> merged(dfa_.classes);
    std::vector<State> column(order_.size());
    for (std::uint32_t symbol = 0; symbol < dfa_.classes; ++symbol) {
      for (State i = 0; i < order_.size(); ++i) column[i] = number_[target(order_[i], symbol)];
      const auto fresh = static_cast<std::uint32_t>(known.size());
      merged[symbol] = known.try_emplace({symbol == newline_, column}, fresh).first->second;
    }
    made.classes = static_cast<std::uint32_t>(known.size());
    made.next.resize(std::size_t{made.states} * made.classes);
    for (const auto& [key, symbol] : known) {
      for (State i = 0; i < made.states; ++i) {
        made.next[std::size_t{i} * made.classes + symbol] = key.second[i];
      }
    }
    for (unsigned byte = 0; byte < 256; ++byte) {
      made.class_of[byte] = static_cast<Byte>(merged[dfa_.class_of[byte]]);
    }
  }

  const CompleteDfa& dfa_;
  const std::vector<State>& block_of_;
  const std::uint32_t newline_;  ///< the class of '\n' over lines; else no class
  std::vector<State> first_of_;  ///< [block]
  std::vector<State> order_;     ///< blocks
  std::vector<State> number_;    ///< [block]
};

}  // namespace

Dfa minimal_dfa(const CompleteDfa& dfa, Texts texts) {
  const EquivalentStates equivalent = Minimisation(dfa).run();
  return Numbering(dfa, equivalent, texts).build();
}

}  // namespace presso::scan_detail
