// SPDX-License-Identifier: MIT
// From the text of an expression or a statement to tokens. This step never fails: where no token
// can begin there is a last token that says why, and the parser reports it only when it gets that
// far, as whatever it stumbles over before is more likely to be the user's first mistake. Time and
// memory are linear in the text. Tokens are views of the text, which must outlive them. Tested by
// tests/unit/query/expression/expression_parser_test.cpp and fuzzed by
// tests/fuzz/expression_fuzzer.cpp.
//
// Example: `l.qty>=10 -- many` as an expression gives the word `l`, the symbol `.`, the word `qty`,
// the symbol `>=`, the number `10`, and a kEnd whose problem is that '--' begins a comment in SQL.
// In a statement the comment is skipped and the kEnd has no problem.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"

namespace presso::expression_detail {

/// Which of two languages is read. A statement has more keywords than a single expression,
/// comments, and ';'.
enum class Grammar : std::uint8_t { kExpression, kStatement };

/// A word, a literal or a symbol, and where it stands.
struct Token {
  /// Kinds of tokens. Keywords are words: whether a word is a keyword is decided by the parser,
  /// except for reserved ones.
  enum class Kind : std::uint8_t {
    kEnd,     ///< always the last token; if `problem` is set, no token can begin here
    kWord,    ///< a name or a keyword, without quotes
    kQuoted,  ///< a name in double quotes
    kString,
    kNumber,
    kDate,    ///< 1994-01-01
    kSymbol,  ///< `;`, `?` and `$` only in a statement
  };
  Kind kind = Kind::kEnd;
  std::size_t offset = 0;
  std::string_view text;     ///< as written, quotes included
  std::string_view problem;  ///< for a kEnd before the end of the text: why no token begins here
  bool reserved = false;     ///< a kWord that is no name in this grammar, unless in double quotes

  std::size_t end() const { return offset + text.size(); }
  bool is_symbol(std::string_view symbol) const { return kind == Kind::kSymbol && text == symbol; }
  /// Whether this is the word `word`, which must be given in lower case; case does not matter.
  bool is_word(std::string_view word) const;
};

/// Returns all tokens, at least one. The last one is a kEnd, and no other is.
std::vector<Token> tokens_of(std::string_view text, Grammar grammar = Grammar::kExpression);

/// Whether the word is a name only in double quotes.
bool is_reserved(std::string_view word, Grammar grammar = Grammar::kExpression);
/// Whether the name can be written without quotes in an expression.
bool is_plain_name(std::string_view name);

/// Returns what a kQuoted or kString token has between its quotes; doubled quotes become single.
std::string unquoted(std::string_view text);
/// Returns the name that a kWord or kQuoted token stands for.
std::string name_of(const Token& token);
/// ASCII letters only.
std::string lower_case(std::string_view text);

/// Returns kInvalidArgument with this place in the text.
Error error_at(std::size_t offset, std::string what);
/// Returns the error for a token that cannot stand where it does: "expected a value, found ')'", or
/// the token's own problem.
Error unexpected(const Token& token, std::string_view expected);

}  // namespace presso::expression_detail
