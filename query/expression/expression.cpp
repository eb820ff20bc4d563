// SPDX-License-Identifier: MIT
// Implements presso/expression.h, the public interface of expressions, with Parser (parser.h):
// parsing single expressions and lists, showing errors with their place, and building trees by
// hand. Tested by tests/unit/query/expression.
#include "presso/expression.h"

#include <algorithm>

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

bool equal(const std::vector<SortExpression>& a, const std::vector<SortExpression>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const SortExpression& x, const SortExpression& y) {
                      return x.expression == y.expression && x.descending == y.descending &&
                             x.nulls_first == y.nulls_first;
                    });
}

bool equal(const FrameBound& a, const FrameBound& b) {
  return a.kind == b.kind && a.offset == b.offset;
}

bool equal(const WindowFrame& a, const WindowFrame& b) {
  return a.unit == b.unit && a.exclude == b.exclude && equal(a.begin, b.begin) &&
         equal(a.end, b.end);
}

bool equal(const Window& a, const Window& b) {
  const bool frames =
      std::equal(a.frame.begin(), a.frame.end(), b.frame.begin(), b.frame.end(),
                 [](const WindowFrame& x, const WindowFrame& y) { return equal(x, y); });
  return frames && a.base == b.base && a.partition == b.partition && equal(a.order, b.order);
}

bool equal(const CallDetails& a, const CallDetails& b) {
  const bool windows = std::equal(a.over.begin(), a.over.end(), b.over.begin(), b.over.end(),
                                  [](const Window& x, const Window& y) { return equal(x, y); });
  return windows && a.filter == b.filter && equal(a.order, b.order) &&
         a.ignores_nulls == b.ignores_nulls;
}

}  // namespace

/// The places in the text are left out. A subquery equals itself only.
bool operator==(const Expression& a, const Expression& b) {
  const bool details = (a.details == nullptr) == (b.details == nullptr) &&
                       (a.details == nullptr || equal(*a.details, *b.details));
  return details && a.kind == b.kind && a.op == b.op && a.negated == b.negated &&
         a.distinct == b.distinct && a.text == b.text && a.qualifier == b.qualifier &&
         a.type == b.type && a.arguments == b.arguments && a.statement == b.statement;
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

bool is_step_into(const Expression& expression) {
  if (expression.kind != Kind::kFunction || expression.arguments.size() != 2) return false;
  const bool is_key = expression.arguments[1].kind == Kind::kString;
  return expression.text == kElementCall || (expression.text == kFieldCall && is_key);
}

Expression operation(Expression::Op op, std::vector<Expression> operands) {
  Expression result;
  result.kind = Kind::kOperator;
  result.op = op;
  result.arguments = std::move(operands);
  return result;
}

}  // namespace presso
