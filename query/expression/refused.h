// SPDX-License-Identifier: MIT
// Parts of SQL that presso does not have: refused by name, with advice what to write instead where
// something exists, rather than with "unexpected token". Tested by
// tests/unit/query/expression/sql_error_test.cpp.
//
// The order in which a statement looks: refused_statement() for its first word; then, at the place
// where a token does not fit, the function for that place; at last refused_word().
#pragma once

#include <optional>
#include <string_view>

#include "query/expression/token.h"

namespace presso::expression_detail {

/// The error for a subquery at `where`; the word that it follows is IN, EXISTS, or empty.
Error no_subquery(const Token& where, std::string_view behind);

/// For a word that has a meaning in SQL but cannot stand here: "UNION is not supported; ...".
/// Nothing for other tokens.
std::optional<Error> refused_word(const Token& token);

/// For a text that begins with another statement than SELECT. Nothing for other tokens.
std::optional<Error> refused_statement(const Token& token);

/// For what may follow the closing parenthesis of an aggregate function in SQL: OVER, FILTER,
/// WITHIN GROUP.
std::optional<Error> refused_behind_call(const Token& token, const Token& after);

/// For ROLLUP (...), CUBE (...), GROUPING SETS (...), ALL and () in GROUP BY.
std::optional<Error> refused_key(const Token& token, const Token& after);

/// For sources other than files in FROM: (SELECT ...), VALUES (...), functions.
std::optional<Error> refused_source(const Token& token, const Token& after);

}  // namespace presso::expression_detail
