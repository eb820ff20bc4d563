// SPDX-License-Identifier: MIT
// What an operand can begin with: literals, names, functions, signs, parentheses, CASE, CAST,
// EXTRACT. Words that have a meaning only in front of certain tokens (date, interval, cast,
// extract, ...) remain names of columns everywhere else.
//
// Examples of what becomes of texts (kind, then text or arguments):
//
//   -1                       kOperator kNegate of kNumber "1"
//   o.price                  kColumn "price" with qualifier "o"
//   date '1994-01-01'        kDate "1994-01-01"; without the quotes, date is a column
//   interval '3 days'        kInterval "3" with type "day"
//   count(distinct x)        kFunction "count" with `distinct`
//   extract(year from d)     kFunction "year" of kColumn "d"
//   case x when 1 then y end kCase of (x = 1), y
#include <algorithm>
#include <array>
#include <optional>

#include "query/expression/list_items.h"
#include "query/expression/parser.h"
#include "query/expression/refused.h"
#include "scan/syntax/cursor.h"

namespace presso::expression_detail {
namespace {

using Kind = Expression::Kind;
using Op = Expression::Op;
using TokenKind = Token::Kind;

/// `CASE x WHEN a ... WHEN b ...` becomes `CASE WHEN x = a ... WHEN x = b ...`. Nested in each
/// other, such copies of x could grow without bound; this limits them.
constexpr std::uint64_t kMaxCopiedBytes = std::uint64_t{16} << 20;

// Units of INTERVAL, in the singular.
constexpr std::array<std::string_view, 10> kUnits = {
    "microsecond", "millisecond", "second", "minute",  "hour",
    "day",         "week",        "month",  "quarter", "year"};

/// The memory that a copy of the tree takes.
std::uint64_t bytes_of(const Expression& tree) {
  std::uint64_t bytes = sizeof tree + tree.text.size() + tree.qualifier.size() + tree.type.size();
  for (const Expression& argument : tree.arguments) bytes += bytes_of(argument);
  return bytes;
}

/// 1_000_000 is 1000000.
std::string without_underscores(std::string_view digits) {
  std::string text(digits);
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  return text;
}

/// Returns the unit in the singular and in lower case ("Days" gives "day"), or an empty text.
std::string unit_of(std::string_view word) {
  std::string unit = lower_case(word);
  if (unit.ends_with('s')) unit.pop_back();
  return std::find(kUnits.begin(), kUnits.end(), unit) != kUnits.end() ? unit : std::string();
}

bool is_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

/// What stands in the quotes of an INTERVAL.
struct Amount {
  std::string number;
  std::string unit;  ///< as written; may be empty
};

/// Splits " -3 days " into number and unit; nothing if it does not begin with a whole number.
std::optional<Amount> amount_of(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  const auto trim = [&text] {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
  };
  trim();
  Amount amount;
  if (text.starts_with('-')) amount.number = "-";
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t digits = std::min(text.find_first_not_of(kDigits), text.size());
  if (digits == 0) return std::nullopt;
  amount.number += text.substr(0, digits);
  text.remove_prefix(digits);
  trim();
  if (!text.empty() && !is_letter(text.front())) return std::nullopt;
  amount.unit = text;
  return amount;
}

/// Whether the text of an INTERVAL is one that is read when it is bound: "1 day 2 hours", "1.5
/// days", "04:05:06".
bool has_several_amounts(std::string_view text) {
  return text.find(':') != text.npos || (text.find_first_of("0123456789") != text.npos &&
                                         std::any_of(text.begin(), text.end(), is_letter));
}

}  // namespace

/// For the token that was taken last.
Result<Node> Parser::literal(Kind kind, std::string text) {
  Node node = begin_node(kind, tokens_[at_ - 1].offset);
  node->tree.text = std::move(text);
  return finish(std::move(node));
}

/// `least` matters for NOT only: it is a whole condition, so `a + NOT b` is refused.
Result<Node> Parser::prefix(Power least) {
  const Token& token = here();
  switch (token.kind) {
    case TokenKind::kString:
      take();
      return inner_values(literal(Kind::kString, unquoted(token.text)));
    case TokenKind::kNumber:
      take();
      return literal(Kind::kNumber, without_underscores(token.text));
    case TokenKind::kDate:
      take();
      return literal(Kind::kDate, std::string(token.text));
    case TokenKind::kQuoted:
      return inner_values(name());
    case TokenKind::kSymbol:
      if (begins_statement()) return subquery(Op::kNone, begin_node(Kind::kSubquery, token.offset));
      if (token.text == "(") return inner_values(parenthesised());
      if (token.text == "?" || token.text == "$") return parameter();
      if (token.text == "[" && grammar_ == Grammar::kStatement) return inner_values(list());
      if (token.text == "{") return inner_values(object());
      if (token.text == "-" || token.text == "+") return signed_operand();
      return unexpected(token, "a value");
    case TokenKind::kWord:
      if (!token.is_word("not")) return inner_values(word());
      if (least <= above(Power::kComparison)) return negation();
      return error_at(token.offset, "NOT stands before a whole condition; set parentheses");
    default:
      return unexpected(token, "a value");
  }
}

/// What stands in brackets: `1`, `'key'`, or `2:3`, whose ends may be missing and which makes
/// `node` the call list_slice().
Status Parser::brackets(Node& node) {
  Result<Node> first = here().is_symbol(":") ? literal(Kind::kNumber, "1") : expression();
  if (!first.ok()) return first.error();
  adopt(node, std::move(*first));
  if (!take_symbol(":")) return {};
  node->tree.text = "list_slice";
  if (!here().is_symbol("]")) {
    PRESSO_ASSIGN(Node last, expression());
    adopt(node, std::move(last));
    return {};
  }
  PRESSO_ASSIGN(Node one, literal(Kind::kNumber, "1"));
  adopt(node, begin_operator(Op::kNegate, false, std::move(one)));
  return {};
}

/// Elements and fields of a value: `a[1]`, `a[2:3]`, `a['key']`, `a.b.c`.
Result<Node> Parser::inner_values(Result<Node> value) {
  const auto begins_name = [](const Token& token) {
    return token.kind == TokenKind::kQuoted || (token.kind == TokenKind::kWord && !token.reserved);
  };
  while (value.ok()) {
    const bool is_element = here().is_symbol("[");
    if (!is_element && !(here().is_symbol(".") && begins_name(ahead()))) break;
    const std::size_t open = take().offset;
    Node node = begin_node(Kind::kFunction, (*value)->begin);
    node->tree.text = is_element ? kElementCall : kFieldCall;
    adopt(node, std::move(*value));
    if (is_element) {
      PRESSO_TRY(brackets(node));
    } else {
      std::string key = name_of(take());
      PRESSO_ASSIGN(Node inner, literal(Kind::kString, std::move(key)));
      adopt(node, std::move(inner));
    }
    if (is_element && !take_symbol("]")) {
      if (done()) return error_at(open, "the '[' here is never closed");
      return unexpected(here(), "an operator or ']'");
    }
    value = finish(std::move(node));
  }
  return value;
}

/// A plus is dropped; a minus becomes kNegate, also in front of a number (numbers have no sign).
Result<Node> Parser::signed_operand() {
  const Token& sign = take();
  Result<Node> operand = expression(Power::kNegate);
  if (!operand.ok()) return operand;
  if (sign.text == "+") {
    (*operand)->begin = sign.offset;
    return operand;
  }
  Node node = begin_operator(Op::kNegate, false, std::move(*operand));
  node->begin = sign.offset;
  return finish(std::move(node));
}

/// NOT binds more strongly than AND, and more weakly than comparisons.
Result<Node> Parser::negation() {
  const std::size_t begin = take().offset;
  Result<Node> operand = expression(Power::kNot);
  if (!operand.ok()) return operand;
  Node node = begin_operator(Op::kNot, false, std::move(*operand));
  node->begin = begin;
  return finish(std::move(node));
}

Status Parser::close(std::size_t open, std::string_view expected) {
  if (take_symbol(")")) return {};
  if (done()) return error_at(open, "the '(' here is never closed");
  return unexpected(here(), expected);
}

/// Leaves no node; only begin and end of the inner one change. In a statement `(a, b)` becomes the
/// call row(a, b).
Result<Node> Parser::parenthesised() {
  const std::size_t open = take().offset;
  Result<Node> inner = expression();
  if (!inner.ok()) return inner;
  if (grammar_ == Grammar::kStatement && here().is_symbol(",")) {
    Node row = begin_node(Kind::kFunction, open);
    row->tree.text = "row";
    adopt(row, std::move(*inner));
    while (take_symbol(",")) {
      PRESSO_ASSIGN(Node next, expression());
      adopt(row, std::move(next));
    }
    PRESSO_TRY(close(open, "an operator, ',' or ')'"));
    return finish(std::move(row));
  }
  PRESSO_TRY(close(open, "an operator or ')'"));
  (*inner)->begin = open;
  (*inner)->end = end_of_last();
  return inner;
}

/// Keywords first, then words that are special in front of the token that follows, else a name.
Result<Node> Parser::word() {
  const Token& token = here();
  const Token& after = ahead();
  if (token.is_word("case")) return case_of();
  if (token.is_word("null")) {
    take();
    return literal(Kind::kNull, {});
  }
  if (token.is_word("true") || token.is_word("false")) {
    take();
    return literal(Kind::kBool, lower_case(token.text));
  }
  if (token.reserved) return no_value();
  const bool is_statement = grammar_ == Grammar::kStatement;
  if (is_statement && token.is_word("exists") && after.is_symbol("(")) return exists();
  const bool is_try = token.is_word("try_cast");
  if (after.is_symbol("(") && (is_try || token.is_word("cast"))) return cast();
  if (after.is_symbol("(") && token.is_word("extract")) return extract();
  const bool string_after = after.kind == TokenKind::kString;
  if (token.is_word("interval") && (string_after || after.kind == TokenKind::kNumber)) {
    return interval();
  }
  if (token.is_word("interval") && after.is_symbol("(")) return computed_interval();
  if (string_after && (token.is_word("date") || token.is_word("timestamp"))) {
    Node node = begin_node(token.is_word("date") ? Kind::kDate : Kind::kTime, token.offset);
    take();
    node->tree.text = unquoted(take().text);
    return finish(std::move(node));
  }
  if (string_after && (token.is_word("time") || token.is_word("timestamptz"))) {
    Node node = begin_node(Kind::kCast, token.offset);
    node->tree.type = lower_case(take().text);
    PRESSO_ASSIGN(Node clock, literal(Kind::kString, unquoted(take().text)));
    adopt(node, std::move(clock));
    return finish(std::move(node));
  }
  return name();
}

/// The error for a keyword where a value should be.
Error Parser::no_value() const {
  if (grammar_ == Grammar::kStatement && here().is_word("select")) {
    return error_at(here().offset, "a SELECT within an expression stands in parentheses");
  }
  return unexpected(here(), "a value");
}

/// A column, optionally qualified, or a function if a parenthesis follows.
Result<Node> Parser::name() {
  if (ahead().is_symbol("(")) return function();
  Node node = begin_node(Kind::kColumn, here().offset);
  node->tree.text = name_of(take());
  if (!take_symbol(".")) return finish(std::move(node));
  const Token& column = here();
  const bool plain = column.kind == TokenKind::kWord && !is_reserved(column.text);
  if (!plain && column.kind != TokenKind::kQuoted) {
    return unexpected(column, "a column's name after '.'");
  }
  node->tree.qualifier = std::move(node->tree.text);
  node->tree.text = name_of(take());
  return finish(std::move(node));
}

/// The name is not checked here. In statements OVER, FILTER and WITHIN GROUP may follow.
Result<Node> Parser::function() {
  Node node = begin_node(Kind::kFunction, here().offset);
  const Token& token = take();
  node->tree.text =
      lower_case(token.kind == TokenKind::kQuoted ? unquoted(token.text) : token.text);
  const std::size_t open = take().offset;
  CallDetails found;
  PRESSO_TRY(arguments(node, open, found));
  if (grammar_ == Grammar::kStatement) PRESSO_TRY(details(node, std::move(found)));
  return finish(std::move(node));
}

/// SUBSTRING(x FROM first FOR length) is SUBSTRING(x, first, length): whether FROM or FOR stands
/// here as a comma would. Takes the word.
bool Parser::begins_part_of_substring(const Expression& call) {
  if (call.text != "substring" && call.text != "substr") return false;
  if (call.arguments.size() == 1) return take_word("from");
  return call.arguments.size() == 2 && take_word("for");
}

/// Reads arguments and the closing parenthesis; the opening one, at `open`, has been taken. A lone
/// `*` is for count(*).
Status Parser::arguments(Node& call, std::size_t open, CallDetails& details) {
  if (take_symbol(")")) return {};
  if (here().is_symbol("*") && ahead().is_symbol(")")) {
    take();
    PRESSO_ASSIGN(Node star, literal(Kind::kStar, {}));
    take();
    adopt(call, std::move(star));
    return {};
  }
  call->tree.distinct = take_word("distinct");
  do {
    PRESSO_ASSIGN(Node each, argument(call));
    adopt(call, std::move(each));
  } while (take_symbol(",") || begins_part_of_substring(call->tree));
  if (grammar_ == Grammar::kStatement && here().is_word("order") && ahead().is_word("by")) {
    PRESSO_ASSIGN(details.order, sort_keys());
  }
  if (here().is_word("ignore") || here().is_word("respect")) PRESSO_TRY(nulls_of(details));
  return close(open, "an operator, ',' or ')'");
}

/// An expression, a lambda, `name := value` of struct_pack(), which has the name as an argument
/// before the value, or the first argument of POSITION(part IN text), whose arguments are
/// exchanged.
Result<Node> Parser::argument(Node& call) {
  if (begins_lambda(call->tree)) return lambda();
  if (ahead().is_symbol(":=") && call->tree.text == "struct_pack") {
    PRESSO_ASSIGN(Node key, literal(Kind::kString, name_of(take())));
    take();
    adopt(call, std::move(key));
  }
  if (call->tree.text == "columns" && here().is_symbol("*")) {
    Node star = begin_node(Kind::kStar, here().offset);
    PRESSO_ASSIGN(NamedExpression item, named_expression(*this));
    star->tree = std::move(item.expression);
    return finish(std::move(star));
  }
  if (call->tree.text == "trim" && call->tree.arguments.empty()) return trimmed(call);
  if (call->tree.text != "position" || !call->tree.arguments.empty()) return expression();
  PRESSO_ASSIGN(Node part, expression(above(Power::kTest)));
  if (!take_word("in")) return part;
  PRESSO_ASSIGN(Node text, expression(above(Power::kTest)));
  adopt(call, std::move(text));
  return part;
}

/// The first argument of trim(), or TRIM([BOTH | LEADING | TRAILING] [characters] FROM text), whose
/// arguments are exchanged.
Result<Node> Parser::trimmed(Node& call) {
  const bool is_word = ahead().kind == TokenKind::kString || ahead().kind == TokenKind::kWord;
  if (is_word && take_word("leading")) {
    call->tree.text = "ltrim";
  } else if (is_word && take_word("trailing")) {
    call->tree.text = "rtrim";
  } else if (is_word) {
    take_word("both");
  }
  if (take_word("from")) return expression();
  PRESSO_ASSIGN(Node characters, expression());
  if (!take_word("from")) return characters;
  PRESSO_ASSIGN(Node text, expression());
  adopt(call, std::move(text));
  return characters;
}

/// `{'a': 1, b: 2}` becomes struct_pack('a', 1, 'b', 2).
Result<Node> Parser::object() {
  const std::size_t open = take().offset;
  Node node = begin_node(Kind::kFunction, open);
  node->tree.text = "struct_pack";
  do {
    const Token& key = here();
    const bool is_text = key.kind == TokenKind::kString;
    const bool is_name = key.kind == TokenKind::kQuoted || key.kind == TokenKind::kWord;
    if (!is_text && !is_name) return unexpected(key, "a key: {'a': 1}");
    PRESSO_ASSIGN(Node name, literal(Kind::kString, is_text ? unquoted(key.text) : name_of(key)));
    take();
    if (!take_symbol(":")) return unexpected(here(), "':' after the key");
    adopt(node, std::move(name));
    PRESSO_ASSIGN(Node value, expression());
    adopt(node, std::move(value));
  } while (take_symbol(","));
  if (!take_symbol("}")) return unexpected(here(), "an operator, ',' or '}'");
  return finish(std::move(node));
}

/// EXTRACT(YEAR FROM x) becomes the call year(x).
Result<Node> Parser::extract() {
  Node node = begin_node(Kind::kFunction, take().offset);
  const std::size_t open = take().offset;
  const Token& part = here();
  const bool is_text = part.kind == TokenKind::kString;
  if (!is_text && (part.kind != TokenKind::kWord || part.reserved)) {
    return unexpected(part, "YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE or SECOND");
  }
  node->tree.text = lower_case(is_text ? unquoted(part.text) : std::string(part.text));
  take();
  if (!take_word("from")) return unexpected(here(), "FROM");
  Result<Node> argument = expression();
  if (!argument.ok()) return argument;
  PRESSO_TRY(close(open, "an operator or ')'"));
  adopt(node, std::move(*argument));
  return finish(std::move(node));
}

/// CAST(x AS type); the same node as x::type.
Result<Node> Parser::cast() {
  const bool is_try = here().is_word("try_cast");
  Node node = begin_node(Kind::kCast, take().offset);
  node->tree.distinct = is_try;
  const std::size_t open = take().offset;
  Result<Node> argument = expression();
  if (!argument.ok()) return argument;
  if (!take_word("as")) return unexpected(here(), "AS and a type");
  PRESSO_ASSIGN(node->tree.type, type());
  PRESSO_TRY(close(open, "')' after the type"));
  adopt(node, std::move(*argument));
  return finish(std::move(node));
}

/// WITH TIME ZONE, where that follows.
bool Parser::take_time_zone() {
  const bool follows =
      here().is_word("with") && ahead().is_word("time") && ahead(2).is_word("zone");
  for (int i = 0; follows && i < 3; ++i) take();
  return follows;
}

/// A word, and optionally words or numbers in parentheses: decimal(18,2), timestamp(ms). Returned
/// in lower case without spaces; whether such a type exists is checked when the cast is bound.
Result<std::string> Parser::type() {
  if (here().kind != TokenKind::kWord || is_reserved(here().text)) {
    return unexpected(here(), "a type");
  }
  std::string type = lower_case(take().text);
  if (type == "double") take_word("precision");
  if (type == "timestamp" && take_time_zone()) type = "timestamptz";
  const std::size_t open = here().offset;
  if (!take_symbol("(")) return type;
  type += '(';
  do {
    const bool word = here().kind == TokenKind::kWord;
    if (!word && here().kind != TokenKind::kNumber) return unexpected(here(), "a number");
    if (type.back() != '(') type += ',';
    type += word ? lower_case(take().text) : without_underscores(take().text);
  } while (take_symbol(","));
  PRESSO_TRY(close(open, "',' or ')' in the type"));
  return type + ')';
}

/// INTERVAL '3' DAY, INTERVAL 3 DAY or INTERVAL '3 days'.
Result<Node> Parser::interval() {
  Node node = begin_node(Kind::kInterval, take().offset);
  const Token& token = take();
  const bool string = token.kind == TokenKind::kString;
  const std::optional<Amount> amount =
      amount_of(string ? unquoted(token.text) : without_underscores(token.text));
  if (string && (!amount || (!amount->unit.empty() && unit_of(amount->unit).empty())) &&
      has_several_amounts(token.text)) {
    node->tree.text = unquoted(token.text);
    return finish(std::move(node));
  }
  if (!amount || (!string && !amount->unit.empty())) {
    return error_at(token.offset, "an INTERVAL begins with a whole number: INTERVAL '3' DAY");
  }
  node->tree.text = amount->number;
  if (!amount->unit.empty()) {
    node->tree.type = unit_of(amount->unit);
    if (!node->tree.type.empty()) return finish(std::move(node));
    return error_at(token.offset, "an INTERVAL has no such unit: INTERVAL '3 days'");
  }
  if (here().kind == TokenKind::kWord) node->tree.type = unit_of(here().text);
  if (node->tree.type.empty()) return unexpected(here(), "a unit of time, such as DAY or MONTH");
  take();
  // TPC-H writes INTERVAL '90' DAY (3), the most digits of the number; it changes nothing.
  const bool digits = here().is_symbol("(") && ahead().kind == TokenKind::kNumber;
  if (digits && ahead(2).is_symbol(")")) at_ += 3;
  return finish(std::move(node));
}

/// INTERVAL (x) DAY becomes the call to_days(x).
Result<Node> Parser::computed_interval() {
  Node node = begin_node(Kind::kFunction, take().offset);
  const std::size_t open = take().offset;
  PRESSO_ASSIGN(Node amount, expression());
  PRESSO_TRY(close(open, "an operator or ')'"));
  const std::string unit = here().kind == TokenKind::kWord ? unit_of(here().text) : std::string();
  if (unit.empty()) return unexpected(here(), "a unit of time, such as DAY or MONTH");
  take();
  node->tree.text = "to_" + unit + "s";
  adopt(node, std::move(amount));
  return finish(std::move(node));
}

/// The arguments become condition, value, ..., and the value of ELSE last, if given.
Result<Node> Parser::case_of() {
  Node node = begin_node(Kind::kCase, take().offset);
  Node subject;
  if (!here().is_word("when")) {
    PRESSO_ASSIGN(subject, expression());
  }
  if (!here().is_word("when")) return unexpected(here(), "WHEN");
  while (take_word("when")) {
    Result<Node> condition = expression();
    if (condition.ok() && subject) {
      condition = equality(subject->tree, subject->depth, std::move(*condition));
    }
    if (!condition.ok()) return condition;
    adopt(node, std::move(*condition));
    if (!take_word("then")) return unexpected(here(), "THEN");
    Result<Node> value = expression();
    if (!value.ok()) return value;
    adopt(node, std::move(*value));
  }
  if (take_word("else")) {
    Result<Node> value = expression();
    if (!value.ok()) return value;
    adopt(node, std::move(*value));
  }
  if (done()) return error_at(node->begin, "the CASE here has no END");
  if (!take_word("end")) return unexpected(here(), "an operator, WHEN, ELSE or END");
  return finish(std::move(node));
}

/// The comparison of `CASE subject WHEN value`. Its place is that of the value, where errors are
/// more useful.
Result<Node> Parser::equality(const Expression& subject, std::size_t depth, Node value) {
  copied_bytes_ += bytes_of(subject);
  if (copied_bytes_ > kMaxCopiedBytes) {
    return error_at(subject.offset, "too long to be compared in so many WHENs");
  }
  Node node = begin_node(Kind::kOperator, value->begin);
  node->tree.op = Op::kEqual;
  node->tree.arguments.push_back(subject);
  node->depth = depth + 1;
  adopt(node, std::move(value));
  return finish(std::move(node));
}

}  // namespace presso::expression_detail
