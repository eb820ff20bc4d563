// SPDX-License-Identifier: MIT
// Whole statements: WITH, set operations, VALUES, and what is done with the answer. A single SELECT
// is read by sql.cpp.
#include <algorithm>

#include "query/expression/list_items.h"
#include "query/expression/refused.h"
#include "query/expression/statement.h"

namespace presso::expression_detail {
namespace {

using SetKind = SqlStatement::Kind;
using Purpose = SqlStatement::Purpose;

/// The statement where trees share it.
std::shared_ptr<const SqlStatement> shared(SqlStatement statement) {
  return std::make_shared<const SqlStatement>(std::move(statement));
}

}  // namespace

bool Statement::begins_with(const Token& token) {
  return token.is_word("select") || token.is_word("with") || token.is_word("values") ||
         token.is_word("from") || token.is_word("pivot") || token.is_word("unpivot");
}

Result<SqlStatement> Statement::parse_text() {
  const Token& first = parser_.here();
  Result<SqlStatement> parsed = [&]() -> Result<SqlStatement> {
    if (first.is_word("describe") || first.is_word("summarize")) return described();
    if (first.is_word("create")) return stored_table();
    if (first.is_word("copy")) return copied();
    return statement();
  }();
  if (!parsed.ok()) return parsed;
  PRESSO_TRY(end());
  return parsed;
}

Result<std::shared_ptr<const SqlStatement>> Statement::parse_nested() {
  PRESSO_ASSIGN(SqlStatement parsed, statement());
  if (!parser_.here().is_symbol(")")) return unexpected_here();
  return shared(std::move(parsed));
}

Result<SqlStatement> Statement::statement() {
  SqlStatement names;
  PRESSO_TRY(with(names));
  const bool in_parentheses = parser_.here().is_symbol("(");
  PRESSO_ASSIGN(SqlStatement result, set(false));
  if (!names.with.empty() && !result.with.empty()) {
    // A statement in parentheses with a WITH of its own becomes an operand.
    SqlStatement inner = std::move(result);
    result = select_of(shared(std::move(inner)));
  }
  if (!names.with.empty()) {
    result.with = std::move(names.with);
    result.recursive = names.recursive;
  }
  const bool sorted = parser_.here().is_word("order") || parser_.here().is_word("limit") ||
                      parser_.here().is_word("offset");
  if (sorted && in_parentheses && result.kind == SetKind::kSelect) {
    // The parentheses may have had an order and a limit of their own.
    SqlStatement inner = std::move(result);
    result = select_of(nullptr);
    result.with = std::move(inner.with);
    result.recursive = inner.recursive;
    inner.with.clear();
    result.select.from.statement = shared(std::move(inner));
  }
  PRESSO_TRY(order_and_limits(result));
  return result;
}

/// SELECT * FROM (statement).
SqlStatement Statement::select_of(std::shared_ptr<const SqlStatement> inner) {
  SqlStatement result;
  result.select.select.push_back({{}, "*"});
  result.select.select[0].expression.kind = Expression::Kind::kStar;
  result.select.from.statement = std::move(inner);
  return result;
}

Status Statement::with(SqlStatement& statement) {
  if (!parser_.take_word("with")) return {};
  statement.recursive = parser_.take_word("recursive");
  do {
    PRESSO_ASSIGN(SqlCommonTable table, common_table());
    statement.with.push_back(std::move(table));
  } while (parser_.take_symbol(","));
  return {};
}

Result<SqlCommonTable> Statement::common_table() {
  SqlCommonTable table;
  const Token& name = parser_.here();
  const bool word = name.kind == Token::Kind::kWord && !name.reserved;
  if (!word && name.kind != Token::Kind::kQuoted) return unexpected(name, "a name after WITH");
  table.offset = name.offset;
  table.name = name_of(parser_.take());
  if (parser_.here().is_symbol("(")) {
    PRESSO_ASSIGN(table.columns, name_list());
  }
  if (!parser_.take_word("as")) return unexpected(parser_.here(), "AS and a statement");
  parser_.take_word("not");
  parser_.take_word("materialized");
  if (!parser_.here().is_symbol("(")) return unexpected(parser_.here(), "a statement in '('");
  PRESSO_ASSIGN(table.statement, parser_.statement_in_parentheses());
  return table;
}

/// UNION and EXCEPT from left to right; INTERSECT binds more strongly.
Result<SqlStatement> Statement::set(bool of_intersect) {
  PRESSO_ASSIGN(SqlStatement left, of_intersect ? operand() : set(true));
  while (true) {
    if (of_intersect && parser_.take_word("intersect")) {
      PRESSO_ASSIGN(left, combined(std::move(left), SetKind::kIntersect));
    } else if (!of_intersect && parser_.take_word("union")) {
      PRESSO_ASSIGN(left, combined(std::move(left), SetKind::kUnion));
    } else if (!of_intersect && parser_.take_word("except")) {
      PRESSO_ASSIGN(left, combined(std::move(left), SetKind::kExcept));
    } else {
      return left;
    }
  }
}

/// The word of the operation has been taken.
Result<SqlStatement> Statement::combined(SqlStatement left, SetKind kind) {
  SqlStatement result;
  result.kind = kind;
  result.offset = left.offset;
  result.all = parser_.take_word("all");
  if (!result.all) parser_.take_word("distinct");
  if (parser_.here().is_word("by") && parser_.ahead().is_word("name")) {
    if (kind != SetKind::kUnion) return error_at(parser_.here().offset, "BY NAME goes with UNION");
    parser_.take();
    parser_.take();
    result.by_name = true;
  }
  PRESSO_ASSIGN(SqlStatement right, kind == SetKind::kIntersect ? operand() : set(true));
  result.left = shared(std::move(left));
  result.right = shared(std::move(right));
  return result;
}

Result<SqlStatement> Statement::operand() {
  if (parser_.here().is_word("values")) return values();
  if (parser_.here().is_word("pivot")) return pivot();
  if (parser_.here().is_word("unpivot")) return unpivot();
  if (!parser_.here().is_symbol("(")) {
    if (auto refused = refused_statement(parser_.here())) return *std::move(refused);
    PRESSO_ASSIGN(SqlStatement result, select());
    if (!ends_select()) return unexpected_here();
    return result;
  }
  PRESSO_ASSIGN(const auto inner, parser_.statement_in_parentheses());
  part_ = Part::kOffset;
  return *inner;
}

/// VALUES (1, 'a'), (2, 'b').
Result<SqlStatement> Statement::values() {
  SqlStatement result;
  result.kind = SetKind::kValues;
  result.offset = parser_.take().offset;
  do {
    const std::size_t open = parser_.here().offset;
    if (!parser_.take_symbol("(")) return unexpected(parser_.here(), "'(' after VALUES");
    std::vector<Expression>& row = result.rows.emplace_back();
    do {
      PRESSO_ASSIGN(row.emplace_back(), condition());
    } while (parser_.take_symbol(","));
    PRESSO_TRY(parser_.close(open, "',' or ')' in VALUES"));
    if (row.size() == result.rows[0].size()) continue;
    return error_at(open, "this row has " + std::to_string(row.size()) + " values, the first " +
                              std::to_string(result.rows[0].size()));
  } while (parser_.take_symbol(","));
  part_ = Part::kQualify;
  return result;
}

Result<std::vector<NamedExpression>> Statement::items() {
  std::vector<NamedExpression> list;
  do {
    PRESSO_ASSIGN(list.emplace_back(), named_expression(parser_));
  } while (parser_.take_symbol(","));
  return list;
}

/// PIVOT; the words of its clauses end the lists before them.
Result<SqlStatement> Statement::pivot() {
  SqlStatement result;
  result.kind = SetKind::kPivot;
  result.offset = parser_.take().offset;
  SqlPivot& pivot = result.pivot;
  PRESSO_ASSIGN(pivot.source, source());
  if (!parser_.take_word("on")) return unexpected(parser_.here(), "ON and a column");
  do {
    // IN belongs to the clause, so it must not be read as an operator.
    PRESSO_ASSIGN(Node column, parser_.expression(Power::kConcat));
    pivot.on.push_back({column->tree, to_text(column->tree)});
  } while (parser_.take_symbol(","));
  PRESSO_TRY(pivot_values(pivot));
  if (parser_.take_word("using")) {
    PRESSO_ASSIGN(pivot.items, items());
  }
  PRESSO_ASSIGN(const bool grouped, take_clause_by("group", Part::kGroupBy));
  if (grouped) {
    PRESSO_ASSIGN(pivot.group_by, items());
  }
  part_ = Part::kQualify;
  return result;
}

/// IN (values), where it stands.
Status Statement::pivot_values(SqlPivot& pivot) {
  if (!parser_.take_word("in")) return {};
  const std::size_t open = parser_.here().offset;
  if (!parser_.take_symbol("(")) return unexpected(parser_.here(), "'(' after IN");
  do {
    PRESSO_ASSIGN(pivot.values.emplace_back(), condition());
  } while (parser_.take_symbol(","));
  return parser_.close(open, "',' or ')' in IN");
}

/// UNPIVOT; the names of its two columns are `name` and `value` where INTO is absent.
Result<SqlStatement> Statement::unpivot() {
  SqlStatement result;
  result.kind = SetKind::kUnpivot;
  result.offset = parser_.take().offset;
  SqlPivot& pivot = result.pivot;
  pivot.name = "name";
  pivot.value = "value";
  PRESSO_ASSIGN(pivot.source, source());
  if (!parser_.take_word("on")) return unexpected(parser_.here(), "ON and columns");
  do {
    // INTO must not be taken for a column's new name.
    const bool star = parser_.here().is_symbol("*");
    PRESSO_ASSIGN(pivot.on.emplace_back(),
                  star ? named_expression(parser_) : unnamed_expression(parser_));
  } while (parser_.take_symbol(","));
  part_ = Part::kQualify;
  if (!parser_.take_word("into")) return result;
  if (!parser_.take_word("name")) return unexpected(parser_.here(), "NAME and a column's name");
  pivot.name = name_of(parser_.take());
  if (!parser_.take_word("value")) return unexpected(parser_.here(), "VALUE and a column's name");
  pivot.value = name_of(parser_.take());
  return result;
}

/// ORDER BY, LIMIT and OFFSET of a SELECT, or of all of a set operation.
Status Statement::order_and_limits(SqlStatement& statement) {
  SqlQuery& select = statement.select;
  if (statement.kind == SetKind::kSelect) {
    PRESSO_TRY(order_by(select.order_by, select.orders_by_all));
    PRESSO_TRY(limits(select.limit, select.limits_by_percent, select.offset));
    return sample(select);
  }
  PRESSO_TRY(order_by(statement.order_by, select.orders_by_all));
  return limits(statement.limit, select.limits_by_percent, statement.row_offset);
}

/// USING SAMPLE 10 ROWS, or 10%, or reservoir(10 ROWS).
Status Statement::sample(SqlQuery& select) {
  if (!parser_.here().is_word("using") || !parser_.ahead().is_word("sample")) return {};
  parser_.take();
  parser_.take();
  return sample_size(select, "USING SAMPLE");
}

/// How large the sample is. A method and REPEATABLE (seed) change nothing: all methods choose the
/// same rows each time.
Status Statement::sample_size(SqlQuery& select, const std::string& clause) {
  const bool named = parser_.here().kind == Token::Kind::kWord && parser_.ahead().is_symbol("(");
  if (named) parser_.take();
  const std::size_t open = parser_.here().offset;
  const bool is_list = parser_.take_symbol("(");
  PRESSO_ASSIGN(select.sample, row_number(clause));
  select.samples_percent = parser_.take_symbol("%") || parser_.take_word("percent");
  if (!select.samples_percent && !parser_.take_word("rows")) parser_.take_word("row");
  if (is_list) PRESSO_TRY(parser_.close(open, "ROWS, PERCENT or ')'"));
  const auto is_note = [this] {
    return parser_.here().is_word("repeatable") ||
           (parser_.here().is_symbol("(") && parser_.ahead().kind == Token::Kind::kWord);
  };
  while (is_note()) {
    parser_.take_word("repeatable");
    const std::size_t begin = parser_.here().offset;
    if (!parser_.take_symbol("(")) return unexpected(parser_.here(), "'('");
    parser_.take();
    if (parser_.take_symbol(",")) parser_.take();
    PRESSO_TRY(parser_.close(begin, "')'"));
  }
  return {};
}

/// DESCRIBE or SUMMARIZE, and a statement or a file.
Result<SqlStatement> Statement::described() {
  const bool describes = parser_.take().is_word("describe");
  SqlStatement result;
  if (begins_with(parser_.here()) || parser_.here().is_symbol("(")) {
    PRESSO_ASSIGN(result, statement());
  } else {
    result = select_of(nullptr);
    PRESSO_ASSIGN(result.select.from, source());
    part_ = Part::kOffset;
  }
  result.purpose = describes ? Purpose::kDescribe : Purpose::kSummarize;
  return result;
}

/// CREATE TABLE 'file' AS statement. Other kinds of CREATE are refused.
Result<SqlStatement> Statement::stored_table() {
  const Token create = parser_.take();
  bool replaces = false;
  if (parser_.take_word("or")) {
    if (!parser_.take_word("replace")) return unexpected(parser_.here(), "REPLACE after OR");
    replaces = true;
  }
  if (!parser_.take_word("table")) return *refused_statement(create);
  PRESSO_ASSIGN(std::string name, target());
  if (!parser_.take_word("as")) return unexpected(parser_.here(), "AS and a SELECT");
  PRESSO_ASSIGN(SqlStatement result, statement());
  result.purpose = Purpose::kStore;
  result.target = std::move(name);
  result.replaces_target = replaces;
  return result;
}

/// A file's name in quotes, or a bare one.
Result<std::string> Statement::target() {
  SqlSource source;
  source.offset = parser_.here().offset;
  PRESSO_TRY(path_of(source));
  return source.path;
}

/// COPY (statement) TO 'file' (FORMAT csv), also of a file.
Result<SqlStatement> Statement::copied() {
  parser_.take();
  SqlStatement result;
  if (parser_.here().is_symbol("(")) {
    PRESSO_ASSIGN(const auto inner, parser_.statement_in_parentheses());
    result = *inner;
  } else {
    result = select_of(nullptr);
    PRESSO_ASSIGN(result.select.from, source());
  }
  if (!parser_.take_word("to")) return unexpected(parser_.here(), "TO and a file's name");
  PRESSO_ASSIGN(result.target, target());
  result.purpose = Purpose::kStore;
  result.replaces_target = true;
  part_ = Part::kOffset;
  if (parser_.here().is_word("with") && parser_.ahead().is_symbol("(")) parser_.take();
  const std::size_t open = parser_.here().offset;
  if (!parser_.take_symbol("(")) return result;
  do {
    const Token option = parser_.take();
    if (option.is_word("header")) {
      parser_.take_word("true");
      continue;
    }
    const bool delimits = option.is_word("delimiter") || option.is_word("delim");
    if (delimits && parser_.here().kind == Token::Kind::kString) {
      const std::string delimiter = unquoted(parser_.here().text);
      const bool tab = delimiter == "\t" || delimiter == "\\t";
      if (!tab && delimiter != ",") {
        return error_at(parser_.here().offset, "an answer is written with ',' or '\\t'");
      }
      result.target_format = tab ? "tsv" : "csv";
      parser_.take();
      continue;
    }
    if (option.is_word("compression")) {
      // Parquet is the only format with one, and zstd the only one that is written.
      const Token codec = parser_.take();
      const bool in_quotes = codec.kind == Token::Kind::kString;
      if (lower_case(in_quotes ? unquoted(codec.text) : name_of(codec)) != "zstd") {
        return error_at(codec.offset, "files are written with zstd only");
      }
      continue;
    }
    if (!option.is_word("format"))
      return unexpected(option, "FORMAT, HEADER, DELIMITER or COMPRESSION");
    const bool quoted = parser_.here().kind == Token::Kind::kString;
    const std::string name = quoted ? unquoted(parser_.here().text) : name_of(parser_.here());
    result.target_format = lower_case(name);
    parser_.take();
  } while (parser_.take_symbol(","));
  PRESSO_TRY(parser_.close(open, "',' or ')' after the options"));
  return result;
}

/// Whether the SELECT, or the whole statement, may end before this token.
bool Statement::ends_select() const {
  if (parser_.done()) return true;
  const Token& token = parser_.here();
  if (token.is_symbol(")") || token.is_symbol(";")) return true;
  for (const std::string_view word :
       {"union", "except", "intersect", "order", "limit", "offset", "where", "group", "having",
        "window", "qualify", "using", "fetch"}) {
    if (token.is_word(word)) return true;
  }
  return false;
}

}  // namespace presso::expression_detail

