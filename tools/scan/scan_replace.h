// SPDX-License-Identifier: MIT
// --replace: a template with $0, $1, $name, ${name} and $$ in which the parts of a match are put.
// Parsed once; which parts there are is the business of CaptureSource.
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

/// The groups of a pattern and where they are in a match.
class CaptureSource {
 public:
  virtual ~CaptureSource() = default;
  /// The number of the group called `name`; nullopt where there is none.
  virtual std::optional<std::size_t> group(std::string_view name) const = 0;
  /// Where group `number` of `match` is within `line`; nullopt where it took no part.
  virtual std::optional<MatchSpan> span(std::string_view line, const MatchSpan& match,
                                        std::size_t number) const = 0;
};

/// The groups of a regular expression; of fixed strings the whole match is the only one.
class PatternGroups final : public CaptureSource {
 public:
  explicit PatternGroups(const Pattern& pattern);

  std::optional<std::size_t> group(std::string_view name) const override;
  std::optional<MatchSpan> span(std::string_view line, const MatchSpan& match,
                                std::size_t number) const override;

 private:
  Pattern pattern_;
  std::unique_ptr<scan_detail::GroupFinder> finder_;  ///< or nullptr
};

class Replacement {
 public:
  explicit Replacement(std::string_view text);

  /// `line` with each of `matches` replaced; `spans` are set to where the replacements are.
  std::string apply(std::string_view line, std::span<const MatchSpan> matches,
                    const CaptureSource& captures, std::vector<MatchSpan>& spans) const;

 private:
  /// Text, or a group by number or name.
  struct Part {
    enum class Kind { kText, kNumber, kName } kind = Kind::kText;
    std::string text;
    std::size_t number = 0;
  };

  void add_text(std::string_view text);
  std::size_t take_reference(std::string_view rest);
  void expand(std::string_view line, const MatchSpan& match, const CaptureSource& captures,
              std::string& into) const;

  std::vector<Part> parts_;
};

}  // namespace presso::cli
