// SPDX-License-Identifier: MIT
// Implements presso/expression.h, the public interface of expressions, with Parser (parser.h):
// parsing single expressions and lists, showing errors with their place, and building trees by
// hand. Tested by tests/unit/query/expression.
#include "presso/expression.h"

#include "query/expression/list_items.h"
#include "query/expression/parser.h"
#include "scan/syntax/parser.h"

namespace presso {
namespace {

using expression_detail::Node;
using expression_detail::Parser;
using Kind = Expression::Kind;

constexpr std::string_view kNextItem = "an operator, ',' or the end";

/// Takes a comma, after which an item must follow; false at the end of the text.
Result<bool> another(Parser& parser) {
  if (parser.done()) return false;
  if (!parser.take_symbol(",")) return parser.no_operator(kNextItem);
  if (parser.done()) return unexpected(parser.here(), "an expression after ','");
  return true;
}

/// Parses items that are separated by commas; empty text gives none.
template <class Item>
Result<std::vector<Item>> list_of(std::string_view text, Result<Item> (*item)(Parser&)) {
  std::vector<Item> items;
  Parser parser(text);
  if (parser.done()) return items;
  bool more = true;
  while (more) {
    PRESSO_ASSIGN(Item next, item(parser));
    items.push_back(std::move(next));
    PRESSO_ASSIGN(more, another(parser));
  }
  return items;
}

/// A node without arguments.
Expression leaf(Kind kind, std::string text) {
  Expression result;
  result.kind = kind;
  result.text = std::move(text);
  return result;
}

}  // namespace

/// The places in the text are left out.
bool operator==(const Expression& a, const Expression& b) {
  return a.kind == b.kind && a.op == b.op && a.negated == b.negated && a.distinct == b.distinct &&
         a.text == b.text && a.qualifier == b.qualifier && a.type == b.type &&
         a.arguments == b.arguments;
}

/// Whatever follows the expression is an error.
Result<Expression> parse_expression(std::string_view text) {
  Parser parser(text);
  PRESSO_ASSIGN(Node parsed, parser.expression());
  if (!parser.done()) return parser.no_operator("an operator or the end");
  return std::move(parsed->tree);
}

Result<std::vector<NamedExpression>> parse_expressions(std::string_view text) {
  return list_of<NamedExpression>(text, expression_detail::named_expression);
}

Result<std::vector<SortExpression>> parse_sort_expressions(std::string_view text) {
  return list_of<SortExpression>(text, expression_detail::sort_expression);
}

/// Shares its layout with errors of search patterns.
std::string explain_expression_error(std::string_view text, const Error& error) {
  return scan_detail::explain_pattern_error(text, error);
}

Expression column(std::string name) {
  return leaf(Kind::kColumn, std::move(name));
}

/// A negative number becomes a negation, as kNumber has no sign.
Expression number(std::string text) {
  if (!text.starts_with('-')) return leaf(Kind::kNumber, std::move(text));
  return operation(Expression::Op::kNegate, {number(text.substr(1))});
}

Expression number(std::int64_t value) {
  return number(std::to_string(value));
}

Expression string(std::string text) {
  return leaf(Kind::kString, std::move(text));
}

/// Names of functions are compared in lower case.
Expression call(std::string function, std::vector<Expression> arguments) {
  Expression result = leaf(Kind::kFunction, expression_detail::lower_case(function));
  result.arguments = std::move(arguments);
  return result;
}

Expression operation(Expression::Op op, std::vector<Expression> operands) {
  Expression result;
  result.kind = Kind::kOperator;
  result.op = op;
  result.arguments = std::move(operands);
  return result;
}

}  // namespace presso
