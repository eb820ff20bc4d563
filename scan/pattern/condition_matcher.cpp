// SPDX-License-Identifier: MIT
// Both engines share the searcher of candidate lines and differ in what they report of a line that
// passes.
#include "scan/pattern/condition_matcher.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "scan/matching/line_scan.h"

namespace presso::scan_detail {
namespace {

/// Lines of a text that may pass, tested in batches. One thread uses it.
class CandidateLines {
 public:
  /// `candidates` finds lines that may pass; nullptr: all lines may.
  CandidateLines(std::unique_ptr<Searcher> candidates, const LineCondition& condition)
      : candidates_(std::move(candidates)),
        tester_(condition.tester()),
        passes_(std::make_unique<bool[]>(LineCondition::kMaxLines)) {}

  void start(Bytes text) {
    text_ = text;
    at_ = 0;
    next_ = 0;
    batch_ = kFirstBatch;
    spans_.clear();
    if (candidates_) candidates_->start(text);
  }

  /// The first line that passes and ends after `from`, with its line feed; nullopt if there is
  /// none. `from` never decreases.
  std::optional<MatchSpan> next(std::size_t from) {
    while (true) {
      for (; next_ < spans_.size(); ++next_) {
        if (passes_[next_] && spans_[next_].end > from) return spans_[next_];
      }
      if (!collect(std::max(at_, from))) return std::nullopt;
    }
  }

 private:
  static constexpr std::size_t kFirstBatch = 16;

  /// Tests the next lines from `from` on. Returns false if there are none.
  bool collect(std::size_t from) {
    spans_.clear();
    lines_.clear();
    next_ = 0;
    at_ = from;
    while (spans_.size() < batch_ && at_ < text_.size()) {
      std::size_t begin = at_;
      std::size_t inside = at_;
      if (candidates_) {
        const std::optional<MatchSpan> match = candidates_->next(at_);
        if (!match) {
          at_ = text_.size();
          break;
        }
        begin = line_begin(text_, at_, match->begin);
        inside = match->end;
      }
      at_ = line_end(text_, inside);
      spans_.push_back({begin, at_});
      const bool ended = at_ > begin && text_[at_ - 1] == '\n';
      lines_.push_back(text_.subspan(begin, at_ - begin - (ended ? 1 : 0)));
    }
    batch_ = std::min(4 * batch_, LineCondition::kMaxLines);
    if (spans_.empty()) return false;
    tester_->test(lines_, {passes_.get(), lines_.size()});
    return true;
  }

  std::unique_ptr<Searcher> candidates_;
  std::unique_ptr<LineCondition::Tester> tester_;
  Bytes text_;
  std::size_t at_ = 0;  ///< lines before it have been collected
  std::size_t batch_ = kFirstBatch;
  std::vector<MatchSpan> spans_;
  std::vector<Bytes> lines_;
  std::unique_ptr<bool[]> passes_;
  std::size_t next_ = 0;  ///< in spans_
};

/// Reports the matches of another searcher in lines that pass. That searcher reads the lines that
/// pass a second time, since the one that finds candidates is ahead of them.
class ConditionalSearcher final : public Searcher {
 public:
  ConditionalSearcher(std::unique_ptr<Searcher> ahead, std::unique_ptr<Searcher> within,
                      const LineCondition& condition)
      : lines_(std::move(ahead), condition), within_(std::move(within)) {}

  void start(Bytes text) override {
    text_ = text;
    lines_.start(text);
    within_->start(text);
  }

  std::optional<MatchSpan> next(std::size_t from) override {
    while (const std::optional<MatchSpan> line = lines_.next(from)) {
      from = std::max(from, line->begin);
      const std::optional<MatchSpan> match = within_->next(from);
      if (!match) return std::nullopt;
      // An empty match may stand at the end of an unfinished last line.
      if (match->begin < line->end || line->end == text_.size()) return match;
      from = line->end;
    }
    return std::nullopt;
  }

 private:
  CandidateLines lines_;
  std::unique_ptr<Searcher> within_;
  Bytes text_;
};

/// Reports lines that pass as matches.
class LineSearcher final : public Searcher {
 public:
  LineSearcher(std::unique_ptr<Searcher> candidates, const LineCondition& condition)
      : lines_(std::move(candidates), condition) {}

