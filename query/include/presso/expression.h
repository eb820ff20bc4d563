// SPDX-License-Identifier: MIT
// Expressions over columns, as text in SQL's grammar or as a tree: the conditions by which rows are
// selected, and what is computed from them (docs/queries.md lists operators, functions and types).
// A tree knows neither tables nor types; both come in when a query binds it
// (query/compute/binder.h). Tested by tests/unit/query/expression.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"

namespace presso {

struct CallDetails;
struct SqlStatement;

/// A node of an expression's tree. Plain data that may be copied and compared. `kind` says which of
/// the other members have a meaning.
struct Expression {
  /// The kinds of nodes, and where each keeps what it says.
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
    kCast,      ///< CAST(arguments[0] AS type); `distinct` for TRY_CAST
    /// A statement in parentheses, `statement`. `op` is kNone for its value, kIn for
    /// `arguments[0] [NOT] IN (...)`, kExists for [NOT] EXISTS (...). Only in statements, and
    /// replaced before a query is bound (query/statement).
    kSubquery,
    kParameter,  ///< `$1` or `$name`, `text` without the sign; replaced before a query is bound
  };
  /// The operators of kOperator. Their operands are Expression::arguments.
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
    kIn,          ///< whether the first operand is among the others
    kIsNull,      ///< one operand
    kIsDistinct,  ///< IS DISTINCT FROM: two nulls are not distinct
    kLike,        ///< text, pattern, and the escape character where one is given
    kIlike,       ///< LIKE that ignores case
    kMatches,     ///< text, regular expression, which may match anywhere in it
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,         ///< `/`, always of doubles
    kIntegerDivide,  ///< `//`
    kModulo,
    kNegate,
    kConcat,  ///< `||`
    kExists,  ///< of kSubquery only
  };

  Kind kind = Kind::kNull;
  Op op = Op::kNone;
  bool negated = false;   ///< NOT BETWEEN, NOT IN, IS NOT NULL, NOT LIKE, ...
  bool distinct = false;  ///< count(DISTINCT x); TRY_CAST(x AS type)
  std::string text;
  std::string qualifier;
  std::string type;  ///< of kCast, in lower case without spaces: "decimal(18,2)"
  std::vector<Expression> arguments;
  /// What stands after a function's arguments (OVER, FILTER, ORDER BY); nullptr if nothing does.
  std::shared_ptr<const CallDetails> details;
  std::shared_ptr<const SqlStatement> statement;  ///< of kSubquery
  /// Bytes [offset, offset + length) of the text that was parsed; both 0 for a tree made by hand.
  std::size_t offset = 0;
  std::size_t length = 0;

  /// Whether two trees say the same; their places in a text are not compared.
  friend bool operator==(const Expression& a, const Expression& b);
};

/// An expression and the name of its result.
struct NamedExpression {
  Expression expression;
  std::string name;  ///< given by AS; else a column's name, or the expression's text
};

/// One key of ORDER BY. Nulls come last unless nulls_first is set.
struct SortExpression {
  Expression expression;
  bool descending = false;
  bool nulls_first = false;
};

/// One end of a window's frame.
struct FrameBound {
  enum class Kind : std::uint8_t {
    kUnboundedPreceding,
    kPreceding,  ///< `offset` rows, groups or units of the sort key before the current row
    kCurrentRow,
    kFollowing,
    kUnboundedFollowing,
  };
  Kind kind = Kind::kUnboundedPreceding;
  Expression offset;  ///< of kPreceding and kFollowing
};

/// The rows around the current one that a window function sees.
struct WindowFrame {
  enum class Unit : std::uint8_t { kRows, kRange, kGroups };
  enum class Exclude : std::uint8_t { kNothing, kCurrentRow, kGroup, kTies };
  Unit unit = Unit::kRange;
  FrameBound begin;
  FrameBound end{FrameBound::Kind::kCurrentRow, {}};
  Exclude exclude = Exclude::kNothing;
};

/// OVER (...), or a definition in the WINDOW clause.
struct Window {
  std::string base;  ///< the window that this one begins with, or empty
  std::vector<Expression> partition;
  std::vector<SortExpression> order;
  std::vector<WindowFrame> frame;  ///< one, or none
};

/// What may stand within and after a call besides its arguments.
struct CallDetails {
  std::vector<Expression> filter;     ///< FILTER (WHERE x); one, or none
  std::vector<SortExpression> order;  ///< string_agg(x ORDER BY y), WITHIN GROUP (ORDER BY y)
  bool ignores_nulls = false;         ///< IGNORE NULLS
  std::vector<Window> over;           ///< one, or none
};

/// The names of the functions that `a[1]` and `a.b.c` are: an element or field of a nested value,
/// which is the first argument. The second one is the place or the key.
constexpr std::string_view kElementCall = "[]";
constexpr std::string_view kFieldCall = ".";
/// The name of the function that stands for `lambda x, y: body`: its arguments are the names of the
/// parameters as strings, and the body, in which kParameterCall('x') stands for the parameter.
constexpr std::string_view kLambdaCall = "##lambda";
constexpr std::string_view kParameterCall = "##parameter";
/// Whether the expression is such a call.
bool is_step_into(const Expression& expression);

/// Limit of nested levels, which bounds the stack that parsing and binding need. Beyond it an
/// expression is refused.
constexpr std::size_t kMaxExpressionDepth = 500;
/// Parses one expression. Errors of all parse functions are kInvalidArgument with the place in
/// `text` as Error::byte_offset; explain_expression_error() shows it.
Result<Expression> parse_expression(std::string_view text);
/// Parses a list as in SELECT, "a, b * 2 as c, *". Empty text gives no expressions.
Result<std::vector<NamedExpression>> parse_expressions(std::string_view text);
/// Parses a list as in ORDER BY, "revenue desc, name nulls first".
Result<std::vector<SortExpression>> parse_sort_expressions(std::string_view text);

/// Returns text that parses to an equal tree. Parentheses stand where the parser needs them, and
/// around a condition that is an operand of another condition, where people would have to know the
/// rules.
std::string to_text(const Expression& expression);

/// Returns the text (its line, or a part of a long one) with a caret below the error's place, and
/// what is wrong. Several lines, without a line feed at the end.
std::string explain_expression_error(std::string_view text, const Error& error);

/// These build trees by hand: operation(Expression::Op::kLess, {column("price"), number("0.9")}).
Expression column(std::string name);
Expression number(std::string text);
Expression number(std::int64_t value);
Expression string(std::string text);
Expression call(std::string function, std::vector<Expression> arguments);
Expression operation(Expression::Op op, std::vector<Expression> operands);

}  // namespace presso
