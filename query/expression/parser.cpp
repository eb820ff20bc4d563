// SPDX-License-Identifier: MIT
// Operators that follow an operand. expression() reads an operand (prefix(), in parser_values.cpp);
// then, as long as the next operator binds strongly enough, it makes what it has the left operand
// of that operator.
#include "query/expression/parser.h"

#include <algorithm>

#include "query/expression/refused.h"
#include "query/expression/statement.h"
#include "scan/syntax/cursor.h"

namespace presso::expression_detail {
namespace {

using Kind = Expression::Kind;
using Op = Expression::Op;

/// One level of a tree takes two calls of expression() if its text has parentheses.
constexpr std::size_t kMaxCalls = 2 * kMaxExpressionDepth + 2;

/// The advice helps: a + b + c + ... of 500 terms is 500 levels deep, as + associates to the left.
Error too_deep(std::size_t offset) {
  return error_at(offset, "more than " + std::to_string(kMaxExpressionDepth) +
                              " levels deep; parentheses around parts of a long sum make it "
                              "less deep");
}

}  // namespace

/// Spelling, operator and power. `not` stands for NOT IN, NOT LIKE and so on; `!~` is negated
/// MATCHES.
const Parser::Infix Parser::kInfixes[] = {
    {"or", Op::kOr, Power::kOr},
    {"and", Op::kAnd, Power::kAnd},
    {"is", Op::kIsNull, Power::kIs},
    {"=", Op::kEqual, Power::kComparison},
    {"==", Op::kEqual, Power::kComparison},
    {"<>", Op::kNotEqual, Power::kComparison},
    {"!=", Op::kNotEqual, Power::kComparison},
    {"<", Op::kLess, Power::kComparison},
    {"<=", Op::kLessEqual, Power::kComparison},
    {">", Op::kGreater, Power::kComparison},
    {">=", Op::kGreaterEqual, Power::kComparison},
    {"not", Op::kNot, Power::kTest},
    {"between", Op::kBetween, Power::kTest},
    {"in", Op::kIn, Power::kTest},
    {"like", Op::kLike, Power::kTest},
    {"ilike", Op::kIlike, Power::kTest},
    {"matches", Op::kMatches, Power::kTest},
    {"similar", Op::kMatches, Power::kTest},
    {"glob", Op::kMatches, Power::kTest},
    {"~~", Op::kLike, Power::kTest},
    {"~~*", Op::kIlike, Power::kTest},
    {"!~~", Op::kLike, Power::kTest, true},
    {"!~~*", Op::kIlike, Power::kTest, true},
    {"~", Op::kMatches, Power::kTest},
    {"!~", Op::kMatches, Power::kTest, true},
    {"||", Op::kConcat, Power::kConcat},
    {"->", Op::kNone, Power::kConcat},
    {"->>", Op::kNone, Power::kConcat},
    {"+", Op::kAdd, Power::kAdd},
    {"-", Op::kSubtract, Power::kAdd},
    {"*", Op::kMultiply, Power::kMultiply},
    {"/", Op::kDivide, Power::kMultiply},
    {"//", Op::kIntegerDivide, Power::kMultiply},
    {"%", Op::kModulo, Power::kMultiply},
    {"^", Op::kNone, Power::kPower},
    {"**", Op::kNone, Power::kPower},
    {"::", Op::kNone, Power::kCast},
    {"at", Op::kNone, Power::kCast},
};

const Token& Parser::ahead(std::size_t tokens) const {
  return tokens_[std::min(at_ + tokens, tokens_.size() - 1)];
}

/// A kEnd with text is not the end but something that is no token.
bool Parser::done() const {
  return here().kind == Token::Kind::kEnd && here().text.empty();
}

/// The last token, kEnd, is never passed, so that here() always exists.
const Token& Parser::take() {
  const Token& token = tokens_[at_];
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

/// Words are compared without regard to case.
bool Parser::take_word(std::string_view word) {
  if (!here().is_word(word)) return false;
  take();
  return true;
}

bool Parser::take_symbol(std::string_view symbol) {
  if (!here().is_symbol(symbol)) return false;
  take();
  return true;
}

/// White space and comments between two tokens become one space.
std::string Parser::written_since(std::size_t first) const {
  std::string result;
  for (std::size_t i = first; i < at_; ++i) {
    if (i != first && tokens_[i].offset != tokens_[i - 1].end()) result += ' ';
    result += tokens_[i].text;
  }
  return result;
}

/// Tokens up to `offset` are dropped; new ones are made only if `offset` lies within a token.
void Parser::continue_at(std::size_t offset) {
  std::size_t last_end = offset;
  while (at_ + 1 < tokens_.size() && here().offset < offset) last_end = take().end();
  if (last_end <= offset && here().offset >= offset) return;
  tokens_.resize(at_);
  for (Token& token : tokens_of(text_.substr(offset), grammar_)) {
    token.offset += offset;
    tokens_.push_back(token);
  }
}

/// A surplus ')' is the usual cause and gets its own message.
Error Parser::no_operator(std::string_view expected) const {
  if (here().is_symbol(")")) return error_at(here().offset, "this ')' closes nothing");
  return unexpected(here(), expected);
}

Node Parser::begin_node(Kind kind, std::size_t begin) {
  Node node = std::make_unique<Parsed>();
  node->tree.kind = kind;
  node->begin = begin;
  return node;
}

/// The node begins where its left operand does.
Node Parser::begin_operator(Op op, bool negated, Node left) {
  Node node = begin_node(Kind::kOperator, left->begin);
  node->tree.op = op;
  node->tree.negated = negated;
  adopt(node, std::move(left));
  return node;
}

/// The depth of a tree is one more than that of its deepest child.
void Parser::adopt(Node& node, Node child) {
  node->tree.arguments.push_back(std::move(child->tree));
  node->depth = std::max(node->depth, child->depth + 1);
}

/// Checked for every node, so that no tree is ever built that is too deep to walk over.
Result<Node> Parser::finish(Node node) const {
  if (node->depth > kMaxExpressionDepth) return too_deep(node->begin);
  node->end = end_of_last();
  node->tree.offset = node->begin;
  node->tree.length = node->end - node->begin;
  return node;
}

/// The table is short and searched from the front.
const Parser::Infix* Parser::infix_here() const {
  const Token& token = here();
  if (token.is_word("at") && !(ahead().is_word("time") && ahead(2).is_word("zone"))) return nullptr;
  const bool is_name = (token.is_word("similar") && !ahead().is_word("to")) ||
                       (token.is_word("glob") && ahead().kind != Token::Kind::kString);
  for (const Infix& infix : kInfixes) {
    if (token.is_symbol(infix.spelling) || (token.is_word(infix.spelling) && !is_name)) {
      return &infix;
    }
  }
  return nullptr;
}

/// Which operator may follow which one without parentheses: comparisons and tests do not chain, and
/// a condition cannot be an operand of + or ||. Most such texts are mistakes, so SQL's silent
/// interpretations are refused.
Status Parser::may_follow(Power before, Power power) const {
  if (before == power && power == Power::kComparison) {
    return error_at(here().offset,
                    "comparisons do not chain; write a < b AND b < c, or set parentheses");
  }
  if (before == power && power == Power::kTest) {
    return error_at(here().offset,
                    "such conditions do not chain; join them with AND, or set parentheses");
  }
  if (before <= Power::kTest && power >= Power::kConcat) {
    return error_at(here().offset, scan_detail::quoted(here().text) +
                                       " cannot follow a condition; set parentheses");
  }
  return {};
}

/// `least` is the power of the operator on whose right side this expression stands, or the next one
/// above it.
Result<Node> Parser::expression(Power least) {
  if (calls_ == kMaxCalls) return too_deep(here().offset);
  ++calls_;
  Result<Node> left = prefix(least);
  const Infix* before = nullptr;
  while (left.ok()) {
    const Infix* operation = infix_here();
    if (operation == nullptr || operation->power < least) break;
    if (before != nullptr) PRESSO_TRY(may_follow(before->power, operation->power));
    left = infix(*operation, std::move(*left), before == operation);
    before = operation;
  }
  --calls_;
  return left;
}

/// `same_as_before`: the operator before was the same, at this level and without parentheses.
Result<Node> Parser::infix(const Infix& operation, Node left, bool same_as_before) {
  take();
  switch (operation.op) {
    case Op::kNone:
      if (operation.power == Power::kConcat) return arrow(operation, std::move(left));
      if (operation.power == Power::kPower) return power(std::move(left));
      if (operation.spelling == "at") return at_time_zone(std::move(left));
      return double_colon(std::move(left));
    case Op::kOr:
    case Op::kAnd:
      return junction(operation, std::move(left), same_as_before);
    case Op::kIsNull:
      return is(std::move(left));
    case Op::kNot:
      return negated_test(std::move(left));
    case Op::kBetween:
    case Op::kIn:
    case Op::kLike:
    case Op::kIlike:
    case Op::kMatches:
      return test(operation.op, operation.negated, std::move(left));
    default:
      return binary(operation, std::move(left));
  }
}

/// AND and OR: the operands of `a OR b OR c` go into one node; an OR in parentheses stays a node of
/// its own.
Result<Node> Parser::junction(const Infix& operation, Node left, bool same_as_before) {
  Result<Node> right = expression(above(operation.power));
  if (!right.ok()) return right;
  Node node =
      same_as_before ? std::move(left) : begin_operator(operation.op, false, std::move(left));
  adopt(node, std::move(*right));
  return finish(std::move(node));
}

/// Arithmetic, comparisons and `||`, which associate to the left.
Result<Node> Parser::binary(const Infix& operation, Node left) {
  const bool is_set = here().is_word("any") || here().is_word("some") || here().is_word("all");
  if (is_set && grammar_ == Grammar::kStatement && ahead().is_symbol("(") &&
      Statement::begins_with(ahead(2))) {
    return among(operation, std::move(left));
  }
  if (is_set && !here().is_word("all") && operation.op == Op::kEqual && ahead().is_symbol("(")) {
    // x = ANY (list) asks whether the list contains x.
    take();
    const std::size_t open = take().offset;
    Node node = begin_node(Kind::kFunction, left->begin);
    node->tree.text = "list_contains";
    PRESSO_ASSIGN(Node list, expression());
    PRESSO_TRY(close(open, "an operator or ')'"));
    adopt(node, std::move(list));
    adopt(node, std::move(left));
    return finish(std::move(node));
  }
  Result<Node> right = expression(above(operation.power));
  if (!right.ok()) return right;
  Node node = begin_operator(operation.op, false, std::move(left));
  adopt(node, std::move(*right));
  return finish(std::move(node));
}

/// EXISTS of a row of `inner` for which a comparison of its only column, ##value, is true.
static Expression exists_where(const std::shared_ptr<const SqlStatement>& inner,
                               Expression compared, bool negated) {
  SqlStatement outer;
  outer.select.select.push_back({presso::number(1), "1"});
  outer.select.from.statement = inner;
  outer.select.from.alias = "##values";
  outer.select.from.columns = {"##value"};
  outer.select.where = std::move(compared);
  Expression exists;
  exists.kind = Kind::kSubquery;
  exists.op = Op::kExists;
  exists.negated = negated;
  exists.statement = std::make_shared<const SqlStatement>(std::move(outer));
  return exists;
}

/// `x = ANY (SELECT ...)` is IN, and `x <> ALL (SELECT ...)` is NOT IN. The others are CASE: true
/// if the comparison is true for one row, or for ALL, for each; else, if there is a row for which
/// ALL knows that it is false or ANY does not know, false or null; else the other one of these.
Result<Node> Parser::among(const Infix& operation, Node left) {
  const bool all = take().is_word("all");
  if (operation.op == (all ? Op::kNotEqual : Op::kEqual)) {
    return subquery(Op::kIn, begin_operator(Op::kIn, all, std::move(left)));
  }
  const std::size_t begin = left->begin;
  PRESSO_ASSIGN(const auto inner, statement_in_parentheses());
  const auto truth = [](const char* text) {
    Expression value;
    value.kind = Kind::kBool;
    value.text = text;
    return value;
  };
  const Expression compared =
      presso::operation(operation.op, {std::move(left->tree), presso::column("##value")});
  Expression is_false = presso::operation(Op::kIsDistinct, {compared, truth("false")});
  is_false.negated = true;
  Node node = begin_node(Kind::kCase, begin);
  std::vector<Expression>& parts = node->tree.arguments;
  if (all) {
    Expression not_true = presso::operation(Op::kIsDistinct, {compared, truth("true")});
    parts = {exists_where(inner, std::move(not_true), true), truth("true"),
             exists_where(inner, std::move(is_false), false), truth("false"), Expression()};
  } else {
    Expression unknown = presso::operation(Op::kIsNull, {compared});
    parts = {exists_where(inner, compared, false), truth("true"),
             exists_where(inner, std::move(unknown), false), Expression(), truth("false")};
  }
  return finish(std::move(node));
}

/// `a ^ b` and `a ** b` are power(a, b).
Result<Node> Parser::power(Node left) {
  PRESSO_ASSIGN(Node right, expression(above(Power::kPower)));
  Node node = begin_node(Kind::kFunction, left->begin);
  node->tree.text = "power";
  adopt(node, std::move(left));
  adopt(node, std::move(right));
  return finish(std::move(node));
}

/// After `x NOT`, only the tests can follow.
Result<Node> Parser::negated_test(Node left) {
  for (const Infix& infix : kInfixes) {
    if (infix.power == Power::kTest && infix.op != Op::kNot && here().is_word(infix.spelling)) {
      take();
      return test(infix.op, true, std::move(left));
    }
  }
  return unexpected(here(), "IN, BETWEEN, LIKE, ILIKE or MATCHES after NOT");
}

/// The operator's word has been taken.
Result<Node> Parser::test(Op op, bool negated, Node left) {
  Node node = begin_operator(op, negated, std::move(left));
  if (op == Op::kBetween) return between(std::move(node));
  if (op == Op::kIn) return in(std::move(node));
  if (op == Op::kMatches && (last().is_word("glob") || last().is_word("similar"))) {
    const std::string_view word = last().is_word("glob") ? "GLOB" : "SIMILAR TO";
    if (word != "GLOB") take();
    return whole_pattern(std::move(node), word);
  }
  return pattern(std::move(node));
}

/// The bounds bind more strongly than AND, so that the AND of BETWEEN is found.
Result<Node> Parser::between(Node node) {
  Result<Node> low = expression(above(Power::kTest));
  if (!low.ok()) return low;
  if (!take_word("and")) return unexpected(here(), "AND and the upper bound of BETWEEN");
  Result<Node> high = expression(above(Power::kTest));
  if (!high.ok()) return high;
  adopt(node, std::move(*low));
  adopt(node, std::move(*high));
  return finish(std::move(node));
}

/// At least one member; members are expressions of any kind. Or a statement.
Result<Node> Parser::in(Node node) {
  const std::size_t open = here().offset;
  if (begins_statement()) return subquery(Op::kIn, std::move(node));
  const bool is_list = grammar_ == Grammar::kStatement && take_symbol("[");
  if (!is_list && !take_symbol("(")) return unexpected(here(), "a list in parentheses after IN");
  do {
    Result<Node> member = expression();
    if (!member.ok()) return member;
    adopt(node, std::move(*member));
  } while (take_symbol(","));
  if (!is_list) PRESSO_TRY(close(open, "',' or ')' in the list of IN"));
  if (is_list && !take_symbol("]")) return unexpected(here(), "',' or ']' in the list of IN");
  return finish(std::move(node));
}

/// The regular expression that a pattern of GLOB means: `*` is any text, `?` a character, `[a-z]`
/// and `[!a-z]` one of a set.
static std::string regex_of_glob(std::string_view glob) {
  std::string regex;
  for (std::size_t i = 0; i < glob.size(); ++i) {
    const char letter = glob[i];
    const std::size_t close = letter == '[' ? glob.find(']', i + 2) : glob.npos;
    if (close != glob.npos) {
      regex += '[';
      for (std::size_t j = i + 1; j < close; ++j) {
        const bool negates = j == i + 1 && glob[j] == '!';
        if (glob[j] == '[' || glob[j] == '\\') regex += '\\';
        regex += negates ? '^' : glob[j];
      }
      regex += ']';
      i = close;
    } else if (letter == '*' || letter == '?') {
      regex += letter == '*' ? ".*" : ".";
    } else {
      if (std::string_view("\\.+()|[]{}^$").find(letter) != std::string_view::npos) regex += '\\';
      regex += letter;
    }
  }
  return regex;
}

/// GLOB and SIMILAR TO, whose pattern is compared with the whole text.
Result<Node> Parser::whole_pattern(Node node, std::string_view word) {
  const Token& pattern = here();
  if (pattern.kind != Token::Kind::kString) {
    return unexpected(pattern, "a string after " + std::string(word));
  }
  std::string text = unquoted(take().text);
  if (word == "GLOB") text = regex_of_glob(text);
  PRESSO_ASSIGN(Node regex, literal(Kind::kString, "(?s)\\A(?:" + text + ")\\z"));
  adopt(node, std::move(regex));
  return finish(std::move(node));
}

/// The right side of LIKE, ILIKE and MATCHES. It must be a literal, as patterns are compiled before
/// any row is read. A name in double quotes is the usual mistake and gets its own message.
Result<Node> Parser::pattern(Node node) {
  const Token first = here();
  Result<Node> pattern = expression(above(Power::kTest));
  const bool double_quotes = first.kind == Token::Kind::kQuoted;
  const bool is_text = double_quotes && quoted_patterns_ && pattern.ok();
  if (is_text && (*pattern)->tree.kind == Kind::kColumn && (*pattern)->tree.qualifier.empty()) {
    (*pattern)->tree.kind = Kind::kString;
  } else if (double_quotes)
    return error_at(first.offset, "strings stand in single quotes: 'a%', not \"a%\"");
  if (!pattern.ok()) return pattern;
  if ((*pattern)->tree.kind != Kind::kString) {
    return error_at((*pattern)->tree.offset, "a pattern must be a string in single quotes");
  }
  adopt(node, std::move(*pattern));
  if (node->tree.op == Op::kMatches || !take_word("escape")) return finish(std::move(node));
  if (here().kind != Token::Kind::kString) return unexpected(here(), "a string after ESCAPE");
  const Token& token = take();
  std::string escape = unquoted(token.text);
  if (escape.size() > 1 || escape > "\x7F")
    return error_at(token.offset, "ESCAPE takes a single ASCII character");
  if (escape.empty()) return finish(std::move(node));
  PRESSO_ASSIGN(Node character, literal(Kind::kString, std::move(escape)));
  adopt(node, std::move(character));
  return finish(std::move(node));
}

/// IS [NOT] NULL, UNKNOWN, TRUE, FALSE or DISTINCT FROM.
Result<Node> Parser::is(Node left) {
  const bool negated = take_word("not");
  const Token word = here();
  if (take_word("null") || take_word("unknown")) {
    return finish(begin_operator(Op::kIsNull, negated, std::move(left)));
  }
  if (take_word("true") || take_word("false")) return is_truth(std::move(left), negated, word);
  if (!take_word("distinct") || !take_word("from")) {
    return unexpected(here(), "NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM after IS");
  }
  Result<Node> right = expression(above(Power::kIs));
  if (!right.ok()) return right;
  Node node = begin_operator(Op::kIsDistinct, negated, std::move(left));
  adopt(node, std::move(*right));
  return finish(std::move(node));
}

/// `x IS TRUE` becomes `x IS NOT DISTINCT FROM TRUE`, which is never null.
Result<Node> Parser::is_truth(Node left, bool negated, const Token& word) {
  Node node = begin_operator(Op::kIsDistinct, !negated, std::move(left));
  Node truth = begin_node(Kind::kBool, word.offset);
  truth->tree.text = lower_case(word.text);
  truth->tree.offset = word.offset;
  truth->tree.length = word.text.size();
  adopt(node, std::move(truth));
  return finish(std::move(node));
}

/// `x -> path` and `x ->> path` are calls.
Result<Node> Parser::arrow(const Infix& operation, Node left) {
  Result<Node> path = expression(above(operation.power));
  if (!path.ok()) return path;
  Node node = begin_node(Kind::kFunction, left->begin);
  node->tree.text = operation.spelling == "->" ? "json_extract" : "json_extract_string";
  adopt(node, std::move(left));
  adopt(node, std::move(*path));
  return finish(std::move(node));
}

/// `x::type`, as PostgreSQL writes a cast.
Result<Node> Parser::double_colon(Node left) {
  PRESSO_ASSIGN(std::string name, type());
  Node node = begin_node(Kind::kCast, left->begin);
  node->tree.type = std::move(name);
  adopt(node, std::move(left));
  return finish(std::move(node));
}

/// x AT TIME ZONE 'zone' becomes the call timezone('zone', x); AT has been taken.
Result<Node> Parser::at_time_zone(Node left) {
  take();
  take();
  Node node = begin_node(Kind::kFunction, left->begin);
  node->tree.text = "timezone";
  PRESSO_ASSIGN(Node zone, expression(above(Power::kCast)));
  adopt(node, std::move(zone));
  adopt(node, std::move(left));
  return finish(std::move(node));
}

}  // namespace presso::expression_detail
