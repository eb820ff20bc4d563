// SPDX-License-Identifier: MIT
// RegexAutomata: what is made at once, what is made on first use, and the description for people.
// Parts that would be too large are nullptr, so that another engine searches; that is no error.
#include "scan/regex/regex_automata.h"

#include <utility>

#include "scan/automaton/line_dfa.h"

namespace presso::scan_detail {

/// Plans prefilters at once, since they are cheap; all automata are made on first use.
RegexAutomata::RegexAutomata(Node root, const PatternOptions& options, Program forward,
                             bool spans_lines)
    : root_(std::move(root)),
      options_(options),
      forward_(std::move(forward)),
      spans_lines_(spans_lines) {
  PatternLiterals literals = required_literals(root_);
  const bool filtered = options.engine == Engine::kAuto;
  if (filtered && spans_lines) spanning_ = plan_spanning(literals);
  if (filtered && spanning_.strings.empty()) prefilter_ = plan_prefilter(literals, forward_);
  // The index leaves out blocks by their lines only.
  if (!spans_lines) required_ = std::move(literals.required);
}

std::string RegexAutomata::describe() const {
  std::string text = spans_lines_ ? "regular expression across lines: " : "regular expression: ";
  if (only_nfa()) return text + "an NFA";
  if (!spans_lines_ && engine() == Engine::kBitset) {
    return text + "sets of " + std::to_string(bits()->positions) + " positions as bits";
  }
  text += spans_lines_ ? describe_spanning() : describe_prefilter();
  return text + ", by a DFA that is made while it reads";
}

std::string RegexAutomata::describe_spanning() const {
  if (spanning_.strings.empty()) {
    return prefilter_.exists() ? "as far as a prefilter finds candidates" : "all text";
  }
  return std::string(spanning_.whole.is_bounded() ? "around" : "as far as there are") +
         " strings that matches hold";
}

std::string RegexAutomata::describe_prefilter() const {
  if (prefilter_.pair) return "lines around two rare bytes at the start of a match";
  if (prefilter_.sequence) return "lines around bytes like those that a match starts with";
  if (prefilter_.literals.empty()) return "all text";
  std::string text;
  for (const PrefilterPlan::Literals& literals : prefilter_.literals) {
    text += (text.empty() ? "" : ", and ") + literals.matcher->describe();
  }
  return "lines around strings that matches hold (" + text + ")";
}

ProgramOptions RegexAutomata::program_options() const {
  return {.crlf = options_.crlf, .max_bytes = options_.max_bytes};
}

Result<Program> RegexAutomata::of_each(std::span<const Node> patterns) const {
  return compile_program(patterns, program_options());
}

/// Compiled on the first call, by whichever thread comes first.
const Program* RegexAutomata::backward() const {
  std::call_once(backward_once_, [&] {
    ProgramOptions reverse = program_options();
    reverse.reverse = true;
    Result<Program> made = compile_program(root_, reverse);
    if (made.ok()) backward_ = std::make_unique<const Program>(std::move(*made));
  });
  return backward_.get();
}

/// Made on the first call; not for engines that were asked for by name and are others.
const BitAutomaton* RegexAutomata::bits() const {
  std::call_once(bits_once_, [&] {
    if (engine() != Engine::kAuto && engine() != Engine::kBitset) return;
    Result<BitAutomaton> made = make_bit_automaton(forward_, options_.max_bytes);
    if (!made.ok()) {
      bits_error_ = std::move(made.error());
      return;
    }
    bits_ = std::make_unique<const BitAutomaton>(std::move(*made));
  });
  return bits_.get();
}

const LineDfa* RegexAutomata::small_line_dfa() const {
  constexpr LineDfaLimits kSmall = {.subset_states = 2'000, .states = 1'000};
  std::call_once(small_once_, [&] {
    if (!spans_lines_ && engine() == Engine::kAuto) small_ = make_line_dfa(forward_, kSmall);
  });
  return small_ ? &*small_ : nullptr;
}

/// Made on the first call, within the limits of LineDfaLimits.
const LineCounter* RegexAutomata::counter() const {
  std::call_once(counter_once_, [&] {
    const std::optional<LineDfa> dfa = make_line_dfa(forward_);
    if (dfa) counter_ = std::make_unique<const LineCounter>(*dfa);
  });
  return counter_.get();
}

}  // namespace presso::scan_detail
