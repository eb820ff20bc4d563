// SPDX-License-Identifier: MIT
// What SQL has and a statement here has not: refused by its name, with what to write instead where
// there is something. Tested by tests/unit/query/expression/sql_error_test.cpp.
#pragma once

#include <optional>
#include <string_view>

#include "query/expression/token.h"

namespace presso::expression_detail {

/// `behind`: IN, EXISTS, or empty.
Error no_subquery(const Token& where, std::string_view behind);

/// For words that cannot stand where they do, but mean something in SQL: "UNION is not supported;
/// ..."; nothing for other tokens.
std::optional<Error> refused_word(const Token& token);

/// For what a text begins with instead of SELECT; nothing for other tokens.
std::optional<Error> refused_statement(const Token& token);

/// For what follows an aggregate function's closing parenthesis: OVER and FILTER.
std::optional<Error> refused_behind_call(const Token& token, const Token& after);

/// For ROLLUP (...), CUBE (...) and GROUPING SETS (...) in GROUP BY, GROUP BY ALL and ().
std::optional<Error> refused_key(const Token& token, const Token& after);

/// For what FROM could read in SQL besides a file: (SELECT ...), VALUES (...), functions.
std::optional<Error> refused_source(const Token& token, const Token& after);

}  // namespace presso::expression_detail
