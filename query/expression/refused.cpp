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

constexpr std::string_view kOneSelect = " is not supported; a statement is one SELECT";
constexpr std::string_view kOnlySelect =
    "; files are only read here: a statement begins with SELECT";

/// For words within a statement.
constexpr Refusal kWords[] = {
    {"union", kOneSelect},
    {"intersect", kOneSelect},
    {"except", kOneSelect},
    {"minus", kOneSelect},
    {"natural", "NATURAL JOIN is not supported; write JOIN ... USING (the common columns)"},
    {"cross",
     "CROSS JOIN is not supported; write JOIN ... ON and an equality, such as a.key = b.key"},
    {"asof", "ASOF JOIN is not supported; write JOIN ... ON and a condition"},
    {"positional", "POSITIONAL JOIN is not supported; write JOIN ... ON and a condition"},
    {"lateral", "LATERAL is not supported; write JOIN ... ON and a condition"},
    {"with", kOneSelect},
    {"on", " stands after JOIN and a file"},
    {"using", " stands after JOIN and a file"},
    {"window", "window functions are not supported (WINDOW)"},
    {"over", "window functions are not supported (OVER)"},
    {"qualify", "window functions are not supported (QUALIFY)"},
    {"fetch", " is not supported; write LIMIT and a number of rows"},
    {"tablesample", " is not supported"},
    {"sample", " is not supported"},
    {"pivot", " is not supported; write GROUP BY, and sum(CASE WHEN ... THEN x END) for a column"},
    {"unpivot", " is not supported"},
    {"exclude", " is not supported; name the columns"},
    {"replace", " is not supported after '*'; name the columns"},
    {"into", " is not supported; where the answer goes is said by the command's -o"},
    {"for", " is not supported"},
    {"select", "subqueries are not supported here; a statement is one SELECT"},
    {"values", " is not supported; rows come from files"},
};

/// For the first word of a text.
constexpr Refusal kStatements[] = {
    {"with", kOneSelect},
    {"values", " is not supported; rows come from files, and a statement begins with SELECT"},
    {"table", " is not supported; write SELECT * FROM and a file"},
    {"from", "a statement begins with SELECT: SELECT * FROM ..."},
    {"explain", " is not part of a statement here; the command's --explain does it"},
    {"insert", kOnlySelect},
    {"update", kOnlySelect},
    {"delete", kOnlySelect},
    {"merge", kOnlySelect},
    {"create", kOnlySelect},
    {"alter", kOnlySelect},
    {"drop", kOnlySelect},
    {"truncate", kOnlySelect},
    {"copy", kOnlySelect},
    {"attach", kOnlySelect},
    {"set", kOnlySelect},
    {"pragma", kOnlySelect},
    {"describe", kOnlySelect},
    {"show", kOnlySelect},
    {"summarize", kOnlySelect},
    {"pivot", kOnlySelect},
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

/// Whether a token can be a name, here that of a window after OVER.
bool is_name(const Token& token) {
  if (token.kind == Token::Kind::kQuoted) return true;
  return token.kind == Token::Kind::kWord && !token.reserved;
}

}  // namespace

/// Semi and anti joins do what IN, EXISTS and their negations do.
Error no_subquery(const Token& where, std::string_view behind) {
  std::string what = "subqueries are not supported";
  if (behind.empty()) return error_at(where.offset, what + " here; write a join");
  what += " after " + std::string(behind) + "; write SEMI JOIN ... ON, or ANTI JOIN for NOT ";
  return error_at(where.offset, what + std::string(behind));
}

std::optional<Error> refused_word(const Token& token) {
  return look_up(token, kWords);
}

std::optional<Error> refused_statement(const Token& token) {
  if (token.is_symbol("(")) {
    return error_at(token.offset, "parentheses around a statement are not supported");
  }
  return look_up(token, kStatements);
}

/// OVER must be followed by a parenthesis or a name, since `over` may also be the result's name.
std::optional<Error> refused_behind_call(const Token& token, const Token& after) {
  if (token.is_word("over") && (after.is_symbol("(") || is_name(after))) return refused_word(token);
  const bool group = token.is_word("within") && after.is_word("group");
  if (group) return error_at(token.offset, "WITHIN GROUP is not supported");
  if (!token.is_word("filter") || !after.is_symbol("(")) return std::nullopt;
  return error_at(token.offset,
                  "FILTER is not supported; write CASE WHEN the condition THEN x END as argument");
}

std::optional<Error> refused_key(const Token& token, const Token& after) {
  const std::string_view advice = " is not supported in GROUP BY; name the keys";
  if (token.is_symbol("(") && after.is_symbol(")")) {
    return error_at(token.offset, "()" + std::string(advice));
  }
  const bool list = (token.is_word("rollup") || token.is_word("cube")) && after.is_symbol("(");
  const bool sets = token.is_word("grouping") && after.is_word("sets");
  if (!list && !sets && !token.is_word("all")) return std::nullopt;
  const std::string name = sets ? "GROUPING SETS" : in_upper_case(token.text);
  return error_at(token.offset, name + std::string(advice));
}

/// A word in front of a parenthesis would be a table function, such as read_csv() of DuckDB.
std::optional<Error> refused_source(const Token& token, const Token& after) {
  if (token.is_symbol("(")) {
    const bool query = after.is_word("select") || after.is_word("with") || after.is_word("from");
    if (query) return no_subquery(after, {});
    if (after.is_word("values")) return refused_word(after);
    return error_at(token.offset,
                    "parentheses are not supported in FROM; joins are done from left to right");
  }
  if (token.is_word("values") && after.is_symbol("(")) return refused_word(token);
  const bool lateral =
      token.is_word("lateral") && (after.is_symbol("(") || after.is_word("select"));
  if (lateral) return refused_word(token);
  if (token.kind != Token::Kind::kWord || !after.is_symbol("(")) return std::nullopt;
  return error_at(token.offset, scan_detail::quoted(token.text) +
                                    " cannot be called in FROM; write the file's name in quotes: "
                                    "FROM 'orders.csv'");
}

}  // namespace presso::expression_detail
