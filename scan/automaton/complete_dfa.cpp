// SPDX-License-Identifier: MIT
// A breadth-first walk over the Determinizer's states. Its numbers are not dense, since it also
// counts special states, so the walk renumbers them in the order of arrival.

#include "scan/automaton/complete_dfa.h"

#include <utility>

namespace presso::scan_detail {
namespace {

using State = std::uint32_t;

/// Runs the walk once. `end_symbol_` is what asks a state whether it accepts: the line feed's class
/// over lines, the end of text otherwise.
class SubsetConstruction {
 public:
  SubsetConstruction(const Program& program, Texts texts, std::size_t most)
      : most_(most), determinizer_(program, Determinizer::Mode::kExists, texts) {
    made_.class_of = program.class_of;
    made_.classes = program.classes;
    end_symbol_ = determinizer_.end_symbol();
    if (texts == Texts::kLines) end_symbol_ = program.class_of['\n'];
  }

  std::optional<CompleteDfa> run() {
    number_of(determinizer_.start(false, Neighbour::kEdge));
    for (State state = 0; state < met_.size(); ++state) {
      if (!expand(state)) return std::nullopt;
    }
    return std::move(made_);
  }

 private:
  /// Appends the row of one state. Returns false where the construction must be given up.
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

  /// The dense number of a state of the Determinizer; a state that was not met before gets the next
  /// one and is queued.
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

}  // namespace

std::optional<CompleteDfa> construct_subsets(const Program& program, Texts texts,
                                             std::size_t most_states) {
  return SubsetConstruction(program, texts, most_states).run();
}

}  // namespace presso::scan_detail
