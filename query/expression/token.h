// SPDX-License-Identifier: MIT
// From the text of an expression to tokens. Nothing fails here: where no token can begin stands a
// token that says why, and the parser reports it if it comes so far; what stands before it is more
// likely to be the reader's first mistake.
// Tested by tests/unit/query/expression/expression_parser_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"

namespace presso::expression_detail {

/// A statement has more keywords than an expression alone, comments, and ';'.
enum class Grammar : std::uint8_t { kExpression, kStatement };

struct Token {
  enum class Kind : std::uint8_t {
    kEnd,     ///< the last one; also for what is no token (`problem` says why)
    kWord,    ///< a name or a keyword, without quotes
    kQuoted,  ///< a name in double quotes
    kString,
    kNumber,
    kDate,    ///< 1994-01-01
    kSymbol,  ///< ';' only in a statement
  };
  Kind kind = Kind::kEnd;
  std::size_t offset = 0;
  std::string_view text;     ///< as written, quotes included
  std::string_view problem;  ///< of a kEnd that is not the end
  bool reserved = false;     ///< a kWord that is no name in this grammar

  std::size_t end() const { return offset + text.size(); }
  bool is_symbol(std::string_view symbol) const { return kind == Kind::kSymbol && text == symbol; }
  /// `word` in lower case.
  bool is_word(std::string_view word) const;
};

/// At least one token; the last one is a kEnd, and no other is.
std::vector<Token> tokens_of(std::string_view text, Grammar grammar = Grammar::kExpression);

/// Words that are no names unless they stand in double quotes.
bool is_reserved(std::string_view word, Grammar grammar = Grammar::kExpression);
/// Whether it is read as a name without quotes.
bool is_plain_name(std::string_view name);

/// What stands between the quotes of a kQuoted or kString.
std::string unquoted(std::string_view text);
/// Of a kWord or kQuoted: the name without quotes.
std::string name_of(const Token& token);
std::string lower_case(std::string_view text);

/// kInvalidArgument with a place in the text.
Error error_at(std::size_t offset, std::string what);
/// "expected a value, found ')'", or what is wrong with a token that is none.
Error unexpected(const Token& token, std::string_view expected);

}  // namespace presso::expression_detail
