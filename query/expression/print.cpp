// SPDX-License-Identifier: MIT
// Trees as text (to_text()), for names of columns, --explain and requests that are sent to other
// processes. Parentheses stand where the parser needs them, and around a condition that is an
// operand of another one, where people would have to know the rules. Parsing the text gives an
// equal tree, which tests/unit/query/expression/expression_random_test.cpp checks with random
// trees.
//
// Examples, tree on the left (written with all parentheses) and text on the right:
//
//   ((a or b) and c)      (a OR b) AND c
//   ((a - b) - c)         a - b - c
//   (a - (b - c))         a - (b - c)
//   (not (a = 1))         NOT a = 1
//   (a = (b is null))     a = (b IS NULL)
//   (-(-1))               - -1
#include <algorithm>

#include "query/expression/parser.h"

namespace presso {
namespace {

using expression_detail::Power;
using expression_detail::power_of;
using Kind = Expression::Kind;
using Op = Expression::Op;

/// Puts quotes around the text and doubles those within.
std::string in_quotes(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char letter : text) {
    if (letter == quote) result += quote;
    result += letter;
  }
  return result + quote;
}

/// Names are quoted only where that is needed.
std::string name_text(const std::string& name) {
  return expression_detail::is_plain_name(name) ? name : in_quotes(name, '"');
}

/// ASCII only; for keywords.
std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char letter) {
    return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
  });
  return text;
}

/// How an operator is written, with the spaces around it; tests such as LIKE have only the one
/// after.
std::string_view spelling(Op op) {
  switch (op) {
    case Op::kOr:
      return " OR ";
    case Op::kAnd:
      return " AND ";
    case Op::kEqual:
      return " = ";
    case Op::kNotEqual:
      return " <> ";
    case Op::kLess:
      return " < ";
    case Op::kLessEqual:
      return " <= ";
    case Op::kGreater:
      return " > ";
    case Op::kGreaterEqual:
      return " >= ";
    case Op::kLike:
      return "LIKE ";
    case Op::kIlike:
      return "ILIKE ";
    case Op::kMatches:
      return "MATCHES ";
    case Op::kAdd:
      return " + ";
    case Op::kSubtract:
      return " - ";
    case Op::kMultiply:
      return " * ";
    case Op::kDivide:
      return " / ";
    case Op::kIntegerDivide:
      return " // ";
    case Op::kModulo:
      return " % ";
    case Op::kConcat:
      return " || ";
    default:
      return " ";
  }
}

/// Appends a tree to out_, recursively; as deep as the tree.
class Printer {
 public:
  void print(const Expression& tree);
  std::string take() { return std::move(out_); }

 private:
  /// Prints one operand, in parentheses if it binds less strongly than `least`.
  void operand(const Expression& tree, Power least);
  /// Prints all operands from `first` on, with `between` in between.
  void operands(const Expression& tree, std::size_t first, std::string_view between, Power least);
  void operation(const Expression& tree);
  void test(const Expression& tree);
  void negate(const Expression& tree);
  void function(const Expression& tree);
  void step_into(const Expression& tree);
  void lambda(const Expression& tree);
  void case_of(const Expression& tree);

  std::string out_;
};

/// Leaves, functions, CASE and CAST have the strongest power and never get parentheses.
void Printer::operand(const Expression& tree, Power least) {
  const bool bare = power_of(tree.op) >= least;
  if (!bare) out_ += '(';
  print(tree);
  if (!bare) out_ += ')';
}

/// For lists and chains.
void Printer::operands(const Expression& tree, std::size_t first, std::string_view between,
                       Power least) {
  for (std::size_t i = first; i < tree.arguments.size(); ++i) {
    if (i != first) out_ += between;
    operand(tree.arguments[i], least);
  }
}

/// One case for each kind; the recursion is as deep as the tree, which parsed trees bound.
void Printer::print(const Expression& tree) {
  switch (tree.kind) {
    case Kind::kNull:
      out_ += "NULL";
      return;
    case Kind::kBool:
      out_ += upper_case(tree.text);
      return;
    case Kind::kNumber:
      out_ += tree.text;
      return;
    case Kind::kString:
      out_ += in_quotes(tree.text, '\'');
      return;
    case Kind::kDate:
      out_ += "DATE " + in_quotes(tree.text, '\'');
      return;
    case Kind::kTime:
      out_ += "TIMESTAMP " + in_quotes(tree.text, '\'');
      return;
    case Kind::kInterval:
      out_ += "INTERVAL '" + tree.text + "' " + upper_case(tree.type);
      return;
    case Kind::kColumn:
      if (!tree.qualifier.empty()) out_ += name_text(tree.qualifier) + '.';
      out_ += name_text(tree.text);
      return;
    case Kind::kStar:
      if (!tree.qualifier.empty()) out_ += name_text(tree.qualifier) + '.';
      out_ += '*';
      return;
    case Kind::kOperator:
      return operation(tree);
    case Kind::kFunction:
      return function(tree);
    case Kind::kCase:
      return case_of(tree);
    case Kind::kCast:
      out_ += tree.distinct ? "TRY_CAST(" : "CAST(";
      operands(tree, 0, ", ", Power::kOr);
      out_ += " AS " + tree.type + ')';
      return;
    case Kind::kSubquery:
      if (tree.op == Op::kIn) operand(tree.arguments[0], Power::kConcat);
      out_ += tree.op == Op::kIn ? (tree.negated ? " NOT IN " : " IN ") : "";
      out_ += tree.op == Op::kExists ? "EXISTS (SELECT ...)" : "(SELECT ...)";
      return;
    case Kind::kParameter:
      out_ += '$' + tree.text;
      return;
  }
}

