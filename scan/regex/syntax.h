// SPDX-License-Identifier: MIT
// A regular expression as a tree: what the parser makes and the compilers read. Flags, groups of
// flags, case folding and named classes are resolved by the parser: a tree means the same whatever
// it was parsed with. Catalogue L6.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"
#include "scan/unicode/unicode.h"

namespace presso::scan_detail {

/// Inclusive.
struct CodeRange {
  CodePoint low = 0;
  CodePoint high = 0;
  friend bool operator==(const CodeRange&, const CodeRange&) = default;
};

/// Places between bytes, at which something must hold. Lines end at '\n'.
enum class Look : Byte {
  kLineStart,         ///< `^` with (?m)
  kLineEnd,           ///< `$` with (?m); before "\r\n", too, with SyntaxOptions::crlf
  kTextStart,         ///< `\A`, and `^` without (?m)
  kTextEnd,           ///< `\z`, and `$` without (?m)
  kWordBoundary,      ///< `\b`: Unicode's \w on one side only
  kNotWordBoundary,   ///< `\B`
  kAsciiBoundary,     ///< `(?-u:\b)`
  kNotAsciiBoundary,  ///< `(?-u:\B)`
  kWordStartHalf,     ///< before: the line's begin, or a character that is none of a word (-w)
  kWordEndHalf,       ///< behind: its end, or such a character
};

struct Node {
  enum class Kind : Byte {
    kEmpty,      ///< matches the empty string
    kLiteral,    ///< `bytes`, at least one
    kClass,      ///< one code point of `ranges`, as UTF-8; no ranges: matches nothing
    kByteClass,  ///< one byte of `ranges` (0..255)
    kLook,
    kRepeat,     ///< children[0], min to max times
    kGroup,      ///< children[0], captured as `capture`
    kConcat,     ///< all children
    kAlternate,  ///< one of the children, an earlier one preferred
  };
  static constexpr std::uint32_t kUnlimited = ~std::uint32_t{0};

  Kind kind = Kind::kEmpty;
  Look look = Look::kLineStart;
  bool greedy = true;
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  std::uint32_t capture = 0;  ///< from 1, by opening parenthesis
  std::string name;           ///< of the group, or empty
  std::string bytes;
  std::vector<CodeRange> ranges;  ///< ascending, neither overlapping nor touching
  std::vector<Node> children;
};

struct SyntaxOptions {
  bool ignore_case = false;       ///< (?i)
  bool multi_line = true;         ///< (?m): `^` and `$` at lines
  bool dot_matches_line = false;  ///< (?s)
  bool ungreedy = false;          ///< (?U)
  bool verbose = false;           ///< (?x)
  /// (?u): classes, `.`, \w \d \s \b and case folding mean Unicode; without it ASCII and bytes.
  bool unicode = true;
  /// '\r' before '\n' belongs to the line's end: `.` does not match it and, if line_terminated, no
  /// class that holds anything else. A '\r' that is asked for by itself remains.
  bool crlf = false;
  /// Classes and `.` never hold '\n', and a literal '\n' is an error: for searching by lines.
  bool line_terminated = true;
};

struct ParsedPattern {
  Node root;
  std::uint32_t captures = 0;  ///< groups
};

/// Parses RE2's syntax, and of Rust's `regex` what that adds: (?x), (?-u), nested classes and
/// their && -- ~~. Error kInvalidArgument: `byte_offset` into `pattern`, `what` in one line.
/// In the tree neighbouring literals are one, kConcat and kAlternate have two children or more,
/// kRepeat has max > 0, and no path is longer than some 1000 nodes. Counts go to 1000; what a tree
/// would be with repetitions written out is limited to about a million bytes and classes.
Result<ParsedPattern> parse_pattern(std::string_view pattern, const SyntaxOptions& options);

/// "error: " and `what` of an error of parse_pattern or parse_like below the pattern (the line, or
/// the part of a long one) with a caret at its offset, for messages. No line feed at the end.
std::string explain_pattern_error(std::string_view pattern, const Error& error);

/// SQL's LIKE, which matches a whole text (a line): `%` any string, `_` any character, `escape`
/// (0: none) before a character that is meant literally. Errors likewise. The tree begins with
/// kLineStart and ends with kLineEnd; of the options ignore_case, unicode, crlf and line_terminated
/// count.
Result<ParsedPattern> parse_like(std::string_view pattern, char escape,
                                 const SyntaxOptions& options);

}  // namespace presso::scan_detail
