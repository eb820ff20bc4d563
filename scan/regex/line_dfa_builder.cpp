// SPDX-License-Identifier: MIT
#include "scan/regex/line_dfa_builder.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "scan/regex/determinizer.h"

namespace presso::scan_detail {
namespace {

using State = std::uint32_t;

/// All states that text can reach, by number in the order in which they were met; 0 is the start.
struct Subsets {
  std::vector<State> next;  ///< [state * classes + class]
  std::vector<bool> matches;
};

class SubsetConstruction {
 public:
  SubsetConstruction(const Program& program, std::size_t most)
      : classes_(program.classes),
        newline_(program.class_of['\n']),
        most_(most),
        determinizer_(program, Determinizer::Mode::kExists) {}

  std::optional<Subsets> run() {
    number_of(determinizer_.start(false, Neighbour::kEdge));
    for (State state = 0; state < met_.size(); ++state) {
      if (!expand(state)) return std::nullopt;
    }
    return std::move(made_);
  }

 private:
  bool expand(State state) {
    const Determinizer::State from = met_[state];
    made_.matches.push_back(determinizer_.step(from, newline_) == Determinizer::kYes);
    for (unsigned symbol = 0; symbol < classes_; ++symbol) {
      const Determinizer::State to = determinizer_.step(from, symbol);
      if (to == Determinizer::kQuit) return false;
      made_.next.push_back(symbol == newline_ ? 0 : number_of(to));
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

  unsigned classes_;
  unsigned newline_;
  std::size_t most_;
  Determinizer determinizer_;
  std::vector<Determinizer::State> met_;
  std::vector<State> numbers_;
  Subsets made_;
};

/// Hopcroft's algorithm. Blocks are stretches of `order_`; of a block that is split the smaller
/// part is used to split others, so that each state is looked at O(log states) times a class.
class Minimisation {
 public:
  Minimisation(const Subsets& subsets, unsigned classes)
      : subsets_(subsets), classes_(classes), count_(subsets.matches.size()) {
    index_predecessors();
    order_.resize(count_);
    place_.resize(count_);
    block_of_.assign(count_, 0);
  }

  /// The block of each state.
  std::vector<State> run() {
    separate_matching();
    while (!waiting_.empty()) {
      const State block = waiting_.back();
      waiting_.pop_back();
      is_waiting_[block] = false;
      const std::vector<State> members(order_.begin() + blocks_[block].begin,
                                       order_.begin() + blocks_[block].end);
      for (unsigned symbol = 0; symbol < classes_; ++symbol) split_by(members, symbol);
    }
    return block_of_;
  }

  std::size_t blocks() const { return blocks_.size(); }

 private:
  struct Block {
    State begin = 0;
    State end = 0;
    State marked = 0;  ///< moved to its front
  };

  void index_predecessors() {
    first_.assign(count_ * classes_ + 1, 0);
    for (std::size_t i = 0; i < subsets_.next.size(); ++i) ++first_[key(i) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<State> at(first_.begin(), first_.end() - 1);
    sources_.resize(subsets_.next.size());
    for (std::size_t i = 0; i < subsets_.next.size(); ++i) {
      sources_[at[key(i)]++] = static_cast<State>(i / classes_);
    }
  }
  /// Of table entry i: its class and where it leads.
  std::size_t key(std::size_t i) const { return (i % classes_) * count_ + subsets_.next[i]; }

  void separate_matching() {
    std::iota(order_.begin(), order_.end(), State{0});
    const auto middle = std::stable_partition(order_.begin(), order_.end(),
                                              [&](State s) { return subsets_.matches[s]; });
    const auto matching = static_cast<State>(middle - order_.begin());
    for (State i = 0; i < count_; ++i) place_[order_[i]] = i;
    if (matching > 0) add_block(0, matching);
    if (matching < count_) add_block(matching, static_cast<State>(count_));
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

  const Subsets& subsets_;
  unsigned classes_;
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

/// Numbers blocks: those that do not match, by the first of their states, then those that do, the
/// sink last.
class Numbering {
 public:
  Numbering(const Subsets& subsets, const std::vector<State>& block_of, std::size_t blocks,
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

  bool matches(State block) const { return subsets_.matches[first_of_[block]]; }
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

  const Subsets& subsets_;
  const std::vector<State>& block_of_;
  const Program& program_;
  std::vector<State> first_of_;
  std::vector<State> order_;
  std::vector<State> number_;
};

}  // namespace

std::optional<LineDfa> make_line_dfa(const Program& program, const LineDfaLimits& limits) {
  const auto subsets = SubsetConstruction(program, limits.subset_states).run();
  if (!subsets) return std::nullopt;
  Minimisation minimisation(*subsets, program.classes);
  const std::vector<State> block_of = minimisation.run();
  if (minimisation.blocks() > std::min<std::size_t>(limits.states, 65'535)) return std::nullopt;
  return Numbering(*subsets, block_of, minimisation.blocks(), program).build();
}

}  // namespace presso::scan_detail
