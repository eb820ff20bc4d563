// SPDX-License-Identifier: MIT
// FilteredMatcher and its searcher: the inner engine finds matches, and the conditions are asked
// about each line with a match.
#include "scan/pattern/line_filter.h"

#include <algorithm>
#include <utility>

#include "scan/matching/line_scan.h"
#include "scan/matching/restricted_matcher.h"

namespace presso::scan_detail {
namespace {

/// One other pattern, and whether lines must match it (`wanted`) or must not.
struct Condition {
  std::unique_ptr<Searcher> searcher;
  bool wanted = true;  ///< whether the line must have a match, or none
};

/// Passes on the matches of `inner_` in lines that meet all conditions. The answer for a line is
/// kept, so a line with many matches is asked about once. One thread uses it.
class FilteredSearcher final : public Searcher {
 public:
  FilteredSearcher(std::unique_ptr<Searcher> inner, std::vector<Condition> conditions)
      : inner_(std::move(inner)), conditions_(std::move(conditions)) {}

  /// Takes another text; no line of it is known yet.
  void start(Bytes text) override {
    text_ = text;
    line_ = {};
    inner_->start(text);
  }

  /// The next match in a line that passes all conditions. A line is tested once, when its first
  /// match is met, and passed over as a whole where it fails.
  std::optional<MatchSpan> next(std::size_t from) override {
    for (;;) {
      const std::optional<MatchSpan> match = inner_->next(from);
      if (!match) return std::nullopt;
      // An empty match may stand after the last byte of an unfinished line.
      const bool known = !line_.empty() && match->begin >= line_.begin && match->end <= line_.end;
      if (!known || match->begin == line_.end) enter_line(*match);
      if (line_passes_) return match;
      if (line_.end == text_.size()) return std::nullopt;
      from = line_.end;
    }
  }

 private:
  /// Finds the line of the match and asks all conditions about it.
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

/// The compiled form. The conditions only rule lines out, so what `inner` knows about its matches
/// (groups, required strings) stays true.
class FilteredMatcher final : public RestrictedMatcher {
 public:
  FilteredMatcher(MatcherPointer inner, std::vector<MatcherPointer> required,
                  std::vector<MatcherPointer> forbidden)
      : RestrictedMatcher(std::move(inner)),
        required_(std::move(required)),
        forbidden_(std::move(forbidden)) {}

  /// Searchers of the inner matcher and of all conditions; the order is required ones first.
  std::unique_ptr<Searcher> searcher(CpuLevel level) const override {
    std::vector<Condition> conditions;
    const auto add = [&](const std::vector<MatcherPointer>& matchers, bool wanted) {
      for (const auto& matcher : matchers) conditions.push_back({matcher->searcher(level), wanted});
    };
    add(required_, true);
    add(forbidden_, false);
    return std::make_unique<FilteredSearcher>(inner().searcher(level), std::move(conditions));
  }

  std::string describe() const override {
    return inner().describe() +
           "; conditions on lines: " + std::to_string(required_.size() + forbidden_.size());
  }

 private:
  std::vector<MatcherPointer> required_;
  std::vector<MatcherPointer> forbidden_;
};

}  // namespace

/// A matcher for lines that match `inner` and all of `required` and none of `forbidden`.
std::shared_ptr<const Matcher> make_filtered_matcher(MatcherPointer inner,
                                                     std::vector<MatcherPointer> required,
                                                     std::vector<MatcherPointer> forbidden) {
  return std::make_shared<FilteredMatcher>(std::move(inner), std::move(required),
                                           std::move(forbidden));
}

}  // namespace presso::scan_detail
