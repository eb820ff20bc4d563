// SPDX-License-Identifier: MIT
#include "scan/automaton/complete_dfa.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace presso::scan_detail {
namespace {

using State = std::uint32_t;

class SubsetConstruction {
 public:
  SubsetConstruction(const Program& program, Determinizer::Texts texts, std::size_t most)
      : most_(most), determinizer_(program, Determinizer::Mode::kExists, texts) {
    made_.classes = program.classes;
    end_symbol_ = determinizer_.end_symbol();
    if (texts == Determinizer::Texts::kLines) end_symbol_ = program.class_of['\n'];
  }

  std::optional<CompleteDfa> run() {
    number_of(determinizer_.start(false, Neighbour::kEdge));
    for (State state = 0; state < met_.size(); ++state) {
      if (!expand(state)) return std::nullopt;
    }
    return std::move(made_);
  }

 private:
  bool expand(State state) {
    const Determinizer::State from = met_[state];
    made_.accepts.push_back(determinizer_.step(from, end_symbol_) == Determinizer::kYes);
    for (unsigned symbol = 0; symbol < made_.classes; ++symbol) {
      const Determinizer::State to = determinizer_.step(from, symbol);
      if (to == Determinizer::kQuit) return false;
      made_.next.push_back(symbol == end_symbol_ ? 0 : number_of(to));
    }
    return met_.size() <= most_;
  }

  State number_of(Determinizer::State state) {
    if (state >= numbers_.size()) numbers_.resize(state + 1, kUnmet);
    State& number = numbers_[state];
    if (number == kUnmet) {
      number = static_cast<State>(met_.size());
      met_.push_back(state);
    }
    return number;
  }

  static constexpr State kUnmet = ~State{0};

  std::size_t most_;
  Determinizer determinizer_;
  unsigned end_symbol_ = 0;
  std::vector<Determinizer::State> met_;
  std::vector<State> numbers_;
  CompleteDfa made_;
};

/// Hopcroft's algorithm. Blocks are stretches of `order_`; of a block that is split the smaller
/// part is used to split others, so that each state is looked at O(log states) times a class.
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
  /// Of table entry i: its class and where it leads.
  std::size_t key(std::size_t i) const { return (i % classes_) * count_ + dfa_.next[i]; }

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

  void split_by(const std::vector<State>& members, unsigned symbol) {
    touched_.clear();
    for (const State member : members) {
      const std::size_t at = std::size_t{symbol} * count_ + member;
      for (std::size_t i = first_[at]; i < first_[at + 1]; ++i) mark(sources_[i]);
    }
    for (const State block : touched_) split(block);
  }

  void mark(State state) {
    Block& block = blocks_[block_of_[state]];
    const State front = block.begin + block.marked;
    if (place_[state] < front) return;
    if (block.marked++ == 0) touched_.push_back(block_of_[state]);
    const State other = order_[front];
    std::swap(order_[front], order_[place_[state]]);
    std::swap(place_[state], place_[other]);
  }

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

}  // namespace

std::optional<CompleteDfa> construct_subsets(const Program& program, Determinizer::Texts texts,
                                             std::size_t most_states) {
  return SubsetConstruction(program, texts, most_states).run();
}

EquivalentStates find_equivalent_states(const CompleteDfa& dfa) {
  return Minimisation(dfa).run();
}

}  // namespace presso::scan_detail
