// SPDX-License-Identifier: MIT
// What to look for: a compiled, immutable set of fixed strings. (Regular expressions will join them
// behind the same type.)
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"

namespace presso {

namespace scan_detail {
class Matcher;
}

/// What must stand around a match.
enum class MatchBounds {
  kNone,
  kWord,  ///< on both sides the line's end or a character that is no word character (Unicode's \w)
  kLine,  ///< the match is the whole line
};

struct PatternOptions {
  /// Characters match whose simple Unicode case folding (14.0) is the same. Patterns must then be
  /// UTF-8.
  bool ignore_case = false;
  MatchBounds bounds = MatchBounds::kNone;
  bool crlf = false;       ///< "\r\n" ends a line too: with kLine a match may stand before it
  bool null_data = false;  ///< for ScanOptions::null_data: patterns may hold '\n' but no NUL
};

/// Cheap to copy (a shared pointer), safe to use from any number of threads.
class Pattern {
 public:
  /// Matches where any of `literals` stands; where several match at one place, the first of them
  /// counts. No literals match nothing; an empty literal matches everywhere.
  /// Errors: kInvalidArgument for a literal with a line feed, and with ignore_case for one that is
  /// not UTF-8.
  static Result<Pattern> compile_literals(const std::vector<std::string>& literals,
                                          const PatternOptions& options = {});

  /// The same pattern in lines in which each of `required` matches too and none of `forbidden`
  /// does.
  Pattern with_conditions(std::vector<Pattern> required, std::vector<Pattern> forbidden) const;

  /// How it is searched for, in a few words for people.
  std::string describe() const;

  const scan_detail::Matcher& matcher() const { return *matcher_; }

 private:
  explicit Pattern(std::shared_ptr<const scan_detail::Matcher> matcher)
      : matcher_(std::move(matcher)) {}

  std::shared_ptr<const scan_detail::Matcher> matcher_;
};

/// The offset of the first byte that is not UTF-8, or text.size(). Patterns given by users are
/// checked with it where the tool's contract asks for UTF-8.
std::size_t valid_utf8_prefix(std::string_view text);
/// Whether UTF-8 text holds an upper-case letter (for "smart case").
bool has_upper_case(std::string_view text);

}  // namespace presso
