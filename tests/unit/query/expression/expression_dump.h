// SPDX-License-Identifier: MIT
// A tree in a short form for tests, with parentheses around everything:
//   a t.b 12 'text' date'1994-01-01' time'...' interval'3 month' null true *
//   (= a b) (not-in a 1 2) (is-null a)      operators, negated ones with "not-"
//   sum{a} count{distinct a} case{a b c} cast{a decimal(18,2)}
#pragma once

#include <string>

#include "presso/expression.h"

namespace presso {

/// The parts one after another. (g++ 12 warns of "x" + std::string where there is nothing wrong.)
template <class... Parts>
std::string joined(const Parts&... parts) {
  std::string result;
  ((result += parts), ...);
  return result;
}

inline std::string dump_operator(const Expression& tree) {
  static constexpr const char* kNames[] = {
      "none", "or",      "and", "not",     "=",           "<>",   "<",     "<=",      ">",
      ">=",   "between", "in",  "is-null", "is-distinct", "like", "ilike", "matches", "+",
      "-",    "*",       "/",   "//",      "%",           "neg",  "||"};
  return joined(tree.negated ? "not-" : "", kNames[static_cast<int>(tree.op)]);
}

inline std::string dump(const Expression& tree) {
  using Kind = Expression::Kind;
  std::string arguments;
  for (const Expression& argument : tree.arguments) arguments += joined(" ", dump(argument));
  const std::string inner = arguments.empty() ? "" : arguments.substr(1);
  switch (tree.kind) {
    case Kind::kNull:
      return "null";
    case Kind::kString:
      return joined("'", tree.text, "'");
    case Kind::kDate:
      return joined("date'", tree.text, "'");
    case Kind::kTime:
      return joined("time'", tree.text, "'");
    case Kind::kInterval:
      return joined("interval'", tree.text, " ", tree.type, "'");
    case Kind::kColumn:
      return tree.qualifier.empty() ? tree.text : joined(tree.qualifier, ".", tree.text);
    case Kind::kStar:
      return "*";
    case Kind::kOperator:
      return joined("(", dump_operator(tree), arguments, ")");
    case Kind::kFunction:
      return joined(tree.text, "{", tree.distinct ? "distinct " : "", inner, "}");
    case Kind::kCase:
      return joined("case{", inner, "}");
    case Kind::kCast:
      return joined("cast{", inner, " ", tree.type, "}");
    default:
      return tree.text;
  }
}

/// Of a text; of an error its place and what it says.
inline std::string dump(std::string_view text) {
  const Result<Expression> parsed = parse_expression(text);
  if (parsed.ok()) return dump(*parsed);
  return joined(std::to_string(parsed.error().byte_offset), ": ", parsed.error().what);
}

}  // namespace presso
