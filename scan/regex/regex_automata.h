// SPDX-License-Identifier: MIT
// What all searches for one regular expression share: its programs, automata and prefilter plans.
// What only some searches need (the reversed program, bit sets, the line counter) is made when one
// first asks for it, under a once_flag, so the class is thread-safe. Memory: each program at most
// PatternOptions::max_bytes.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "presso/pattern.h"
#include "scan/automaton/dfa.h"
#include "scan/regex/bit_automaton.h"
#include "scan/regex/line_counter.h"
#include "scan/regex/prefilter.h"

namespace presso::scan_detail {

class RegexAutomata {
 public:
  /// `forward`: the program of `root`.
  RegexAutomata(Node root, const PatternOptions& options, Program forward, bool spans_lines);

  const Program& forward() const { return forward_; }
  const PrefilterPlan& prefilter() const { return prefilter_; }
  const SpanningPlan& spanning() const { return spanning_; }
  const RequiredLiterals& required() const { return required_; }
  Engine engine() const { return options_.engine; }
  bool only_nfa() const { return options_.engine == Engine::kNfa; }
  bool spans_lines() const { return spans_lines_; }
  bool null_data() const { return options_.null_data; }
  const Node& root() const { return root_; }
  const PatternOptions& options() const { return options_; }

  /// How the expression is searched for, in words for people (Matcher::describe()).
  std::string describe() const;

  /// The program of several patterns, each with a kMatch of its own, to tell them apart.
  Result<Program> of_each(std::span<const Node> patterns) const;

  /// The program that reads backwards, or nullptr if it would be too large.
  const Program* backward() const;
  /// The bit automaton, or nullptr if it would be too large, or another engine was asked for.
  const BitAutomaton* bits() const;
  /// Why bits() returned nullptr.
  const Error& bits_error() const { return bits_error_; }
  /// The counter of matching lines, or nullptr if the pattern has no line automaton within its
  /// limits.
  const LineCounter* counter() const;
  /// The line automaton, or nullptr if it is not small or the pattern spans lines.
  const LineDfa* small_line_dfa() const;

 private:
  std::string describe_spanning() const;
  std::string describe_prefilter() const;
  ProgramOptions program_options() const;

  Node root_;
  PatternOptions options_;
  Program forward_;
  PrefilterPlan prefilter_;
  SpanningPlan spanning_;
  RequiredLiterals required_;
  bool spans_lines_;
  mutable std::once_flag backward_once_;
  mutable std::unique_ptr<const Program> backward_;
  mutable std::once_flag bits_once_;
  mutable std::unique_ptr<const BitAutomaton> bits_;
  mutable Error bits_error_;
  mutable std::once_flag counter_once_;
  mutable std::unique_ptr<const LineCounter> counter_;
  mutable std::once_flag small_once_;
  mutable std::optional<LineDfa> small_;
};

}  // namespace presso::scan_detail
