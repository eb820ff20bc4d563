// SPDX-License-Identifier: MIT
// Conditions on lines: an engine whose matches count only in lines in which other patterns match
// (--and) or do not (--not). The other patterns are asked about a candidate line only, so they cost
// little where the main pattern is rare. Tested by tests/unit/scan/text/scan_filter_test.cpp.
#include <algorithm>
#include <utility>

#include "presso/pattern.h"
#include "scan/matching/line_scan.h"
#include "scan/matching/matcher.h"

namespace presso {
namespace scan_detail {
namespace {

struct Condition {
  std::unique_ptr<Searcher> searcher;
  bool wanted = true;  ///< a match is
};

class FilteredSearcher final : public Searcher {
 public:
  FilteredSearcher(std::unique_ptr<Searcher> inner, std::vector<Condition> conditions)
      : inner_(std::move(inner)), conditions_(std::move(conditions)) {}

  void start(Bytes text) override {
    text_ = text;
    line_ = {};
    inner_->start(text);
  }

  std::optional<MatchSpan> next(std::size_t from) override {
    for (;;) {
      const std::optional<MatchSpan> match = inner_->next(from);
      if (!match) return std::nullopt;
      // An empty match may stand behind the last byte of an unfinished line.
      const bool known = !line_.empty() && match->begin >= line_.begin && match->end <= line_.end;
      if (!known || match->begin == line_.end) enter_line(*match);
      if (line_passes_) return match;
      if (line_.end == text_.size()) return std::nullopt;
      from = line_.end;
    }
  }

 private:
  void enter_line(const MatchSpan& match) {
    line_ = {line_begin(text_, 0, match.begin), line_end(text_, match.end)};
    const Bytes line = text_.subspan(line_.begin, line_.end - line_.begin);
    line_passes_ = std::all_of(conditions_.begin(), conditions_.end(), [&](Condition& condition) {
      condition.searcher->start(line);
      return condition.searcher->next(0).has_value() == condition.wanted;
    });
  }

  std::unique_ptr<Searcher> inner_;
  std::vector<Condition> conditions_;
  Bytes text_;
  MatchSpan line_;  ///< the line looked at last
  bool line_passes_ = false;
};

class FilteredMatcher final : public Matcher {
 public:
  FilteredMatcher(Pattern pattern, std::vector<Pattern> required, std::vector<Pattern> forbidden)
      : pattern_(std::move(pattern)),
        required_(std::move(required)),
        forbidden_(std::move(forbidden)) {}

  std::unique_ptr<Searcher> searcher(CpuLevel level) const override {
    std::vector<Condition> conditions;
    const auto add = [&](const std::vector<Pattern>& patterns, bool wanted) {
      for (const Pattern& pattern : patterns) {
        conditions.push_back({pattern.matcher().searcher(level), wanted});
      }
    };
    add(required_, true);
    add(forbidden_, false);
    return std::make_unique<FilteredSearcher>(pattern_.matcher().searcher(level),
                                              std::move(conditions));
  }

  std::unique_ptr<GroupFinder> group_finder() const override {
    return pattern_.matcher().group_finder();
  }
  std::size_t pattern_count() const override { return pattern_.matcher().pattern_count(); }
  std::unique_ptr<PatternFinder> pattern_finder() const override {
    return pattern_.matcher().pattern_finder();
  }
  RequiredLiterals required() const override { return pattern_.matcher().required(); }
  bool null_data() const override { return pattern_.matcher().null_data(); }
  bool spans_lines() const override { return pattern_.spans_lines(); }
  /// Of the pattern alone.
  std::optional<LineAutomaton> line_automaton(std::size_t max_states) const override {
    std::optional<LineAutomaton> automaton = pattern_.matcher().line_automaton(max_states);
    if (automaton) automaton->exact = false;
    return automaton;
  }

  std::string describe() const override {
    return pattern_.describe() +
           "; conditions on lines: " + std::to_string(required_.size() + forbidden_.size());
  }

 private:
  Pattern pattern_;
  std::vector<Pattern> required_;
  std::vector<Pattern> forbidden_;
};

}  // namespace
}  // namespace scan_detail

std::size_t Pattern::count() const {
  return matcher_->pattern_count();
}

bool Pattern::spans_lines() const {
  return matcher_->spans_lines();
}

std::string Pattern::describe() const {
  return matcher_->describe();
}

Pattern Pattern::with_conditions(std::vector<Pattern> required,
                                 std::vector<Pattern> forbidden) const {
  if (required.empty() && forbidden.empty()) return *this;
  return Pattern(std::make_shared<scan_detail::FilteredMatcher>(*this, std::move(required),
                                                                std::move(forbidden)));
}

}  // namespace presso
