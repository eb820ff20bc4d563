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

/// For a word that has a meaning in SQL but cannot stand here: "PIVOT is not supported; ...".
/// Nothing for other tokens.
std::optional<Error> refused_word(const Token& token);

/// For a text that begins with another statement than SELECT. Nothing for other tokens.
std::optional<Error> refused_statement(const Token& token);

/// For ROLLUP (...), CUBE (...), GROUPING SETS (...), ALL and () beside other keys of GROUP BY.
std::optional<Error> refused_key(const Token& token, const Token& after);

/// For parentheses around joins in FROM.
std::optional<Error> refused_source(const Token& token);

}  // namespace presso::expression_detail
