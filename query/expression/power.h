// SPDX-License-Identifier: MIT
// Binding powers of operators, for parser and printer, which must agree. The order is that of
// PostgreSQL and DuckDB. Tested by tests/unit/query/expression/expression_parser_test.cpp.
//
// What follows from it, with parentheses for what is meant without them:
//
//   a or b and c                  a or (b and c)
//   not a = b                     not (a = b)
//   a = b is null                 (a = b) is null
//   a || b + c                    a || (b + c)
//   -x::int                       -(x::int)
//   a between 1 and 2 and b       (a between 1 and 2) and b
#pragma once

#include "presso/expression.h"

namespace presso::expression_detail {

/// From the weakest to the strongest. "Does not chain" means that a < b < c is an error rather than
/// (a < b) < c.
enum class Power : std::uint8_t {
  kOr,
  kAnd,
  kNot,
  kIs,          ///< IS NULL, IS DISTINCT FROM
  kComparison,  ///< = <> < <= > >=; does not chain
  kTest,        ///< BETWEEN, IN, LIKE, ILIKE, MATCHES; does not chain
  kConcat,
  kAdd,
  kMultiply,
  kPower,  ///< ^ and **, which are calls of power()
  kNegate,
  kCast,   ///< x::type
  kValue,  ///< literals, names and calls, which never need parentheses
};

/// Returns the next stronger power. Operators associate to the left, so a right operand must bind
/// at least this strongly.
constexpr Power above(Power power) {
  return static_cast<Power>(static_cast<int>(power) + 1);
}

/// Returns the power of an operator in a tree; kNone, of nodes without an operator, is kValue.
constexpr Power power_of(Expression::Op op) {
  using Op = Expression::Op;
  switch (op) {
    case Op::kNone:
    case Op::kExists:
      return Power::kValue;
    case Op::kOr:
      return Power::kOr;
    case Op::kAnd:
      return Power::kAnd;
    case Op::kNot:
      return Power::kNot;
    case Op::kIsNull:
    case Op::kIsDistinct:
      return Power::kIs;
    case Op::kEqual:
    case Op::kNotEqual:
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kGreater:
    case Op::kGreaterEqual:
      return Power::kComparison;
    case Op::kBetween:
    case Op::kIn:
    case Op::kLike:
    case Op::kIlike:
    case Op::kMatches:
      return Power::kTest;
    case Op::kConcat:
      return Power::kConcat;
    case Op::kAdd:
    case Op::kSubtract:
      return Power::kAdd;
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kIntegerDivide:
    case Op::kModulo:
      return Power::kMultiply;
    case Op::kNegate:
      return Power::kNegate;
  }
  return Power::kValue;
}

}  // namespace presso::expression_detail
