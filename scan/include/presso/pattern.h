// SPDX-License-Identifier: MIT
// Patterns: a compiled, immutable set of regular expressions, fixed strings or LIKE patterns, any
// of which may match. Compiling chooses the engine that will search. Tested by tests/unit/scan and
// tests/differential/regex_oracle_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"
#include "presso/line_condition.h"

namespace presso {

namespace scan_detail {
class Matcher;
struct PatternAccess;
}  // namespace scan_detail

/// What must surround a match.
enum class MatchBounds {
  kNone,
  kWord,  ///< on both sides the line's end or a character that is no word character (Unicode's \w)
  kLine,  ///< the match is the whole line
};

/// The engine that reads the text. All engines find the same matches; kAuto chooses by the pattern,
/// the others are for tests and comparisons.
enum class Engine : std::uint8_t {
  kAuto,
  kLiteral,  ///< fixed strings by vector kernels; an error for what is none
  kDfa,      ///< a deterministic automaton made as it reads, no prefilter
  kNfa,      ///< sets of states; slow, complete
  kBitset,   ///< sets of states as bits, no prefilter; an error for what is too large
};

struct PatternOptions {
  /// Characters match if their simple Unicode case folding (14.0) is the same. Patterns must then
  /// be UTF-8.
  bool ignore_case = false;
  MatchBounds bounds = MatchBounds::kNone;
  bool crlf = false;  ///< "\r\n" ends a line too: with kLine and `$` a match may end before it
  /// A NUL byte ends a line, and '\n' is a byte like any other: patterns may hold '\n' but no NUL.
  bool null_data = false;

  /// Matches may span lines: patterns may hold '\n', classes as \s and [^a] match it. Not together
  /// with null_data, LIKE or with_conditions().
  bool multiline = false;

  // Regular expressions and LIKE only.
  bool unicode = true;            ///< classes, \b and case are Unicode's; else ASCII and bytes
  bool dot_matches_line = false;  ///< (?s): `.` matches a line end, if a match may hold one
  Engine engine = Engine::kAuto;
  std::size_t max_bytes = std::size_t{128} << 20;  ///< of the automaton; above: an error
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

  /// Regular expressions, of which any may match: RE2's syntax as ripgrep reads it. An earlier one
  /// is preferred where several match at one place.
  /// Errors: kInvalidArgument with the offset in byte_offset and the pattern's number in block;
  /// explain_error() shows the place.
  static Result<Pattern> compile(std::span<const std::string> patterns,
                                 const PatternOptions& options = {});
  /// SQL's LIKE against whole lines: `%` is any string, `_` any character, and `escape` (0: none)
  /// makes the character after it literal. Errors are those of compile().
  static Result<Pattern> compile_like(std::span<const std::string> patterns, char escape = '\\',
                                      const PatternOptions& options = {});
  /// Returns this pattern restricted to lines in which each of `required` matches, too, and none of
  /// `forbidden` does.
  Pattern with_conditions(std::vector<Pattern> required, std::vector<Pattern> forbidden) const;
  /// Returns this pattern restricted to lines for which the condition, which is shared, holds. Not
  /// for patterns that span lines or were compiled with PatternOptions::null_data.
  Pattern with_condition(std::shared_ptr<const LineCondition> condition) const;
  /// Matches whole lines, without their line feed, for which the condition holds. Of the options
  /// only `crlf` has an effect: then the '\r' at a line's end is not part of the match.
  static Pattern of_lines(std::shared_ptr<const LineCondition> condition,
                          const PatternOptions& options = {});

  /// How many patterns were given; conditions are not counted.
  std::size_t count() const;
  /// Whether matches may span lines: scan() then reads all of the text into memory and may report
  /// several lines at once. Only with PatternOptions::multiline, and not for patterns that cannot
  /// leave a line.
  bool spans_lines() const;
  /// Returns in a few words, for people, how it is searched for.
  std::string describe() const;

 private:
  friend struct scan_detail::PatternAccess;

  explicit Pattern(std::shared_ptr<const scan_detail::Matcher> matcher)
      : matcher_(std::move(matcher)) {}

  std::shared_ptr<const scan_detail::Matcher> matcher_;
};

/// Returns the pattern with a caret below the error's place, and what is wrong; several lines.
std::string explain_error(std::string_view pattern, const Error& error);

/// Returns the offset of the first byte that is not UTF-8, or text.size(). The command checks
/// patterns of users with it.
std::size_t valid_utf8_prefix(std::string_view text);
/// Whether UTF-8 text holds an upper-case letter (for "smart case").
bool has_upper_case(std::string_view text);
/// "Smart case" of regular expressions, as ripgrep decides it: whether to ignore their case. So it
/// is where one of them names a character, also by an escape, and none names an upper-case letter;
/// names of classes and of groups do not count. False where one is no regular expression.
bool smart_case_ignores(std::span<const std::string> patterns, const PatternOptions& options = {});

}  // namespace presso
