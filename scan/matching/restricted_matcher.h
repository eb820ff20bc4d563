// SPDX-License-Identifier: MIT
// A matcher whose matches count only in some of the lines that another one matches in, for the
// conditions on lines in scan/pattern. They only rule lines out, so what the inner matcher knows
// about its matches (groups, required strings) stays true.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "scan/matching/matcher.h"

namespace presso::scan_detail {

/// Passes on what the inner matcher says. A class made of it gives the searcher and the
/// description.
class RestrictedMatcher : public Matcher {
 public:
  explicit RestrictedMatcher(std::shared_ptr<const Matcher> inner) : inner_(std::move(inner)) {}

  std::unique_ptr<GroupFinder> group_finder() const override { return inner_->group_finder(); }
  std::size_t pattern_count() const override { return inner_->pattern_count(); }
  std::unique_ptr<PatternFinder> pattern_finder() const override {
    return inner_->pattern_finder();
  }
  RequiredLiterals required() const override { return inner_->required(); }
  bool null_data() const override { return inner_->null_data(); }
  bool crlf() const override { return inner_->crlf(); }
  bool spans_lines() const override { return inner_->spans_lines(); }
  /// Ignores the conditions, so that the lines that the automaton accepts only may match.
  std::optional<LineAutomaton> line_automaton(std::size_t max_states) const override {
    std::optional<LineAutomaton> automaton = inner_->line_automaton(max_states);
    if (automaton) automaton->exact = false;
    return automaton;
  }

 protected:
  const Matcher& inner() const { return *inner_; }

 private:
  std::shared_ptr<const Matcher> inner_;
};

}  // namespace presso::scan_detail
