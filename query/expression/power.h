// SPDX-License-Identifier: MIT
// How strongly operators bind, the weakest first; as in PostgreSQL and DuckDB.
#pragma once

#include "presso/expression.h"

namespace presso::expression_detail {

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
  kNegate,
  kCast,   ///< x::type
  kValue,  ///< what needs no parentheses anywhere
};

/// The next stronger one: what the right operand of an operator must have at least.
constexpr Power above(Power power) {
  return static_cast<Power>(static_cast<int>(power) + 1);
}

constexpr Power power_of(Expression::Op op) {
  using Op = Expression::Op;
  switch (op) {
    case Op::kNone:
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
