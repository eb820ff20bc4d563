// SPDX-License-Identifier: MIT
// The parsers of regular expressions and of LIKE: from a pattern's text to its tree (tree.h).
// Flags, groups of flags and named classes are resolved while parsing, so that nothing after the
// parser knows of them. Time is nearly linear in the pattern; limits on nesting and on the size
// with repetitions written out keep hostile patterns small. Sources: L6. Tested by
// tests/unit/scan/syntax/regex_parser_test.cpp and regex_like_test.cpp, and fuzzed by
// tests/fuzz/pattern_fuzzer.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "presso/error.h"
#include "scan/syntax/tree.h"

namespace presso::scan_detail {

/// The meaning of a pattern where the pattern itself does not say. Flags in the pattern change
/// those with a (?letter).
struct SyntaxOptions {
  bool ignore_case = false;       ///< (?i)
  bool multi_line = true;         ///< (?m): `^` and `$` at lines
  bool dot_matches_line = false;  ///< (?s)
  bool ungreedy = false;          ///< (?U)
  bool verbose = false;           ///< (?x)
  /// (?u): classes, `.`, \w \d \s \b and case folding mean Unicode; without it ASCII and bytes.
  bool unicode = true;
  /// \d \s \w \b and their opposites mean ASCII's all the same, exactly as RE2's do: \s is without
  /// \v, and with case ignored \w has the Kelvin sign and the long s. No names of word boundaries.
  bool ascii_escapes = false;
  /// '\r' before '\n' belongs to the line's end: `.` does not match it and, if line_terminated, no
  /// class that holds anything else. A '\r' that is asked for by itself remains.
  bool crlf = false;
  /// Classes and `.` never hold '\n', and a literal '\n' is an error: for searching by lines.
  bool line_terminated = true;
};

/// Which characters a pattern names, not counting names of classes and groups; ripgrep's smart case
/// asks for that.
struct NamedCharacters {
  bool any = false;
  bool upper = false;  ///< one of them is an upper-case letter

  void add(CodePoint code) {
    any = true;
    upper = upper || is_upper(code);
  }
};

/// A pattern as a tree, with the number of its groups and the characters that it names.
struct ParsedPattern {
  Node root;
  std::uint32_t captures = 0;  ///< groups
  NamedCharacters named = {};
};

/// Parses RE2's syntax, and of Rust's `regex` what that adds: (?x), (?-u), nested classes and their
/// && -- ~~. Error kInvalidArgument: `byte_offset` into `pattern`, `what` in one line. In the tree
/// all literals are exact, neighbouring literals are one, kConcat and kAlternate have two children
/// or more, kRepeat has max > 0, and no path is longer than some 1000 nodes. What a tree would be
/// with its repetitions written out may exceed the pattern's length by kMaxExpandedSize
/// (tree_builder.h).
Result<ParsedPattern> parse_pattern(std::string_view pattern, const SyntaxOptions& options);
/// As parse_pattern(), except that literals whose case is ignored stay literals, marked by
/// Node::letters. So a caller can see which strings a pattern stands for before it calls
/// spell_out_letters().
Result<ParsedPattern> parse_keeping_letters(std::string_view pattern, const SyntaxOptions& options);

/// The text of a message: the pattern (the line, or the part of a long one), a caret below it at
/// the error's offset, and "error: " with the error's `what`. For errors of parse_pattern() and
/// parse_like(). There is no line feed at the end.
std::string explain_pattern_error(std::string_view pattern, const Error& error);

/// Parses SQL's LIKE, which matches a whole text (a line): `%` stands for any string, `_` for any
/// character, and `escape` (0: none) before a character means that character literally. Errors are
/// as those of parse_pattern(). The tree begins with kLineStart and ends with kLineEnd. Only
/// ignore_case, unicode, crlf and line_terminated of the options count.
Result<ParsedPattern> parse_like(std::string_view pattern, char escape,
                                 const SyntaxOptions& options);

}  // namespace presso::scan_detail
