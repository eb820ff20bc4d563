// SPDX-License-Identifier: MIT
// --replace: a template with $0, $1, $name, ${name} and $$, into which the parts of a match are
// put. It is parsed once. The groups of a match are looked for once a match, and only if the
// template names one. Tested by tests/cli/test_scan_output.py and tests/cli/scan_against_rg.py. It
// declines nothing: any text is a template.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "presso/lines.h"
#include "presso/pattern.h"
#include "scan/matching/matcher.h"

namespace presso::cli {

/// The groups of a pattern and where they are in a match. The engine that finds them is made at the
/// first question.
class PatternGroups {
 public:
  explicit PatternGroups(const Pattern& pattern) : pattern_(pattern) {}

  /// The number of the group called `name`; nullopt if there is none.
  std::optional<std::size_t> number_of(std::string_view name);
  /// Where the groups of `match` are within `line`, by number; nullopt for a group that took no
  /// part. Empty for a pattern without groups. Valid until the next call.
  std::span<const std::optional<MatchSpan>> of(std::string_view line, const MatchSpan& match);

 private:
  /// The finder of groups, made on first use.
  scan_detail::GroupFinder* finder();

  Pattern pattern_;
  /// Without a value until it is made; nullptr for a pattern without groups.
  std::optional<std::unique_ptr<scan_detail::GroupFinder>> finder_;
};

/// A parsed template. It is constant after it was made.
class Replacement {
 public:
  explicit Replacement(std::string_view text);

  /// Returns `line` with each of `matches` replaced; `spans` are set to where the replacements are.
  /// The result is a new string, since replacements change the length.
  std::string apply(std::string_view line, std::span<const MatchSpan> matches,
                    PatternGroups& groups, std::vector<MatchSpan>& spans) const;
  /// Returns what one match is replaced by.
  std::string of_match(std::string_view line, const MatchSpan& match, PatternGroups& groups) const;

 private:
  /// A piece of the template: text, or a group by number or name.
  struct Part {
    enum class Kind { kText, kNumber, kName } kind = Kind::kText;
    std::string text;
    std::size_t number = 0;
  };

  // The steps of parsing, and the expansion for one match.
  void add_text(std::string_view text);
  std::size_t take_reference(std::string_view rest);
  void expand(std::string_view line, const MatchSpan& match, PatternGroups& groups,
              std::string& into) const;

  std::vector<Part> parts_;
  bool names_groups_ = false;  ///< other than the match itself
};

}  // namespace presso::cli
