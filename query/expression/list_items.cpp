// SPDX-License-Identifier: MIT
// Implements list_items.h: parses the items of SELECT, GROUP BY and ORDER BY lists. A result
// without a name is called like its column or field, or else by its text as it was written.
#include "query/expression/list_items.h"

namespace presso::expression_detail {
namespace {

using Kind = Expression::Kind;

/// Whether a token can be a result's name without AS.
bool may_be_name(const Token& token) {
  return token.kind == Token::Kind::kQuoted ||
         (token.kind == Token::Kind::kWord && !token.reserved);
}

/// Returns the name after an expression; empty if there is none. After AS even reserved words are
/// names.
Result<std::string> result_name(Parser& parser) {
  const bool as = parser.take_word("as");
  const Token& token = parser.here();
  if (as && token.kind != Token::Kind::kQuoted && token.kind != Token::Kind::kWord) {
    return unexpected(token, "a name after AS");
  }
  if (!as && !may_be_name(token)) return std::string();
  return name_of(parser.take());
}

/// A star whose text began at `begin`.
NamedExpression star_since(const Parser& parser, std::size_t begin) {
  NamedExpression star{{}, "*"};
  star.expression.kind = Kind::kStar;
  star.expression.offset = begin;
  star.expression.length = parser.end_of_last() - begin;
  return star;
}

/// EXCLUDE (names) or a name, REPLACE (expression AS name, ...) and RENAME (name AS name, ...),
/// which become arguments.
Result<NamedExpression> changed_star(Parser& parser, NamedExpression star) {
  std::vector<Expression>& changes = star.expression.arguments;
  if (parser.grammar() == Grammar::kStatement && parser.take_word("exclude")) {
    const std::size_t open = parser.here().offset;
    const bool list = parser.take_symbol("(");
    do {
      PRESSO_ASSIGN(Node column, parser.expression(Power::kValue));
      if (column->tree.kind != Kind::kColumn) return error_at(column->begin, "expected a column");
      changes.push_back(std::move(column->tree));
    } while (list && parser.take_symbol(","));
    if (list) PRESSO_TRY(parser.close(open, "',' or ')' in EXCLUDE"));
  }
  const bool renames = parser.here().is_word("rename");
  const bool changes_more = renames || parser.here().is_word("replace");
  if (parser.grammar() != Grammar::kStatement || !changes_more || !parser.ahead().is_symbol("(")) {
    return star;
  }
  parser.take();
  const std::size_t open = parser.take().offset;
  do {
    PRESSO_ASSIGN(Node value, parser.expression());
    if (!parser.take_word("as")) return unexpected(parser.here(), "AS and a column's name");
    PRESSO_ASSIGN(Node column, parser.expression(Power::kValue));
    if (column->tree.kind != Kind::kColumn) return error_at(column->begin, "expected a column");
    // RENAME has the column first, REPLACE has its value first.
    if (renames) std::swap(column->tree, value->tree);
    changes.push_back(operation(renames ? Expression::Op::kConcat : Expression::Op::kEqual,
                                {std::move(column->tree), std::move(value->tree)}));
  } while (parser.take_symbol(","));
  PRESSO_TRY(parser.close(open, renames ? "',' or ')' in RENAME" : "',' or ')' in REPLACE"));
  return star;
}

/// In an expression alone `*` must be a whole item; otherwise it is a multiplication without a left
/// side, which gets a better error from the expression parser.
bool is_star(const Parser& parser) {
  const Token& after = parser.ahead();
  return parser.here().is_symbol("*") && (parser.grammar() == Grammar::kStatement ||
                                          after.is_symbol(",") || after.kind == Token::Kind::kEnd);
}

/// Whether `name.*` follows.
bool is_qualified_star(const Parser& parser) {
  return may_be_name(parser.here()) && parser.ahead().is_symbol(".") &&
         parser.ahead(2).is_symbol("*");
}

}  // namespace

/// The text of the name keeps the user's case and spelling. A field `a.b.c` is called `c`.
Result<NamedExpression> unnamed_expression(Parser& parser) {
  const std::size_t first = parser.taken();
  PRESSO_ASSIGN(Node parsed, parser.expression());
  const Expression& tree = parsed->tree;
  const bool is_field = is_step_into(tree) && tree.text == kFieldCall;
  std::string name = tree.kind == Kind::kColumn ? tree.text
                     : is_field                 ? tree.arguments[1].text
                                                : parser.written_since(first);
  return NamedExpression{std::move(parsed->tree), std::move(name)};
}

/// A star has no name of its own; binding replaces it by the columns.
Result<NamedExpression> named_expression(Parser& parser) {
  const std::size_t begin = parser.here().offset;
  if (is_star(parser)) {
    parser.take();
    return changed_star(parser, star_since(parser, begin));
  }
  if (is_qualified_star(parser)) {
    std::string qualifier = name_of(parser.take());
    parser.take();
    parser.take();
    NamedExpression star = star_since(parser, begin);
    star.expression.qualifier = std::move(qualifier);
    return changed_star(parser, std::move(star));
  }
  PRESSO_ASSIGN(NamedExpression item, unnamed_expression(parser));
  PRESSO_ASSIGN(std::string name, result_name(parser));
  if (!name.empty()) item.name = std::move(name);
  return item;
}

Result<SortExpression> sort_expression(Parser& parser) {
  PRESSO_ASSIGN(Node parsed, parser.expression());
  SortExpression result{std::move(parsed->tree), false, false};
  PRESSO_TRY(sort_direction(parser, result));
  return result;
}

/// NULLS LAST is the default for both directions, as in DuckDB.
Status sort_direction(Parser& parser, SortExpression& key) {
  key.descending = parser.take_word("desc");
  if (!key.descending) parser.take_word("asc");
  if (!parser.take_word("nulls")) return {};
  key.nulls_first = parser.take_word("first");
  if (!key.nulls_first && !parser.take_word("last")) {
    return unexpected(parser.here(), "FIRST or LAST after NULLS");
  }
  return {};
}

std::optional<std::size_t> position_of(const Expression& key) {
  const bool digits = key.kind == Kind::kNumber && key.text.size() <= 5 &&
                      key.text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits) return std::nullopt;
  return static_cast<std::size_t>(std::stoul(key.text));
}

}  // namespace presso::expression_detail