namespace presso {
namespace {

using expression_detail::error_at;

/// The place of a subquery, window function or the like in an expression; nullptr if there is none.
const Expression* extension_of(const Expression& expression) {
  const bool star_change =
      expression.kind == Expression::Kind::kStar && !expression.arguments.empty();
  if (expression.kind == Expression::Kind::kSubquery ||
      expression.kind == Expression::Kind::kParameter || expression.details != nullptr ||
      star_change) {
    return &expression;
  }
  for (const Expression& argument : expression.arguments) {
    if (const Expression* const found = extension_of(argument)) return found;
  }
  return nullptr;
}

/// Calls `take` with each expression of a SELECT.
template <class Take>
void for_each_expression(const SqlQuery& query, Take take) {
  for (const NamedExpression& item : query.select) take(item.expression);
  for (const SqlJoin& join : query.joins) {
    if (join.on) take(*join.on);
  }
  if (query.where) take(*query.where);
  for (const NamedExpression& key : query.group_by) take(key.expression);
  if (query.having) take(*query.having);
  for (const SortExpression& key : query.order_by) take(key.expression);
}

/// Whether a source is a file that has no new column names.
bool is_file(const SqlSource& source) {
  return source.statement == nullptr && !source.is_function && source.columns.empty();
}

/// Whether a SELECT has clauses that one Query has not.
bool has_more_clauses(const SqlQuery& query) {
  const bool joins_more =
      std::any_of(query.joins.begin(), query.joins.end(), [](const SqlJoin& join) {
        return join.natural || join.kind >= SqlJoin::Kind::kCross || !is_file(join.source);
      });
  return !query.distinct_on.empty() || !query.has_from || query.groups_by_all ||
         !query.grouping_sets.empty() || !query.windows.empty() || query.qualify ||
         query.orders_by_all || query.limits_by_percent || query.sample || !is_file(query.from) ||
         joins_more;
}

}  // namespace

bool is_one_query(const SqlStatement& statement) {
  if (statement.kind != SqlStatement::Kind::kSelect || !statement.with.empty()) return false;
  bool plain = !has_more_clauses(statement.select);
  for_each_expression(statement.select, [&plain](const Expression& expression) {
    if (extension_of(expression) != nullptr) plain = false;
  });
  return plain;
}

Result<SqlStatement> parse_statement(std::string_view text) {
  expression_detail::Parser parser(text, expression_detail::Grammar::kStatement);
  return expression_detail::Statement(parser).parse_text();
}

Result<SqlQuery> parse_sql(std::string_view text) {
  PRESSO_ASSIGN(SqlStatement statement, parse_statement(text));
  std::size_t place = statement.offset;
  for_each_expression(statement.select, [&place](const Expression& expression) {
    if (const Expression* const found = extension_of(expression)) place = found->offset;
  });
  const bool answers = statement.purpose == SqlStatement::Purpose::kAnswer;
  if (answers && is_one_query(statement)) return std::move(statement.select);
  return error_at(place,
                  "this takes more than one query (a subquery, WITH, a set operation, a window "
                  "function or the like); parse_statement() reads it");
}

}  // namespace presso
