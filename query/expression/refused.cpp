// SPDX-License-Identifier: MIT
// Implements refused.h: tables of SQL's words that presso does not have, and the messages with
// which they are refused. A word is looked up only where the grammar has no place for it, so all of
// these remain possible names of columns and functions elsewhere.
#include "query/expression/refused.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "scan/syntax/cursor.h"

namespace presso::expression_detail {
namespace {

/// A message that begins with a space or ';' is preceded by the word in capitals; after ';' also by
/// " is not supported".
struct Refusal {
  std::string_view word;
  std::string_view message;
};

constexpr std::string_view kOnlySelect =
    "; files are only read here: a statement begins with SELECT";

/// For words within a statement.
constexpr Refusal kWords[] = {
    {"minus", " is not supported; write EXCEPT"},
    {"positional", "POSITIONAL JOIN is not supported; write JOIN ... ON and a condition"},
    {"on", " stands after JOIN and a file"},
    {"using", " stands after JOIN and a file"},
    {"sample", " is not supported; write USING SAMPLE 10 ROWS at the end"},
    {"pivot", " stands at the beginning of a statement: PIVOT 'file' ON column USING sum(x)"},
    {"unpivot", " stands at the beginning of a statement: UNPIVOT 'file' ON a, b"},
    {"into", " is not supported; where the answer goes is said by the command's -o"},
    {"for", " is not supported"},
    {"collate", " is not supported; write lower(x) where letter case shall not matter"},
    {"select", "a SELECT within a statement stands in parentheses"},
};

/// For the first word of a text.
constexpr Refusal kStatements[] = {
    {"table", " is not supported; write SELECT * FROM and a file"},
    {"explain", " is not part of a statement here; the command's --explain does it"},
    {"insert", kOnlySelect},
    {"update", kOnlySelect},
    {"delete", kOnlySelect},
    {"merge", kOnlySelect},
    {"create", " is possible as CREATE TABLE 'file' AS SELECT ... only"},
    {"alter", kOnlySelect},
    {"drop", kOnlySelect},
    {"truncate", kOnlySelect},
    {"attach", kOnlySelect},
    {"set", kOnlySelect},
    {"pragma", kOnlySelect},
    {"show", kOnlySelect},
};

std::string in_upper_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  });
  return result;
}

/// The tables are only searched when an error is certain, so a linear search suffices.
template <std::size_t size>
std::optional<Error> look_up(const Token& token, const Refusal (&table)[size]) {
  const auto found = std::find_if(std::begin(table), std::end(table),
                                  [&token](const Refusal& row) { return token.is_word(row.word); });
  if (found == std::end(table)) return std::nullopt;
  const bool word_in_front = found->message.front() == ' ' || found->message.front() == ';';
  std::string what = word_in_front ? in_upper_case(found->word) : std::string();
  if (found->message.front() == ';') what += " is not supported";
  return error_at(token.offset, what + std::string(found->message));
}

}  // namespace

std::optional<Error> refused_word(const Token& token) {
  return look_up(token, kWords);
}

std::optional<Error> refused_statement(const Token& token) {
  return look_up(token, kStatements);
}

std::optional<Error> refused_key(const Token& token, const Token& after) {
  const std::string_view advice = " stands alone in GROUP BY; name the keys";
  if (token.is_symbol("(") && after.is_symbol(")")) {
    return error_at(token.offset, "()" + std::string(advice));
  }
  const bool list = (token.is_word("rollup") || token.is_word("cube")) && after.is_symbol("(");
  const bool sets = token.is_word("grouping") && after.is_word("sets");
  if (!list && !sets && !token.is_word("all")) return std::nullopt;
  const std::string name = sets ? "GROUPING SETS" : in_upper_case(token.text);
  return error_at(token.offset, name + std::string(advice));
}

std::optional<Error> refused_source(const Token& token) {
  if (!token.is_symbol("(")) return std::nullopt;
  return error_at(token.offset,
                  "parentheses around joins are not supported; joins are done from left to right");
}

}  // namespace presso::expression_detail
