// SPDX-License-Identifier: MIT
// The items of lists: what a query selects, groups by and sorts by. They are the same in lists of
// their own (`--group-by`) and in a statement. Tested by
// tests/unit/query/expression/expression_list_test.cpp.
#pragma once

#include <optional>

#include "query/expression/parser.h"

namespace presso::expression_detail {

/// Parses `*`, `o.*`, or an expression with an optional name (AS may be left out).
Result<NamedExpression> named_expression(Parser& parser);
/// Parses an expression that cannot be given a name; its name is that of its column, or its text.
Result<NamedExpression> unnamed_expression(Parser& parser);
/// The position in a list, from 1 on, that a key means which is a whole number; nullopt for all
/// other keys. Positions of more than five digits are none.
std::optional<std::size_t> position_of(const Expression& key);
/// Parses `x [ASC | DESC] [NULLS FIRST | LAST]`.
Result<SortExpression> sort_expression(Parser& parser);
/// Parses `[ASC | DESC] [NULLS FIRST | LAST]` into `key`.
Status sort_direction(Parser& parser, SortExpression& key);

}  // namespace presso::expression_detail
