// SPDX-License-Identifier: MIT
// Members of lists: what a query shows, what it groups by, what it sorts by. The same alone and
// within a statement. Tested by tests/unit/query/expression/expression_list_test.cpp.
#pragma once

#include "query/expression/parser.h"

namespace presso::expression_detail {

/// `*`, `o.*`, or an expression with or without a name behind it.
Result<NamedExpression> named_expression(Parser& parser);
/// Without a name behind it: it is called as it is written.
Result<NamedExpression> unnamed_expression(Parser& parser);
Result<SortExpression> sort_expression(Parser& parser);

}  // namespace presso::expression_detail
