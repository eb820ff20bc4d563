// SPDX-License-Identifier: MIT
// Random trees as the parser makes them: every kind of node, names and strings with any bytes.
#pragma once

#include <string>

#include "corpora/random.h"
#include "presso/expression.h"

namespace presso::test {

class ExpressionMaker {
 public:
  explicit ExpressionMaker(std::uint64_t seed) : random_(seed) {}

  /// At most `levels` + 1 deep.
  Expression make(std::uint32_t levels);

 private:
  using Kind = Expression::Kind;
  using Op = Expression::Op;

  template <class T, std::size_t N>
  const T& one_of(const T (&choices)[N]) {
    return choices[random_.below(N)];
  }
  Expression leaf();
  Expression operator_of(std::uint32_t levels);
  Expression inner(std::uint32_t levels);
  std::string any_bytes(std::uint32_t least);
  std::string digits() { return std::to_string(random_.skewed(100000)); }

  corpora::Random random_;
};

inline std::string ExpressionMaker::any_bytes(std::uint32_t least) {
  static constexpr std::string_view kLetters = "abz_09'\"% \n\t\\.,()-+\xC3\xBC\xFF";
  std::string text;
  for (std::uint32_t size = least + random_.skewed(8); size > 0; --size) {
    const auto length = static_cast<std::uint32_t>(kLetters.size());
    text += random_.one_in(20) ? static_cast<char>(random_.below(256))
                               : kLetters[random_.below(length)];
  }
  return text;
}

inline Expression ExpressionMaker::leaf() {
  static const std::string kNames[] = {"a",    "b_1",  "l_shipdate", "date",     "order",
                                       "when", "Not",  "interval",   "\xC3\xBC", "matches",
                                       "cast", "desc", "escape",     "distinct", "a b",
                                       "case", "1a",   "timestamp",  "nulls",    "extract"};
  static const std::string kNumbers[] = {"0", "12", "1.5", ".5", "1.", "1e-3", "2.50E+10", "007"};
  static const std::string kUnits[] = {"day", "month", "year", "hour", "quarter", "microsecond"};
  Expression result;
  result.kind =
      one_of({Kind::kNull, Kind::kBool, Kind::kNumber, Kind::kNumber, Kind::kString, Kind::kDate,
              Kind::kTime, Kind::kInterval, Kind::kColumn, Kind::kColumn, Kind::kColumn});
  switch (result.kind) {
    case Kind::kBool:
      result.text = random_.one_in(2) ? "true" : "false";
      break;
    case Kind::kNumber:
      result.text = one_of(kNumbers);
      break;
    case Kind::kString:
    case Kind::kTime:
      result.text = any_bytes(0);
      break;
    case Kind::kDate:
      result.text = random_.one_in(3) ? any_bytes(0) : "1994-01-01";
      break;
    case Kind::kInterval:
      result.text = (random_.one_in(3) ? "-" : "") + digits();
      result.type = one_of(kUnits);
      break;
    case Kind::kColumn:
      result.text = random_.one_in(4) ? any_bytes(1) : one_of(kNames);
      if (random_.one_in(4)) result.qualifier = one_of(kNames);
      break;
    default:
      break;
  }
  return result;
}

inline Expression ExpressionMaker::operator_of(std::uint32_t levels) {
  Expression result;
  result.kind = Kind::kOperator;
  result.op = static_cast<Op>(1 + random_.below(static_cast<std::uint32_t>(Op::kConcat)));
  const auto argument = [&] { result.arguments.push_back(make(levels - 1)); };
  const auto string = [&](std::string text) { result.arguments.push_back(presso::string(text)); };
  argument();
  switch (result.op) {
    case Op::kNot:
    case Op::kNegate:
      break;
    case Op::kOr:
    case Op::kAnd:
      for (std::uint32_t more = 1 + random_.skewed(4); more > 0; --more) argument();
      break;
    case Op::kIn:
      for (std::uint32_t more = 1 + random_.skewed(4); more > 0; --more) argument();
      [[fallthrough]];
    case Op::kIsNull:
      result.negated = random_.one_in(2);
      break;
    case Op::kBetween:
      argument();
      [[fallthrough]];
    case Op::kIsDistinct:
      argument();
      result.negated = random_.one_in(2);
      break;
    case Op::kLike:
    case Op::kIlike:
    case Op::kMatches:
      string(any_bytes(0));
      result.negated = random_.one_in(2);
      if (result.op != Op::kMatches && random_.one_in(3)) {
        string(std::string(1, static_cast<char>(random_.below(0x80))));
      }
      break;
    default:
      argument();
  }
  return result;
}

inline Expression ExpressionMaker::inner(std::uint32_t levels) {
  static const std::string kFunctions[] = {"sum",  "count",   "year", "date",     "my fn",
                                           "cast", "extract", "in",   "interval", "\xC3\xBC"};
  static const std::string kTypes[] = {"int", "decimal(18,2)", "timestamp(ms)", "double"};
  Expression result;
  result.kind = one_of({Kind::kFunction, Kind::kCase, Kind::kCast});
  std::uint32_t arguments = 1;
  if (result.kind == Kind::kFunction && random_.one_in(4)) {
    result.text = random_.one_in(2) ? kElementCall : kFieldCall;
    const bool is_field = result.text == kFieldCall;
    result.arguments = {make(levels - 1), is_field ? presso::string(any_bytes(1)) : make(0)};
    return result;
  }
  if (result.kind == Kind::kFunction) {
    result.text = one_of(kFunctions);
    arguments = random_.skewed(4);
    if (random_.one_in(6)) {
      result.arguments.emplace_back().kind = Kind::kStar;
      return result;
    }
    result.distinct = arguments != 0 && random_.one_in(4);
  } else if (result.kind == Kind::kCase) {
    arguments = 2 + random_.skewed(5);
  } else {
    result.type = one_of(kTypes);
  }
  for (; arguments > 0; --arguments) result.arguments.push_back(make(levels - 1));
  return result;
}

inline Expression ExpressionMaker::make(std::uint32_t levels) {
  if (levels == 0 || random_.one_in(6)) return leaf();
  return random_.one_in(4) ? inner(levels) : operator_of(levels);
}

}  // namespace presso::test
