// SPDX-License-Identifier: MIT
// Arbitrary bytes as an expression, as lists of them, and as a SELECT statement. A tree must lie
// within its text, be no deeper than promised, and be printed as text that parses to an equal
// tree; a statement must have what its struct promises; an error must lie within the text and be
// one line. Conditions are also taken apart for joins, of tables that are told by a name's first
// byte.
#include <string>

#include "presso/sql.h"
#include "query/bind/join_condition.h"
#include "tests/fuzz/fuzz_target.h"

namespace presso::fuzz {
namespace {

using Kind = Expression::Kind;

void check_error(std::string_view text, const Error& error) {
  PRESSO_FUZZ_CHECK(error.code == ErrorCode::kInvalidArgument);
  PRESSO_FUZZ_CHECK(error.byte_offset <= text.size());
  PRESSO_FUZZ_CHECK(!error.what.empty() && error.what.size() < 300);
  for (const char letter : error.what) PRESSO_FUZZ_CHECK(static_cast<std::uint8_t>(letter) >= ' ');
  PRESSO_FUZZ_CHECK(explain_expression_error(text, error).ends_with(error.what));
}

void check_places(std::string_view text, const Expression& tree, std::size_t depth) {
  PRESSO_FUZZ_CHECK(depth < kMaxExpressionDepth);
  PRESSO_FUZZ_CHECK(tree.length > 0 && tree.offset <= text.size());
  PRESSO_FUZZ_CHECK(tree.length <= text.size() - tree.offset);
  for (const Expression& argument : tree.arguments) check_places(text, argument, depth + 1);
}

void check_tree(std::string_view text, const Expression& tree) {
  check_places(text, tree, 0);
  if (tree.kind == Kind::kStar) return;
  const Result<Expression> again = parse_expression(to_text(tree));
  PRESSO_FUZZ_CHECK(again.ok() && *again == tree);
}

void check_split(const Expression& condition) {
  const query::SourceOf source_of = [](const Expression& column) -> Result<std::size_t> {
    return static_cast<std::uint8_t>(column.text.front()) % kMaxSqlSources;
  };
  const Result<query::JoinCondition> parts = query::split_condition(condition, source_of);
  PRESSO_FUZZ_CHECK(parts.ok());
  for (const query::JoinEquality& each : parts->equalities) {
    PRESSO_FUZZ_CHECK(each.left_sources != 0 && each.right_sources != 0);
    PRESSO_FUZZ_CHECK((each.left_sources & each.right_sources) == 0);
    PRESSO_FUZZ_CHECK(*query::sources_of(each.left, source_of) == each.left_sources);
  }
  for (const query::SourceCondition& each : parts->single) {
    PRESSO_FUZZ_CHECK(*query::sources_of(each.condition, source_of) ==
                      query::source_set(each.source));
  }
  for (const query::RestCondition& each : parts->rest) {
    PRESSO_FUZZ_CHECK(*query::sources_of(each.condition, source_of) == each.sources);
  }
}

void check_condition(std::string_view text, const std::optional<Expression>& condition) {
  if (!condition) return;
  check_tree(text, *condition);
  check_split(*condition);
}

void check_source(std::string_view text, const SqlSource& source) {
  PRESSO_FUZZ_CHECK(!source.path.empty() && source.length > 0);
  PRESSO_FUZZ_CHECK(source.offset <= text.size());
  PRESSO_FUZZ_CHECK(source.length <= text.size() - source.offset);
}

void check_join(std::string_view text, const SqlJoin& join) {
  check_source(text, join.source);
  check_condition(text, join.on);
  PRESSO_FUZZ_CHECK(join.offset < join.source.offset);
  const int conditions = (join.on ? 1 : 0) + (join.using_columns.empty() ? 0 : 1);
  PRESSO_FUZZ_CHECK(conditions == (join.kind == SqlJoin::Kind::kComma ? 0 : 1));
  for (const Expression& column : join.using_columns) check_tree(text, column);
}

template <class Items>
void check_items(std::string_view text, const Items& items) {
  for (const auto& item : items) check_tree(text, item.expression);
}

void check_query(std::string_view text, const SqlQuery& query) {
  PRESSO_FUZZ_CHECK(!query.select.empty());
  PRESSO_FUZZ_CHECK(query.joins.size() < kMaxSqlSources);
  check_items(text, query.select);
  for (const NamedExpression& item : query.select) PRESSO_FUZZ_CHECK(!item.name.empty());
  check_source(text, query.from);
  for (const SqlJoin& join : query.joins) check_join(text, join);
  check_condition(text, query.where);
  check_items(text, query.group_by);
  check_condition(text, query.having);
  check_items(text, query.order_by);
}

void fuzz_expression(std::string_view text) {
  const Result<Expression> parsed = parse_expression(text);
  if (parsed.ok()) {
    check_condition(text, *parsed);
  } else {
    check_error(text, parsed.error());
  }
  const auto named = parse_expressions(text);
  if (named.ok()) check_items(text, *named);
  if (!named.ok()) check_error(text, named.error());
  const auto sorted = parse_sort_expressions(text);
  if (sorted.ok()) check_items(text, *sorted);
  if (!sorted.ok()) check_error(text, sorted.error());
  const Result<SqlQuery> query = parse_sql(text);
  if (query.ok()) check_query(text, *query);
  if (!query.ok()) check_error(text, query.error());
}

}  // namespace
}  // namespace presso::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  presso::fuzz::fuzz_expression(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