  void start(Bytes text) override {
    text_ = text;
    lines_.start(text);
  }

  std::optional<MatchSpan> next(std::size_t from) override {
    std::optional<MatchSpan> line = lines_.next(from);
    // Within a line that has been reported there is nothing more.
    if (line && line->begin < from) line = lines_.next(line->end);
    if (!line) return std::nullopt;
    const bool ended = line->end > line->begin && text_[line->end - 1] == '\n';
    return MatchSpan{line->begin, line->end - (ended ? 1 : 0)};
  }

 private:
  CandidateLines lines_;
  Bytes text_;
};

/// The condition's requirements after those of a pattern.
RequiredLiterals with_required(RequiredLiterals literals, const LineCondition& condition) {
  for (std::vector<std::string>& set : condition.required()) {
    literals.clauses.push_back({std::move(set), false});
  }
  return literals;
}

class ConditionalMatcher final : public Matcher {
 public:
  ConditionalMatcher(std::shared_ptr<const Matcher> inner,
                     std::shared_ptr<const LineCondition> condition)
      : inner_(std::move(inner)), condition_(std::move(condition)) {}

  std::unique_ptr<Searcher> searcher(CpuLevel level) const override {
    return std::make_unique<ConditionalSearcher>(inner_->searcher(level), inner_->searcher(level),
                                                 *condition_);
  }
  std::unique_ptr<GroupFinder> group_finder() const override { return inner_->group_finder(); }
  std::size_t pattern_count() const override { return inner_->pattern_count(); }
  std::unique_ptr<PatternFinder> pattern_finder() const override {
    return inner_->pattern_finder();
  }
  RequiredLiterals required() const override {
    return with_required(inner_->required(), *condition_);
  }
  bool null_data() const override { return inner_->null_data(); }
  bool crlf() const override { return inner_->crlf(); }
  bool spans_lines() const override { return inner_->spans_lines(); }
  /// Ignores the condition, so that the lines that the automaton accepts only may match.
  std::optional<LineAutomaton> line_automaton(std::size_t max_states) const override {
    std::optional<LineAutomaton> automaton = inner_->line_automaton(max_states);
    if (automaton) automaton->exact = false;
    return automaton;
  }
  std::string describe() const override {
    return inner_->describe() + "; " + condition_->describe();
  }

 private:
  std::shared_ptr<const Matcher> inner_;
  std::shared_ptr<const LineCondition> condition_;
};

class LineMatcher final : public Matcher {
 public:
  LineMatcher(std::shared_ptr<const Matcher> candidates,
              std::shared_ptr<const LineCondition> condition, bool crlf)
      : candidates_(std::move(candidates)), condition_(std::move(condition)), crlf_(crlf) {}

  std::unique_ptr<Searcher> searcher(CpuLevel level) const override {
    return std::make_unique<LineSearcher>(candidates_ ? candidates_->searcher(level) : nullptr,
                                          *condition_);
  }
  RequiredLiterals required() const override { return with_required({}, *condition_); }
  bool crlf() const override { return crlf_; }
  std::string describe() const override {
    const std::string lines =
        candidates_ ? "lines found by " + candidates_->describe() : std::string("all lines");
    return condition_->describe() + " on " + lines;
  }

 private:
  std::shared_ptr<const Matcher> candidates_;
  std::shared_ptr<const LineCondition> condition_;
  bool crlf_;
};

}  // namespace

std::shared_ptr<const Matcher> make_conditional_matcher(
    std::shared_ptr<const Matcher> inner, std::shared_ptr<const LineCondition> condition) {
  return std::make_shared<ConditionalMatcher>(std::move(inner), std::move(condition));
}

std::shared_ptr<const Matcher> make_line_matcher(std::shared_ptr<const Matcher> candidates,
                                                 std::shared_ptr<const LineCondition> condition,
                                                 bool crlf) {
  return std::make_shared<LineMatcher>(std::move(candidates), std::move(condition), crlf);
}

}  // namespace presso::scan_detail
