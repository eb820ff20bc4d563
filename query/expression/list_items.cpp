// SPDX-License-Identifier: MIT
// A result that is given no name has that of its column, or its text as it is written.
#include "query/expression/list_items.h"

namespace presso::expression_detail {
namespace {

using Kind = Expression::Kind;

bool may_be_name(const Token& token) {
  return token.kind == Token::Kind::kQuoted ||
         (token.kind == Token::Kind::kWord && !token.reserved);
}

/// The name behind an expression; empty where there is none.
Result<std::string> result_name(Parser& parser) {
  const bool as = parser.take_word("as");
  const Token& token = parser.here();
  if (as && token.kind != Token::Kind::kQuoted && token.kind != Token::Kind::kWord) {
    return unexpected(token, "a name behind AS");
  }
  if (!as && !may_be_name(token)) return std::string();
  return name_of(parser.take());
}

NamedExpression star_since(const Parser& parser, std::size_t begin) {
  NamedExpression star{{}, "*"};
  star.expression.kind = Kind::kStar;
  star.expression.offset = begin;
  star.expression.length = parser.end_of_last() - begin;
  return star;
}

bool is_star(const Parser& parser) {
  const Token& after = parser.ahead();
  return parser.here().is_symbol("*") && (parser.grammar() == Grammar::kStatement ||
                                          after.is_symbol(",") || after.kind == Token::Kind::kEnd);
}

bool is_qualified_star(const Parser& parser) {
  return may_be_name(parser.here()) && parser.ahead().is_symbol(".") &&
         parser.ahead(2).is_symbol("*");
}

}  // namespace

Result<NamedExpression> unnamed_expression(Parser& parser) {
  const std::size_t first = parser.taken();
  PRESSO_ASSIGN(Node parsed, parser.expression());
  std::string name =
      parsed->tree.kind == Kind::kColumn ? parsed->tree.text : parser.written_since(first);
  return NamedExpression{std::move(parsed->tree), std::move(name)};
}

Result<NamedExpression> named_expression(Parser& parser) {
  const std::size_t begin = parser.here().offset;
  if (is_star(parser)) {
    parser.take();
    return star_since(parser, begin);
  }
  if (is_qualified_star(parser)) {
    std::string qualifier = name_of(parser.take());
    parser.take();
    parser.take();
    NamedExpression star = star_since(parser, begin);
    star.expression.qualifier = std::move(qualifier);
    return star;
  }
  PRESSO_ASSIGN(NamedExpression item, unnamed_expression(parser));
  PRESSO_ASSIGN(std::string name, result_name(parser));
  if (!name.empty()) item.name = std::move(name);
  return item;
}

Result<SortExpression> sort_expression(Parser& parser) {
  PRESSO_ASSIGN(Node parsed, parser.expression());
  SortExpression result{std::move(parsed->tree), false, false};
  result.descending = parser.take_word("desc");
  if (!result.descending) parser.take_word("asc");
  if (!parser.take_word("nulls")) return result;
  result.nulls_first = parser.take_word("first");
  if (!result.nulls_first && !parser.take_word("last")) {
    return unexpected(parser.here(), "FIRST or LAST behind NULLS");
  }
  return result;
}

}  // namespace presso::expression_detail