/// Operators that associate to the left need no parentheses on their left. An OR within an OR, or
/// an AND within an AND, had parentheses, since otherwise the parser would have made one node of
/// them.
void Printer::operation(const Expression& tree) {
  const Power power = power_of(tree.op);
  switch (power) {
    case Power::kOr:
    case Power::kAnd:
      return operands(tree, 0, spelling(tree.op), above(power));
    case Power::kNot:
      out_ += "NOT ";
      return operands(tree, 0, " ", Power::kNot);
    case Power::kComparison:
      return operands(tree, 0, spelling(tree.op), Power::kConcat);
    case Power::kIs:
    case Power::kTest:
      return test(tree);
    case Power::kNegate:
      return negate(tree);
    default:
      break;
  }
  if (tree.arguments.empty()) return;
  operand(tree.arguments[0], power);
  out_ += spelling(tree.op);
  operands(tree, 1, spelling(tree.op), above(power));
}

/// IS, IN, BETWEEN, LIKE and their negations.
void Printer::test(const Expression& tree) {
  if (tree.arguments.empty()) return;
  operand(tree.arguments[0], Power::kConcat);
  const char* const negation = tree.negated ? "NOT " : "";
  if (power_of(tree.op) == Power::kIs) {
    out_ += std::string(" IS ") + negation + (tree.op == Op::kIsNull ? "NULL" : "DISTINCT FROM ");
    return operands(tree, 1, " ", Power::kConcat);
  }
  out_ += std::string(" ") + negation;
  if (tree.op == Op::kIn) {
    out_ += "IN (";
    operands(tree, 1, ", ", Power::kOr);
    out_ += ')';
    return;
  }
  out_ += tree.op == Op::kBetween ? "BETWEEN " : spelling(tree.op);
  operands(tree, 1, tree.op == Op::kBetween ? " AND " : " ESCAPE ", Power::kConcat);
}

/// A second minus is set apart, as `--` begins a comment.
void Printer::negate(const Expression& tree) {
  out_ += '-';
  const std::size_t begin = out_.size();
  operands(tree, 0, " ", Power::kNegate);
  if (out_.size() > begin && out_[begin] == '-') out_.insert(begin, 1, ' ');
}

/// `count(*)` needs no case of its own: the star is an argument.
void Printer::function(const Expression& tree) {
  if (is_step_into(tree)) return step_into(tree);
  if (tree.text == kParameterCall)
    return static_cast<void>(out_ += name_text(tree.arguments[0].text));
  if (tree.text == kLambdaCall) return lambda(tree);
  // Functions of these names need quotes: CAST(...) and EXTRACT(...) are syntax.
  const bool special = tree.text == "cast" || tree.text == "try_cast" || tree.text == "extract" ||
                       tree.text == "interval";
  out_ += special ? in_quotes(tree.text, '"') : name_text(tree.text);
  out_ += tree.distinct ? "(DISTINCT " : "(";
  operands(tree, 0, ", ", Power::kOr);
  out_ += ')';
}

/// `lambda x, y: x + y`.
void Printer::lambda(const Expression& tree) {
  const std::size_t names = tree.arguments.size() - 1;
  for (std::size_t i = 0; i < names; ++i) {
    out_ += (i == 0 ? "lambda " : ", ") + name_text(tree.arguments[i].text);
  }
  out_ += ": ";
  print(tree.arguments.back());
}

/// `a[1]` and `(a).b`; without the parentheses `a` would be a table.
void Printer::step_into(const Expression& tree) {
  const Expression& value = tree.arguments[0];
  const bool is_field = tree.text == kFieldCall;
  const bool is_table = is_field && value.kind == Kind::kColumn && value.qualifier.empty();
  const bool is_literal =
      value.kind == Kind::kNumber || value.kind == Kind::kString || value.kind == Kind::kInterval;
  const bool bare = value.kind != Kind::kOperator && !is_table && !is_literal;
  if (!bare) out_ += '(';
  print(value);
  if (!bare) out_ += ')';
  if (is_field) {
    out_ += '.' + name_text(tree.arguments[1].text);
    return;
  }
  out_ += '[';
  print(tree.arguments[1]);
  out_ += ']';
}

/// An odd number of arguments means that the last one is the value of ELSE.
void Printer::case_of(const Expression& tree) {
  const std::size_t arguments = tree.arguments.size();
  out_ += "CASE";
  for (std::size_t i = 0; i < arguments; ++i) {
    const bool otherwise = i + 1 == arguments && arguments % 2 == 1;
    out_ += otherwise ? " ELSE " : i % 2 == 0 ? " WHEN " : " THEN ";
    print(tree.arguments[i]);
  }
  out_ += " END";
}

}  // namespace

std::string to_text(const Expression& expression) {
  Printer printer;
  printer.print(expression);
  return printer.take();
}

}  // namespace presso
