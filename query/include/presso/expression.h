// SPDX-License-Identifier: MIT
// Expressions over columns, as text in SQL's grammar or as a tree: what rows are selected by and
// what is computed of them (docs/queries.md lists operators, functions and types).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"

namespace presso {

/// A node of an expression's tree. Plain data: names and types are looked up when a query binds it
/// to a table's columns (presso/query.h).
struct Expression {
  enum class Kind : std::uint8_t {
    kNull,      ///< the literal NULL
    kBool,      ///< `text` is "true" or "false"
    kNumber,    ///< `text` as written: 12, 0.05, 1e-3; never with a sign
    kString,    ///< `text` without its quotes
    kDate,      ///< DATE '1994-01-01' or 1994-01-01: `text` is 1994-01-01
    kTime,      ///< TIMESTAMP '1994-01-01 12:00:00': `text` is what stood in quotes
    kInterval,  ///< INTERVAL '3' MONTH: `text` is the number, `type` the unit (day, month, ...)
    kColumn,    ///< `text` is its name, `qualifier` what stood before the point, or empty
    kStar,      ///< `*`, in a list of columns and in count(*); `o.*` has the qualifier `o`
    kOperator,  ///< `op`, its operands are `arguments`
    kFunction,  ///< `text` is its name in lower case; `distinct` for count(DISTINCT x)
    kCase,      ///< WHEN and THEN in turn, and a last one for ELSE where their number is odd
    kCast,      ///< CAST(arguments[0] AS type)
  };
  enum class Op : std::uint8_t {
    kNone,
    kOr,
    kAnd,
    kNot,
    kEqual,
    kNotEqual,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kBetween,     ///< three operands
    kIn,          ///< the first operand in the others
    kIsNull,      ///< one operand
    kIsDistinct,  ///< IS DISTINCT FROM: nulls are equal to each other
    kLike,        ///< text, pattern, and the escape character where one is given
    kIlike,       ///< the same without regard to case
    kMatches,     ///< text, regular expression, which may match anywhere in it
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,         ///< of doubles
    kIntegerDivide,  ///< `//`
    kModulo,
    kNegate,
    kConcat,  ///< `||`
  };

  Kind kind = Kind::kNull;
  Op op = Op::kNone;
  bool negated = false;   ///< NOT BETWEEN, NOT IN, IS NOT NULL, NOT LIKE, ...
  bool distinct = false;  ///< count(DISTINCT x)
  std::string text;
  std::string qualifier;
  std::string type;  ///< of kCast, in lower case without spaces: "decimal(18,2)"
  std::vector<Expression> arguments;
  /// Where it stands in the text that was parsed; 0 and 0 for a tree made by hand.
  std::size_t offset = 0;
  std::size_t length = 0;

  /// Places in the text do not count.
  friend bool operator==(const Expression& a, const Expression& b);
};

/// An expression and what its result is called.
struct NamedExpression {
  Expression expression;
  std::string name;  ///< behind AS; else a column's name, or the text of the expression
};

struct SortExpression {
  Expression expression;
  bool descending = false;
  bool nulls_first = false;
};

/// Errors of all of these: kInvalidArgument with the byte offset in `text`, in Error::byte_offset;
/// explain_expression_error() shows the place. At most kMaxExpressionDepth levels deep.
constexpr std::size_t kMaxExpressionDepth = 500;
Result<Expression> parse_expression(std::string_view text);
/// "a, b * 2 as c, *": separated by commas. Empty text: no expressions.
Result<std::vector<NamedExpression>> parse_expressions(std::string_view text);
/// "revenue desc, name nulls first".
Result<std::vector<SortExpression>> parse_sort_expressions(std::string_view text);

/// The tree as text that parses to an equal tree.
std::string to_text(const Expression& expression);

/// The text (the line, or the part of a long one) with a caret below the error's place, and what is
/// wrong; several lines, no line feed at the end.
std::string explain_expression_error(std::string_view text, const Error& error);

/// Trees made by hand: column("price") * number("0.9") < column("limit").
Expression column(std::string name);
Expression number(std::string text);
Expression number(std::int64_t value);
Expression string(std::string text);
Expression call(std::string function, std::vector<Expression> arguments);
Expression operation(Expression::Op op, std::vector<Expression> operands);

}  // namespace presso
