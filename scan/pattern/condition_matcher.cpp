// SPDX-License-Identifier: MIT
// Both engines share the searcher of candidate lines and differ in what they report of a line that
// passes.
#include "scan/pattern/condition_matcher.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "scan/matching/line_scan.h"
#include "scan/matching/restricted_matcher.h"

namespace presso::scan_detail {
namespace {

/// The most sets of strings among which the rarest one is looked for.
constexpr std::size_t kMostSets = 4;
/// The bytes of a text in which it is looked for.
constexpr std::size_t kSampleBytes = std::size_t{32} << 10;

/// Lines of a text that may pass, tested in batches. One thread uses it.
class CandidateLines {
 public:
  /// Each of `finders` finds all lines that may pass, and one of them is used; `optional`: or none,
  /// so that every line is tested.
  CandidateLines(std::vector<std::unique_ptr<Searcher>> finders, bool optional,
                 const LineCondition& condition)
      : finders_(std::move(finders)),
        optional_(optional),
        tester_(condition.tester()),
        passes_(std::make_unique<bool[]>(LineCondition::kMaxLines)) {}

  void start(Bytes text) {
    text_ = text;
    at_ = 0;
    next_ = 0;
    batch_ = kFirstBatch;
    spans_.clear();
    if (text.size() > 2 * kSampleBytes && optional_) choose(text.first(kSampleBytes));
    if (finder() != nullptr) finder()->start(text);
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

  Searcher* finder() { return chosen_ < finders_.size() ? finders_[chosen_].get() : nullptr; }

  /// Takes the finder of the fewest lines in a sample, or none if even that finds most of them.
  void choose(Bytes sample) {
    std::size_t lines = 0;
    for (std::size_t at = 0; at < sample.size(); at = line_end(sample, at)) ++lines;
    std::size_t least = lines / 2;
    chosen_ = finders_.size();
    for (std::size_t i = 0; i < finders_.size(); ++i) {
      finders_[i]->start(sample);
      std::size_t found = 0;
      std::size_t at = 0;
      while (at < sample.size() && found < least) {
        const std::optional<MatchSpan> match = finders_[i]->next(at);
        if (!match) break;
        at = line_end(sample, match->end);
        ++found;
      }
      if (found >= least) continue;
      least = found;
      chosen_ = i;
    }
  }

  /// Tests the next lines from `from` on. Returns false if there are none.
  bool collect(std::size_t from) {
    spans_.clear();
    lines_.clear();
    next_ = 0;
    at_ = from;
    while (spans_.size() < batch_ && at_ < text_.size()) {
      std::size_t begin = at_;
      std::size_t inside = at_;
      if (finder() != nullptr) {
        const std::optional<MatchSpan> match = finder()->next(at_);
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

  std::vector<std::unique_ptr<Searcher>> finders_;
  bool optional_;
  std::size_t chosen_ = 0;  ///< of finders_, or beyond: none
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
  ConditionalSearcher(std::vector<std::unique_ptr<Searcher>> ahead,
                      std::unique_ptr<Searcher> within, const LineCondition& condition)
      : lines_(std::move(ahead), false, condition), within_(std::move(within)) {}

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
  LineSearcher(std::vector<std::unique_ptr<Searcher>> finders, const LineCondition& condition)
      : lines_(std::move(finders), true, condition) {}

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

class ConditionalMatcher final : public RestrictedMatcher {
 public:
  ConditionalMatcher(std::shared_ptr<const Matcher> inner,
                     std::shared_ptr<const LineCondition> condition)
      : RestrictedMatcher(std::move(inner)), condition_(std::move(condition)) {}

  std::unique_ptr<Searcher> searcher(CpuLevel level) const override {
    std::vector<std::unique_ptr<Searcher>> ahead;
    ahead.push_back(inner().searcher(level));
    return std::make_unique<ConditionalSearcher>(std::move(ahead), inner().searcher(level),
                                                 *condition_);
  }
  RequiredLiterals required() const override {
    return with_required(inner().required(), *condition_);
  }
  std::string describe() const override {
    return inner().describe() + "; " + condition_->describe();
  }

 private:
  std::shared_ptr<const LineCondition> condition_;
};

class LineMatcher final : public Matcher {
 public:
  LineMatcher(std::vector<std::shared_ptr<const Matcher>> finders,
              std::shared_ptr<const LineCondition> condition, bool crlf)
      : finders_(std::move(finders)), condition_(std::move(condition)), crlf_(crlf) {
    if (finders_.size() > kMostSets) finders_.resize(kMostSets);
  }

  std::unique_ptr<Searcher> searcher(CpuLevel level) const override {
    std::vector<std::unique_ptr<Searcher>> finders;
    for (const auto& finder : finders_) finders.push_back(finder->searcher(level));
    return std::make_unique<LineSearcher>(std::move(finders), *condition_);
  }
  RequiredLiterals required() const override { return with_required({}, *condition_); }
  bool crlf() const override { return crlf_; }
  std::string describe() const override {
    std::string lines = finders_.empty() ? "all lines" : "lines found by ";
    for (std::size_t i = 0; i < finders_.size(); ++i) {
      lines += (i > 0 ? ", or " : "") + finders_[i]->describe();
    }
    return condition_->describe() + " on " + lines;
  }

 private:
  std::vector<std::shared_ptr<const Matcher>> finders_;
  std::shared_ptr<const LineCondition> condition_;
  bool crlf_;
};

}  // namespace

std::shared_ptr<const Matcher> make_conditional_matcher(
    std::shared_ptr<const Matcher> inner, std::shared_ptr<const LineCondition> condition) {
  return std::make_shared<ConditionalMatcher>(std::move(inner), std::move(condition));
}

std::shared_ptr<const Matcher> make_line_matcher(
    std::vector<std::shared_ptr<const Matcher>> finders,
    std::shared_ptr<const LineCondition> condition, bool crlf) {
  return std::make_shared<LineMatcher>(std::move(finders), std::move(condition), crlf);
}

}  // namespace presso::scan_detail
