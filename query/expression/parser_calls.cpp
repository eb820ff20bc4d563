// SPDX-License-Identifier: MIT
// What only expressions of a statement have: statements in parentheses, parameters, and what may
// stand after a call: WITHIN GROUP, FILTER, IGNORE NULLS and OVER. All of it is replaced before an
// expression is bound (query/statement).
#include <algorithm>

#include "query/expression/list_items.h"
#include "query/expression/parser.h"
#include "query/expression/statement.h"

namespace presso::expression_detail {
namespace {

using Kind = Expression::Kind;
using Op = Expression::Op;
using TokenKind = Token::Kind;

/// Whether a token can be the name of a window.
bool is_name(const Token& token) {
  return token.kind == TokenKind::kQuoted || (token.kind == TokenKind::kWord && !token.reserved);
}

}  // namespace

/// Whether `( statement )` stands here. Further parentheses may stand around the statement.
bool Parser::begins_statement() const {
  if (grammar_ != Grammar::kStatement || !here().is_symbol("(")) return false;
  std::size_t tokens = 1;
  while (ahead(tokens).is_symbol("(")) ++tokens;
  return Statement::begins_with(ahead(tokens)) && tokens == 1;
}

Result<std::shared_ptr<const SqlStatement>> Parser::statement_in_parentheses() {
  const std::size_t open = take().offset;
  if (statements_ == kMaxStatementDepth) {
    return error_at(
        open, "more than " + std::to_string(kMaxStatementDepth) + " statements within each other");
  }
  ++statements_;
  auto parsed = Statement(*this).parse_nested();
  --statements_;
  if (!parsed.ok()) return parsed;
  PRESSO_TRY(close(open, "')' after the statement"));
  return parsed;
}

/// `node` has the left side of IN, if there is one; its place is already set.
Result<Node> Parser::subquery(Op op, Node node) {
  node->tree.kind = Kind::kSubquery;
  node->tree.op = op;
  PRESSO_ASSIGN(node->tree.statement, statement_in_parentheses());
  return finish(std::move(node));
}

Result<Node> Parser::exists() {
  Node node = begin_node(Kind::kSubquery, take().offset);
  if (!begins_statement()) return unexpected(ahead(), "a SELECT after EXISTS");
  return subquery(Op::kExists, std::move(node));
}

/// `?`, which are numbered from 1 on, `$1` or `$name`.
Result<Node> Parser::parameter() {
  const bool is_numbered = take().text == "?";
  const std::size_t begin = end_of_last() - 1;
  Node node = begin_node(Kind::kParameter, begin);
  if (is_numbered) {
    node->tree.text = std::to_string(++parameters_);
    return finish(std::move(node));
  }
  const Token& name = here();
  const bool is_text = name.kind == TokenKind::kNumber || name.kind == TokenKind::kWord;
  if (!is_text || name.offset != end_of_last()) return unexpected(name, "a parameter's name");
  node->tree.text = take().text;
  return finish(std::move(node));
}

namespace {

/// Calls that take functions of elements, written in either way.
constexpr std::string_view kTakesLambda[] = {
    "list_transform", "list_apply",  "array_transform", "array_apply", "apply",  "list_filter",
    "array_filter",   "list_reduce", "array_reduce",    "filter",      "reduce", "columns"};

/// Replaces the names of parameters in the body of a lambda, also where a name stands before a
/// field: `x.a`. Lambdas within it have replaced their own names already.
void set_parameters(Expression& tree, const std::vector<std::string>& names) {
  for (Expression& argument : tree.arguments) set_parameters(argument, names);
  if (tree.kind != Kind::kColumn) return;
  const std::string& name = tree.qualifier.empty() ? tree.text : tree.qualifier;
  const bool is_parameter = std::any_of(names.begin(), names.end(), [&](const std::string& each) {
    return lower_case(each) == lower_case(name);
  });
  if (!is_parameter) return;
  Expression parameter = call(std::string(kParameterCall), {string(lower_case(name))});
  if (!tree.qualifier.empty()) {
    parameter = call(std::string(kFieldCall), {std::move(parameter), string(tree.text)});
  }
  parameter.offset = tree.offset;
  parameter.length = tree.length;
  tree = std::move(parameter);
}

/// The call that stands for a function of elements.
Expression lambda_of(const std::vector<std::string>& names, Expression body) {
  set_parameters(body, names);
  Expression result = call(std::string(kLambdaCall), {});
  result.offset = body.offset;
  result.length = body.length;
  for (const std::string& name : names) result.arguments.push_back(string(lower_case(name)));
  result.arguments.push_back(std::move(body));
  return result;
}

}  // namespace

/// Whether `lambda x, y: ...` stands here or, in a call that takes one, `x -> ...` or
/// `(x, y) -> ...`.
bool Parser::begins_lambda(const Expression& call) const {
  if (here().is_word("lambda") && is_name(ahead())) {
    return ahead(2).is_symbol(",") || ahead(2).is_symbol(":");
  }
  const bool takes = std::find(std::begin(kTakesLambda), std::end(kTakesLambda), call.text) !=
                     std::end(kTakesLambda);
  if (!takes) return false;
  if (is_name(here())) return ahead().is_symbol("->");
  std::size_t at = 1;
  while (here().is_symbol("(") && is_name(ahead(at)) && ahead(at + 1).is_symbol(",")) at += 2;
  return here().is_symbol("(") && is_name(ahead(at)) && ahead(at + 1).is_symbol(")") &&
         ahead(at + 2).is_symbol("->");
}

/// A function of elements; begins_lambda() has seen it.
Result<Node> Parser::lambda() {
  Node node = begin_node(Kind::kFunction, here().offset);
  const bool has_word = here().is_word("lambda") && !ahead().is_symbol("->");
  if (has_word) take();
  const bool is_list = take_symbol("(");
  std::vector<std::string> names;
  do {
    if (!is_name(here())) return unexpected(here(), "a parameter's name");
    names.push_back(name_of(take()));
  } while (take_symbol(","));
  if (is_list) take();
  if (!take_symbol(has_word ? ":" : "->")) return unexpected(here(), "':' after the parameters");
  PRESSO_ASSIGN(Node body, expression());
  node->tree = lambda_of(names, std::move(body->tree));
  node->depth = body->depth + 1;
  return finish(std::move(node));
}

/// `[value for x in list if condition]` becomes list_transform(list_filter(list, ...), ...).
Result<Node> Parser::comprehension(Node value, std::size_t open) {
  take();
  if (!is_name(here())) return unexpected(here(), "a name after FOR");
  const std::vector<std::string> names = {name_of(take())};
  if (!take_word("in")) return unexpected(here(), "IN and a list");
  PRESSO_ASSIGN(Node list, expression());
  if (take_word("if")) {
    PRESSO_ASSIGN(Node condition, expression());
    Node filter = begin_node(Kind::kFunction, list->begin);
    filter->tree.text = "list_filter";
    adopt(filter, std::move(list));
    condition->tree = lambda_of(names, std::move(condition->tree));
    adopt(filter, std::move(condition));
    PRESSO_ASSIGN(list, finish(std::move(filter)));
  }
  if (!take_symbol("]")) return unexpected(here(), "an operator, IF or ']'");
  Node node = begin_node(Kind::kFunction, open);
  node->tree.text = "list_transform";
  adopt(node, std::move(list));
  value->tree = lambda_of(names, std::move(value->tree));
  adopt(node, std::move(value));
  return finish(std::move(node));
}

/// `[a, b]` becomes the call list_value(a, b).
Result<Node> Parser::list() {
  const std::size_t open = take().offset;
  Node node = begin_node(Kind::kFunction, open);
  node->tree.text = "list_value";
  while (!here().is_symbol("]")) {
    PRESSO_ASSIGN(Node next, expression());
    const bool is_first = node->tree.arguments.empty();
    if (is_first && here().is_word("for")) return comprehension(std::move(next), open);
    adopt(node, std::move(next));
    if (!take_symbol(",")) break;
  }
  if (!take_symbol("]")) return unexpected(here(), "',' or ']' in the list");
  return finish(std::move(node));
}

/// `details` has what stood within the parentheses of the call.
Status Parser::details(Node& call, CallDetails details) {
  if (here().is_word("within") && ahead().is_word("group")) PRESSO_TRY(within_group(details));
  if (here().is_word("filter") && ahead().is_symbol("(")) PRESSO_TRY(filter(details));
  // Without OVER it belongs to the call around: last_value(abs(x) IGNORE NULLS) OVER ().
  const bool of_nulls = here().is_word("ignore") || here().is_word("respect");
  if (of_nulls && ahead(2).is_word("over")) PRESSO_TRY(nulls_of(details));
  const bool is_over = here().is_word("over") && (ahead().is_symbol("(") || is_name(ahead()));
  if (is_over) {
    take();
    PRESSO_ASSIGN(details.over.emplace_back(), window());
  }
  const bool is_empty = details.filter.empty() && details.order.empty() && !details.ignores_nulls &&
                        details.over.empty();
  if (!is_empty) call->tree.details = std::make_shared<const CallDetails>(std::move(details));
  return {};
}

/// IGNORE NULLS or RESPECT NULLS.
Status Parser::nulls_of(CallDetails& details) {
  if (!ahead().is_word("nulls")) return {};
  details.ignores_nulls = take().is_word("ignore");
  take();
  return {};
}

/// WITHIN GROUP (ORDER BY x).
Status Parser::within_group(CallDetails& details) {
  take();
  take();
  const std::size_t open = here().offset;
  if (!take_symbol("(")) return unexpected(here(), "'(' after WITHIN GROUP");
  if (!here().is_word("order")) return unexpected(here(), "ORDER BY");
  PRESSO_ASSIGN(details.order, sort_keys());
  return close(open, "',' or ')' in WITHIN GROUP");
}

/// FILTER (WHERE condition); WHERE may be left out.
Status Parser::filter(CallDetails& details) {
  take();
  const std::size_t open = take().offset;
  take_word("where");
  PRESSO_ASSIGN(Node condition, expression());
  details.filter.push_back(std::move(condition->tree));
  return close(open, "an operator or ')' in FILTER");
}

/// ORDER BY and its keys.
Result<std::vector<SortExpression>> Parser::sort_keys() {
  std::vector<SortExpression> keys;
  take();
  if (!take_word("by")) return unexpected(here(), "BY after ORDER");
  do {
    PRESSO_ASSIGN(keys.emplace_back(), sort_expression(*this));
  } while (take_symbol(","));
  return keys;
}

Result<Window> Parser::window() {
  Window window;
  if (is_name(here())) {
    window.base = name_of(take());
    return window;
  }
  const std::size_t open = here().offset;
  if (!take_symbol("(")) return unexpected(here(), "a window's name or '('");
  const bool is_clause = here().is_word("partition") || here().is_word("rows") ||
                         here().is_word("range") || here().is_word("groups");
  if (is_name(here()) && !is_clause) window.base = name_of(take());
  if (here().is_word("partition")) {
    take();
    if (!take_word("by")) return unexpected(here(), "BY after PARTITION");
    do {
      PRESSO_ASSIGN(Node key, expression());
      window.partition.push_back(std::move(key->tree));
    } while (take_symbol(","));
  }
  if (here().is_word("order")) {
    PRESSO_ASSIGN(window.order, sort_keys());
  }
  PRESSO_TRY(frame(window));
  PRESSO_TRY(close(open, "PARTITION BY, ORDER BY, ROWS, RANGE, GROUPS or ')'"));
  return window;
}

/// ROWS, RANGE or GROUPS with one bound or two.
Status Parser::frame(Window& window) {
  WindowFrame frame;
  using Unit = WindowFrame::Unit;
  if (take_word("rows")) {
    frame.unit = Unit::kRows;
  } else if (take_word("groups")) {
    frame.unit = Unit::kGroups;
  } else if (!take_word("range")) {
    return {};
  }
  const bool two = take_word("between");
  PRESSO_ASSIGN(frame.begin, frame_bound(true));
  if (two) {
    if (!take_word("and")) return unexpected(here(), "AND and the end of the frame");
    PRESSO_ASSIGN(frame.end, frame_bound(false));
  }
  if (here().is_word("exclude")) PRESSO_TRY(exclude(frame));
  window.frame.push_back(std::move(frame));
  return {};
}

Result<FrameBound> Parser::frame_bound(bool is_begin) {
  using Bound = FrameBound::Kind;
  FrameBound bound;
  const std::size_t place = here().offset;
  if (here().is_word("current") && ahead().is_word("row")) {
    take();
    take();
    bound.kind = Bound::kCurrentRow;
    return bound;
  }
  const bool unbounded = take_word("unbounded");
  if (!unbounded) {
    PRESSO_ASSIGN(Node offset, expression(above(Power::kTest)));
    bound.offset = std::move(offset->tree);
  }
  if (take_word("preceding")) {
    bound.kind = unbounded ? Bound::kUnboundedPreceding : Bound::kPreceding;
  } else if (take_word("following")) {
    bound.kind = unbounded ? Bound::kUnboundedFollowing : Bound::kFollowing;
  } else {
    return unexpected(here(), "PRECEDING or FOLLOWING");
  }
  if (bound.kind == (is_begin ? Bound::kUnboundedFollowing : Bound::kUnboundedPreceding)) {
    return error_at(place, is_begin ? "a frame cannot begin with UNBOUNDED FOLLOWING"
                                    : "a frame cannot end with UNBOUNDED PRECEDING");
  }
  return bound;
}

/// EXCLUDE CURRENT ROW, GROUP, TIES or NO OTHERS.
Status Parser::exclude(WindowFrame& frame) {
  using Exclude = WindowFrame::Exclude;
  take();
  if (take_word("group")) {
    frame.exclude = Exclude::kGroup;
  } else if (take_word("ties")) {
    frame.exclude = Exclude::kTies;
  } else if (take_word("current") && take_word("row")) {
    frame.exclude = Exclude::kCurrentRow;
  } else if (!take_word("no") || !take_word("others")) {
    return unexpected(here(), "CURRENT ROW, GROUP, TIES or NO OTHERS after EXCLUDE");
  }
  return {};
}

}  // namespace presso::expression_detail
