// SPDX-License-Identifier: MIT
// Statements as wholes: WITH, set operations, VALUES, table functions, and the sources of FROM.
#include "query/statement/lowering.h"

#include <algorithm>
#include <limits>

#include "format/ascii.h"
#include "format/civil_date.h"
#include "query/bind/shown.h"
#include "query/compute/intervals.h"

namespace presso::query {
namespace {

using Kind = Expression::Kind;
using Op = Expression::Op;

/// Steps of WITH RECURSIVE; a statement that takes more probably never ends.
constexpr std::size_t kMostRecursions = 100'000;
/// Rows of generate_series() and range().
constexpr std::int64_t kMostSeriesRows = std::int64_t{1} << 32;
/// Dates and times of a series, which are in memory as a whole first.
constexpr std::size_t kMostMoments = 100'000'000;
constexpr std::int64_t kDay = 86'400;  // seconds

bool is_number(const ColumnSchema& column) {
  return column.type == ColumnType::kDouble || column.type == ColumnType::kFloat ||
         is_decimal(column.type) || is_integer(column.type);
}

bool is_real(const ColumnSchema& column) {
  return column.type == ColumnType::kDouble || column.type == ColumnType::kFloat;
}

/// A column in a type of any width. A cast alone leaves a narrow column as it is.
Expression in_type(const ColumnSchema& schema, const std::string& type) {
  Expression value = column(schema.name);
  if (is_number(schema) && type_name(schema) != type) {
    value = is_real(schema) ? operation(Op::kMultiply, {std::move(value), presso::number("1e0")})
                            : operation(Op::kAdd, {std::move(value), number(0)});
  }
  return cast_to(std::move(value), type);
}

/// Whether a kept answer has the names and types of a list of casts already.
bool is_kept_as(const TableSchema& schema, const std::vector<NamedExpression>& list) {
  return std::equal(schema.columns.begin(), schema.columns.end(), list.begin(), list.end(),
                    [](const ColumnSchema& each, const NamedExpression& cast) {
                      const Expression& from = cast.expression.arguments[0];
                      return each.name == cast.name && from.kind == Kind::kColumn &&
                             from.text == each.name && type_name(each) == cast.expression.type;
                    });
}

/// Whether a column of a SELECT is the literal NULL, which takes any type.
bool is_null_item(const SqlStatement& statement, std::size_t column) {
  if (statement.kind != SqlStatement::Kind::kSelect) return false;
  const std::vector<NamedExpression>& items = statement.select.select;
  const bool stars = std::any_of(items.begin(), items.end(), [](const NamedExpression& item) {
    return item.expression.kind == Kind::kStar;
  });
  return !stars && items[column].expression.kind == Kind::kNull;
}

/// A whole number that a literal states; nullopt for other expressions.
std::optional<std::int64_t> integer_of(const Expression& tree) {
  if (tree.kind == Kind::kOperator && tree.op == Op::kNegate) {
    const auto value = integer_of(tree.arguments[0]);
    return value ? std::optional(-*value) : std::nullopt;
  }
  const bool digits = tree.kind == Kind::kNumber && tree.text.size() < 18 &&
                      tree.text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits) return std::nullopt;
  return std::stoll(tree.text);
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  return ascii::same_letters(a, b);
}

std::string common_type(const ColumnSchema& a, const ColumnSchema& b) {
  if (a.type == b.type && a.scale == b.scale && a.unit == b.unit) return type_name(a);
  if (is_number(a) && is_number(b)) {
    if (is_real(a) || is_real(b)) return "double";
    const Byte scale = std::max(a.scale, b.scale);
    const bool wide = is_decimal(a.type) || is_decimal(b.type) || a.type == ColumnType::kUint64 ||
                      b.type == ColumnType::kUint64;
    return wide ? "decimal(38," + std::to_string(scale) + ")" : "int64";
  }
  if (is_date_or_time(a.type) && is_date_or_time(b.type)) {
    return type_name(a.type == ColumnType::kTimestamp && a.unit >= b.unit ? a : b);
  }
  return "utf8";
}

std::uint64_t Relation::rows() const {
  std::uint64_t rows = 0;
  for (const Table& table : tables) rows += table.rows();
  return rows;
}

bool Relation::is_called(const std::string& qualifier) const {
  if (!alias.empty()) return same_name(alias, qualifier);
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return same_name(stem_of(name), qualifier); });
}

std::optional<std::size_t> Scope::source_of(const Expression& column) const {
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!column.qualifier.empty() && !sources[i].is_called(column.qualifier)) continue;
    for (const ColumnSchema& each : sources[i].schema().columns) {
      if (same_name(each.name, column.text)) return i;
    }
  }
  return std::nullopt;
}

Error Lowering::shown(Error error) const {
  return query::shown(std::move(error), std::string(text_));
}

Query Lowering::query_of(const Relation& relation) const {
  Query query = Query::from(relation.tables, relation.names);
  query.parsed_from(text_).as(relation.alias);
  return query;
}

Result<Relation> Lowering::keep(const Query& query, const std::string& what) {
  PRESSO_ASSIGN(KeptRows rows, query::keep(query, context_.options));
  return keep(std::move(rows), what);
}

Relation Lowering::keep(KeptRows rows, const std::string& what) {
  steps_.push_back(what + ": " + std::to_string(rows.table.rows()) + " rows");
  Relation relation;
  relation.tables = {rows.table};
  relation.kept = std::make_shared<const KeptRows>(std::move(rows));
  kept_.push_back(relation.kept);
  return relation;
}

StatementQuery Lowering::finish(Query query) {
  return {std::move(query), std::make_shared<const decltype(kept_)>(std::move(kept_)),
          std::move(steps_)};
}

Result<Relation> Lowering::answer(const SqlStatement& statement, const CommonTables* common,
                                  const Scope* around, const std::string& what) {
  PRESSO_ASSIGN(Query query, lower(statement, common, around));
  if (statement.purpose == SqlStatement::Purpose::kDescribe) {
    PRESSO_ASSIGN(query, description_of(query));
  } else if (statement.purpose == SqlStatement::Purpose::kSummarize) {
    PRESSO_ASSIGN(query, summary_of(query));
  }
  return keep(query, what);
}

namespace {

/// Whether the second part of a UNION reads the table that the UNION defines. Without that, WITH
/// RECURSIVE is as WITH.
bool names_itself(const SqlCommonTable& table) {
  if (table.statement->kind != SqlStatement::Kind::kUnion) return false;
  const std::vector<SqlSource> sources = files_of(*table.statement->right);
  return std::any_of(sources.begin(), sources.end(), [&](const SqlSource& source) {
    return source.bare && same_name(source.path, table.name);
  });
}

/// How often a statement names a table of WITH after the WITH's first `number` tables.
std::size_t uses_of(const SqlStatement& statement, std::size_t number) {
  SqlStatement rest = statement;
  rest.with.erase(rest.with.begin(), rest.with.begin() + static_cast<std::ptrdiff_t>(number));
  const std::string& name = rest.with.front().name;
  std::size_t uses = 0;
  const auto count = [&](const SqlStatement& part) {
    for (const SqlSource& source : files_of(part)) {
      uses += source.bare && same_name(source.path, name) ? 1 : 0;
    }
  };
  for (std::size_t i = 1; i < rest.with.size(); ++i) count(*rest.with[i].statement);
  rest.with.clear();
  count(rest);
  return uses;
}

}  // namespace

/// Tables of WITH are answered first, in their order, except those that only choose rows of others
/// for one place.
Status Lowering::add_common(const SqlStatement& statement, std::size_t number, CommonTables& own) {
  const SqlCommonTable& table = statement.with[number];
  CommonTables before = own;
  CommonTable& added = *own.tables.emplace_back(std::make_shared<CommonTable>());
  added.name = table.name;
  added.columns = table.columns;
  added.statement = table.statement;
  if (statement.recursive && names_itself(table)) {
    PRESSO_ASSIGN(added.answer, recursive(added, &own));
    return {};
  }
  added.before = std::move(before);
  const bool waits = only_chooses(*table.statement) && uses_of(statement, number) == 1;
  return waits ? Status() : answer_common(added);
}

Status Lowering::answer_common(CommonTable& table) {
  if (table.answer) return {};
  PRESSO_ASSIGN(Relation rows, answer(*table.statement, &*table.before, nullptr, table.name));
  PRESSO_ASSIGN(table.answer, renamed(std::move(rows), table.columns, {}));
  return {};
}

Result<Query> Lowering::lower(const SqlStatement& statement, const CommonTables* common,
                              const Scope* around) {
  CommonTables own;
  own.around = common;
  for (std::size_t i = 0; i < statement.with.size(); ++i) PRESSO_TRY(add_common(statement, i, own));
  switch (statement.kind) {
    case SqlStatement::Kind::kSelect:
      return lower_select(statement.select, &own, around);
    case SqlStatement::Kind::kValues:
      return lower_values(statement);
    case SqlStatement::Kind::kPivot:
      return lower_pivot(statement, &own);
    case SqlStatement::Kind::kUnpivot:
      return lower_unpivot(statement, &own);
    default:
      return lower_set(statement, &own);
  }
}

Result<Query> Lowering::lower_select(SqlQuery select, const CommonTables* common,
                                     const Scope* around) {
  return Block(*this, std::move(select), common, around).lower();
}

/// The first statement's rows, then those of the second over the rows that were new last, until
/// there are none.
Result<Relation> Lowering::recursive(const CommonTable& table, const CommonTables* common) {
  const SqlStatement& both = *table.statement;
  CommonTables before = *common;
  before.tables.pop_back();
  PRESSO_ASSIGN(Relation found, answer(*both.left, &before, nullptr, table.name));
  PRESSO_ASSIGN(found, renamed(std::move(found), table.columns, {}));
  std::vector<std::string> types;
  for (const ColumnSchema& column : found.schema().columns) types.push_back(type_name(column));
  Relation last = found;
  for (std::size_t step = 0; last.rows() != 0; ++step) {
    if (step == kMostRecursions) {
      return make_error(ErrorCode::kInvalidArgument,
                        table.name + " did not end after " + std::to_string(step) + " steps");
    }
    auto own = std::make_shared<CommonTable>(table);
    own->answer = last;
    CommonTables names{{own}, &before};
    PRESSO_ASSIGN(Relation next, answer(*both.right, &names, nullptr, table.name));
    if (next.schema().columns.size() != types.size()) {
      return make_error(ErrorCode::kInvalidArgument,
                        "both parts of " + table.name + " must have the same number of columns");
    }
    // New rows take the names and types of the first ones.
    Query query = query_of(next);
    std::vector<NamedExpression> list;
    for (std::size_t i = 0; i < types.size(); ++i) {
      list.push_back({in_type(next.schema().columns[i], types[i]), found.schema().columns[i].name});
    }
    query.select(std::move(list));
    PRESSO_ASSIGN(next, keep(query, table.name));
    if (!both.all) {
      PRESSO_ASSIGN(next, rows_without(next, found));
    }
    last = next;
    if (next.rows() != 0) found.tables.push_back(next.tables.front());
  }
  return found;
}

/// Rows that are not among `known`, each once.
Result<Relation> Lowering::rows_without(const Relation& rows, const Relation& known) {
  std::vector<NamedExpression> list;
  std::vector<Expression> equalities;
  for (const ColumnSchema& each : rows.schema().columns) {
    Expression left = column(each.name);
    Expression right = column(each.name);
    left.qualifier = "#new";
    right.qualifier = "#old";
    list.push_back({left, each.name});
    equalities.push_back(same_or_null(left, right));
  }
  Query query = Query::from(rows.tables);
  query.as("#new");
  query.join(known.tables, {}, JoinKind::kAnti, all_of(std::move(equalities)));
  query.as("#old");
  query.select(std::move(list)).distinct();
  return keep(query, "rows that are new");
}

namespace {

/// The table of WITH that a source names, or nullptr.
CommonTable* common_table(const SqlSource& source, const CommonTables* common) {
  for (const CommonTables* names = source.bare ? common : nullptr; names != nullptr;
       names = names->around) {
    for (const auto& table : names->tables) {
      const bool is_seen = table->answer || table->before;
      if (is_seen && same_name(table->name, source.path)) return table.get();
    }
  }
  return nullptr;
}

}  // namespace

std::optional<ChoosingStatement> Lowering::statement_that_chooses(
    const SqlSource& source, const CommonTables* common) const {
  if (source.statement != nullptr) {
    if (!only_chooses(*source.statement)) return std::nullopt;
    return ChoosingStatement{source.statement.get(), common, {}, source.alias};
  }
  const CommonTable* table = common_table(source, common);
  if (table == nullptr || table->answer) return std::nullopt;
  return ChoosingStatement{table->statement.get(), &*table->before, table->columns,
                           source.alias.empty() ? table->name : source.alias};
}

/// The names in WITH come first, then files.
Result<Relation> Lowering::source(const SqlSource& source, const CommonTables* common,
                                  const Scope* around) {
  if (source.statement != nullptr) {
    const std::string what = source.alias.empty() ? "a statement in FROM" : source.alias;
    PRESSO_ASSIGN(Relation relation, answer(*source.statement, common, around, what));
    relation.alias = source.alias;
    return renamed(std::move(relation), source.columns, source);
  }
  if (source.is_function) {
    PRESSO_ASSIGN(Relation relation, function(source));
    return renamed(std::move(relation), source.columns, source);
  }
  if (CommonTable* table = common_table(source, common)) {
    PRESSO_TRY(answer_common(*table));
    Relation relation = *table->answer;
    relation.alias = source.alias.empty() ? table->name : source.alias;
    return renamed(std::move(relation), source.columns, source);
  }
  PRESSO_ASSIGN(StatementTables tables, context_.open(source));
  Relation relation{std::move(tables.tables), std::move(tables.names), source.alias, nullptr};
  return renamed(std::move(relation), source.columns, source);
}

/// Gives the first columns new names. Without names the relation stays as it is.
Result<Relation> Lowering::renamed(Relation relation, const std::vector<std::string>& columns,
                                   const SqlSource& source) {
  if (columns.empty()) return relation;
  const std::vector<ColumnSchema>& old = relation.schema().columns;
  if (columns.size() > old.size()) {
    Error error = make_error(ErrorCode::kInvalidArgument,
                             "there are " + std::to_string(columns.size()) + " names for " +
                                 std::to_string(old.size()) + " columns");
    if (source.length != 0) error.byte_offset = source.offset;
    return shown(std::move(error));
  }
  std::vector<NamedExpression> list;
  for (std::size_t i = 0; i < old.size(); ++i) {
    list.push_back({column(old[i].name), i < columns.size() ? columns[i] : old[i].name});
  }
  Query query = query_of(relation);
  query.select(std::move(list));
  PRESSO_ASSIGN(Relation result, keep(query, relation.alias));
  result.alias = relation.alias;
  return result;
}

/// UNION ALL reads both sides one after another. The others group all columns: a row of the first
/// side has the tag 1, one of the second the tag 2.
Result<Query> Lowering::lower_set(const SqlStatement& statement, const CommonTables* common) {
  using SetKind = SqlStatement::Kind;
  const bool tagged = statement.kind != SetKind::kUnion;
  PRESSO_ASSIGN(std::vector<Relation> sides, alike(statement, common, tagged));
  const std::size_t columns = sides[0].schema().columns.size() - (tagged ? 1 : 0);
  std::vector<NamedExpression> list;
  std::vector<Expression> keys;
  if (tagged && statement.all) {
    // The first row of a side meets the first equal row of the other, the second the second.
    keys.push_back(column(new_name()));
    for (Relation& side : sides) {
      PRESSO_ASSIGN(side, with_numbers_of_equals(side, keys[0].text));
    }
  }
  Relation both;
  for (const Relation& side : sides) both.tables.push_back(side.tables.front());
  Query query = query_of(both);
  for (std::size_t i = 0; i < columns; ++i) {
    const std::string& name = both.schema().columns[i].name;
    list.push_back({column(name), name});
    keys.push_back(column(name));
  }
  query.select(list);
  if (tagged) {
    const std::string& tag = both.schema().columns[columns].name;
    Expression least = equality(call("min", {column(tag)}), number(1));
    Expression most =
        equality(call("max", {column(tag)}), number(statement.kind == SetKind::kExcept ? 1 : 2));
    query.group_by(std::move(keys));
    query.having(operation(Op::kAnd, {std::move(least), std::move(most)}));
  } else if (!statement.all) {
    query.distinct();
  }
  std::vector<SortExpression> order = statement.order_by;
  if (statement.select.orders_by_all) order = order_of_all(order.front(), columns);
  query.order_by(std::move(order));
  if (statement.limit != ~std::uint64_t{0} || statement.row_offset != 0) {
    query.limit(statement.limit, statement.row_offset);
  }
  return query;
}

/// A last column numbers the rows that are equal in all columns, from 1.
Result<Relation> Lowering::with_numbers_of_equals(const Relation& rows, const std::string& name) {
  WindowCall numbers;
  numbers.kind = WindowKind::kRowNumber;
  numbers.name = name;
  for (std::size_t i = 0; i < rows.schema().columns.size(); ++i) numbers.partition.push_back(i);
  PRESSO_ASSIGN(KeptRows done, with_windows(*rows.kept, std::span(&numbers, 1), context_.options));
  return keep(std::move(done), "the same with numbers of equal rows");
}

std::vector<SortExpression> Lowering::order_of_all(const SortExpression& direction,
                                                   std::size_t columns) {
  std::vector<SortExpression> keys;
  for (std::size_t i = 1; i <= columns; ++i) {
    SortExpression& key = keys.emplace_back(direction);
    key.expression = number(static_cast<std::int64_t>(i));
  }
  return keys;
}

/// The operands of a set operation from left to right; those of a chain of equal UNIONs are in one
/// list, so that none is kept twice.
void Lowering::add_operands(const SqlStatement& statement,
                            std::vector<const SqlStatement*>& operands) {
  const SqlStatement& left = *statement.left;
  const bool chains = statement.kind == SqlStatement::Kind::kUnion && left.kind == statement.kind &&
                      left.all == statement.all && left.by_name == statement.by_name &&
                      left.with.empty() && left.order_by.empty() && !left.select.orders_by_all &&
                      left.limit == ~std::uint64_t{0} && left.row_offset == 0;
  if (chains) {
    add_operands(left, operands);
  } else {
    operands.push_back(&left);
  }
  operands.push_back(statement.right.get());
}

/// BY NAME: the columns of all operands by their names, null where one has none. Otherwise columns
/// are matched by their places, and the names are those of the first operand.
Result<std::vector<Lowering::SetColumn>> Lowering::set_columns(
    const std::vector<const SqlStatement*>& operands, const std::vector<TableSchema>& schemas,
    bool by_name) const {
  std::vector<SetColumn> columns;
  for (std::size_t side = 0; side < schemas.size(); ++side) {
    const std::vector<ColumnSchema>& own = schemas[side].columns;
    if (!by_name && own.size() != schemas[0].columns.size()) {
      Error error = make_error(ErrorCode::kInvalidArgument,
                               "one side of the set operation has " +
                                   std::to_string(schemas[0].columns.size()) +
                                   " columns, the other " + std::to_string(own.size()));
      error.byte_offset = operands[side]->offset;
      return shown(std::move(error));
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
      std::size_t at = i;
      if (by_name) {
        const auto found = std::find_if(columns.begin(), columns.end(), [&](const SetColumn& each) {
          return same_name(each.name, own[i].name);
        });
        at = static_cast<std::size_t>(found - columns.begin());
      }
      if (at == columns.size()) columns.push_back({own[i].name, own[i], false, {}});
      SetColumn& column = columns[at];
      column.places.resize(schemas.size());
      column.places[side] = i;
      if (is_null_item(*operands[side], i)) continue;
      // Literals NULL have no say in the type.
      const std::string type =
          column.is_typed ? common_type(column.type, own[i]) : type_name(own[i]);
      if (type_name(own[i]) == type) {
        column.type = own[i];
      } else if (type_name(column.type) != type) {
        PRESSO_ASSIGN(column.type, parse_type(type));
      }
      column.is_typed = true;
    }
  }
  return columns;
}

/// `tagged`: a last column says which operand a row comes from.
Result<std::vector<Relation>> Lowering::alike(const SqlStatement& statement,
                                              const CommonTables* common, bool tagged) {
  std::vector<const SqlStatement*> operands;
  add_operands(statement, operands);
  std::vector<Query> queries;
  std::vector<TableSchema> schemas;
  for (const SqlStatement* operand : operands) {
    PRESSO_ASSIGN(Query query, lower(*operand, common, nullptr));
    PRESSO_ASSIGN(schemas.emplace_back(), query.schema());
    queries.push_back(std::move(query));
  }
  PRESSO_ASSIGN(const std::vector<SetColumn> columns,
                set_columns(operands, schemas, statement.by_name));
  std::vector<Relation> sides;
  for (std::size_t side = 0; side < operands.size(); ++side) {
    std::vector<NamedExpression> list;
    for (const SetColumn& column : columns) {
      const std::string type = type_name(column.type);
      const std::optional<std::size_t> place =
          side < column.places.size() ? column.places[side] : std::nullopt;
      list.push_back(
          {place ? in_type(schemas[side].columns[*place], type) : cast_to(null_literal(), type),
           column.name});
    }
    PRESSO_ASSIGN(const Relation kept, keep(queries[side], "one side of a set operation"));
    if (!tagged && is_kept_as(kept.schema(), list)) {
      sides.push_back(kept);
      continue;
    }
    if (tagged) {
      list.push_back({cast_to(number(static_cast<std::int64_t>(side + 1)), "int64"), "#side"});
    }
    for (NamedExpression& each : list) each.expression = kept_as_cast(std::move(each.expression));
    Query cast = query_of(kept);
    cast.select(std::move(list));
    PRESSO_ASSIGN(sides.emplace_back(), keep(cast, "the same in common types"));
  }
  return sides;
}

/// Rows 0 to n - 1 of a series, from which CASE chooses the values of each row.
Result<Query> Lowering::lower_values(const SqlStatement& statement) {
  PRESSO_ASSIGN(const Relation rows,
                numbers(0, static_cast<std::int64_t>(statement.rows.size()), 1, "#row"));
  std::vector<NamedExpression> list;
  for (std::size_t i = 0; i < statement.rows.front().size(); ++i) {
    Expression value;
    value.kind = Kind::kCase;
    for (std::size_t row = 0; row < statement.rows.size(); ++row) {
      value.arguments.push_back(equality(column("#row"), number(static_cast<std::int64_t>(row))));
      value.arguments.push_back(statement.rows[row][i]);
    }
    list.push_back(
        {at_place_of(std::move(value), statement.rows[0][i]), "col" + std::to_string(i)});
  }
  Query query = query_of(rows);
  query.select(std::move(list)).order_by(statement.order_by);
  if (statement.limit != ~std::uint64_t{0} || statement.row_offset != 0) {
    query.limit(statement.limit, statement.row_offset);
  }
  return query;
}

/// A table of whole numbers from `first` on, below `end` or above it.
Result<Relation> Lowering::numbers(std::int64_t first, std::int64_t end, std::int64_t step,
                                   const std::string& name) {
  constexpr std::size_t kBatch = 65'536;
  ColumnSchema column;
  column.name = name;
  column.type = ColumnType::kInt64;
  return keep_column(column, [&](const AddValues& add) -> Status {
    std::vector<std::int64_t> values;
    for (std::int64_t value = first; step > 0 ? value < end : value > end; value += step) {
      values.push_back(value);
      if (values.size() < kBatch) continue;
      PRESSO_TRY(add(values));
      values.clear();
    }
    return add(values);
  });
}

Result<Relation> Lowering::keep_column(const ColumnSchema& column,
                                       const std::function<Status(const AddValues& add)>& make) {
  KeepingSink sink(context_.options);
  TableSchema schema;
  schema.columns.push_back(column);
  PRESSO_TRY(sink.begin(schema));
  PRESSO_TRY(make([&](const std::vector<std::int64_t>& values) -> Status {
    ColumnView view;
    view.type = column.type;
    view.rows = values.size();
    view.values = reinterpret_cast<const Byte*>(values.data());
    return values.empty() ? Status() : sink.add({&view, 1});
  }));
  PRESSO_ASSIGN(KeptRows rows, sink.finish());
  return keep(std::move(rows), "values of a series");
}

/// unnest([1, 2]): a row for each literal.
Result<Relation> Lowering::elements_of_list(const SqlSource& source) {
  PRESSO_ASSIGN(Relation rows,
                answer(rows_of_lists(source.arguments), nullptr, nullptr, "elements of a list"));
  rows.alias = source.alias.empty() ? source.path : source.alias;
  return renamed(std::move(rows), {source.path}, source);
}

/// generate_series(first, last[, step]) with its end, range(first, end[, step]) without.
Result<Relation> Lowering::function(const SqlSource& source) {
  const auto refuse = [&](const std::string& what) {
    Error error = make_error(ErrorCode::kInvalidArgument, what);
    error.byte_offset = source.offset;
    return shown(std::move(error));
  };
  const bool is_list = source.arguments.size() == 1 &&
                       is_call_of(source.arguments[0], "list_value") &&
                       !source.arguments[0].arguments.empty();
  if (source.path == "unnest" && is_list) return elements_of_list(source);
  if (source.path == "unnest") {
    return refuse(
        "unnest() in FROM takes a list such as [1, 2], or an array of a source before it: FROM "
        "'orders.json' o, unnest(o.lines) AS u(line)");
  }
  const bool includes_end = source.path == "generate_series";
  if (!includes_end && source.path != "range") {
    return refuse("'" + source.path +
                  "' cannot be called in FROM; there are generate_series and range, and a file's "
                  "name stands in quotes: FROM 'orders.csv'");
  }
  const std::vector<Expression>& arguments = source.arguments;
  if (arguments.empty() || arguments.size() > 3) {
    return refuse(source.path + "() takes 1 to 3 arguments");
  }
  if (arguments.size() == 3 && arguments[2].kind == Kind::kInterval) {
    std::vector<Expression> ends;
    for (std::size_t i = 0; i < 2; ++i) {
      ends.push_back(call("epoch", {cast_to(arguments[i], "timestamp")}));
    }
    PRESSO_ASSIGN(const std::vector<std::int64_t> seconds, whole_numbers(ends));
    return moments(seconds[0], seconds[1], arguments[2], includes_end, source);
  }
  std::vector<Expression> casts;
  for (const Expression& each : arguments) casts.push_back(cast_to(each, "bigint"));
  PRESSO_ASSIGN(std::vector<std::int64_t> given, whole_numbers(casts));
  if (given.size() == 1) given.insert(given.begin(), 0);
  if (given.size() == 2) given.push_back(1);
  if (given[2] == 0) return refuse("the step must not be 0");
  const std::int64_t end = given[1] + (includes_end ? (given[2] > 0 ? 1 : -1) : 0);
  if ((end - given[0]) / given[2] > kMostSeriesRows) return refuse("too many rows");
  PRESSO_ASSIGN(Relation relation, numbers(given[0], end, given[2], source.path));
  relation.alias = source.alias.empty() ? source.path : source.alias;
  return relation;
}

/// The values of expressions that name no columns; they may be subqueries. Nulls are refused.
Result<std::vector<std::int64_t>> Lowering::whole_numbers(const std::vector<Expression>& trees) {
  SqlStatement statement;
  statement.select.has_from = false;
  for (const Expression& tree : trees) {
    statement.select.select.push_back({tree, "##" + std::to_string(names_++)});
  }
  PRESSO_ASSIGN(const Relation row, answer(statement, nullptr, nullptr, "ends of a series"));
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    PRESSO_ASSIGN(const Expression value, literal_of(row, i, 0));
    const auto number = integer_of(value);
    if (!number) return shown(refused_at(trees[i], "a series needs a value here, not null"));
    numbers.push_back(*number);
  }
  return numbers;
}

/// Timestamps from `first` to `end`, in seconds, each a step after the one before: a month after
/// January 31 is the last day of February, and the next one is that day of March.
Result<Relation> Lowering::moments(std::int64_t first, std::int64_t end, const Expression& step,
                                   bool includes_end, const SqlSource& source) {
  constexpr std::int64_t kSecond = 1'000'000;
  const auto interval = read_interval(step.text + ' ' + step.type);
  const std::int64_t seconds = !interval ? 0 : interval->days * kDay + interval->micros / kSecond;
  const bool forward = interval && (interval->months > 0 || seconds > 0);
  const bool backward = interval && (interval->months < 0 || seconds < 0);
  if (forward == backward || interval->micros % kSecond != 0) {
    return shown(refused_at(step, "the step must be of whole seconds in one direction"));
  }
  const auto after = [&](std::int64_t moment) {
    if (interval->months == 0) return moment + seconds;
    const std::int64_t days = moment >= 0 ? moment / kDay : -((kDay - 1 - moment) / kDay);
    const civil::Date date = civil::date_of(days);
    const std::int64_t months = date.year * 12 + date.month - 1 + interval->months;
    const std::int64_t year = months >= 0 ? months / 12 : -((11 - months) / 12);
    const auto month = static_cast<std::uint32_t>(months - year * 12 + 1);
    const std::uint32_t day = std::min(date.day, civil::days_in_far(year, month));
    return civil::days_of_far(year, month, day) * kDay + (moment - days * kDay) + seconds;
  };
  ColumnSchema column;
  column.name = source.path;
  column.type = ColumnType::kTimestamp;
  column.text = ValueText::kSpaceTime;
  std::vector<std::int64_t> values;
  for (std::int64_t next = first;; next = after(next)) {
    const bool is_in = forward ? next < end : next > end;
    if (!is_in && !(includes_end && next == end)) break;
    if (values.size() == kMostMoments) return shown(refused_at(step, "too many rows"));
    values.push_back(next);
  }
  PRESSO_ASSIGN(Relation relation,
                keep_column(column, [&](const AddValues& add) { return add(values); }));
  relation.alias = source.alias.empty() ? source.path : source.alias;
  return relation;
}

/// The value is printed as CSV and written as the literal that has its type.
Result<Expression> literal_of(const Relation& relation, std::size_t number, std::uint64_t row) {
  const Table& table = relation.tables.front();
  const ColumnSchema& schema = table.schema().columns[number];
  const std::size_t columns[] = {number};
  std::uint64_t group = 0;
  while (table.row_group(group).first_row + table.row_group(group).rows <= row) ++group;
  PRESSO_ASSIGN(const std::vector<ColumnData> values,
                table.read(group, columns,
                           static_cast<std::uint32_t>(row - table.row_group(group).first_row), 1));
  const ColumnView view = values[0].view();
  if (view.is_null(0)) return cast_to(null_literal(), type_name(schema));
  if (is_string(schema.type)) {
    const Bytes bytes = view.string(0);
    return string(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  if (schema.type == ColumnType::kBool) return truth((view.values[0] & 1) != 0);
  std::vector<Byte> bytes;
  VectorSink sink(bytes);
  RowsOptions options;
  options.columns = {number};
  options.first_row = row;
  options.rows = 1;
  options.form.kind = TextKind::kDelimited;
  options.header = false;
  options.threads = 1;
  PRESSO_TRY(write_rows(table, options, sink));
  std::string text(bytes.begin(), bytes.end());
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  const bool plain = text.find_first_not_of("0123456789.-") == std::string::npos;
  if (schema.type == ColumnType::kDate32 || schema.type == ColumnType::kTimestamp || !plain) {
    return cast_to(string(std::move(text)), type_name(schema));
  }
  if (is_real(schema)) text += "e0";
  if (!text.starts_with('-')) return presso::number(std::move(text));
  return operation(Op::kNegate, {presso::number(text.substr(1))});
}

}  // namespace presso::query

namespace presso {
namespace {

/// Collects the files of a statement. `names` are those of WITH around it.
void add_files(const SqlStatement& statement, std::vector<std::string> names,
               std::vector<SqlSource>& files) {
  for (const SqlCommonTable& table : statement.with) {
    if (statement.recursive) names.push_back(table.name);
    add_files(*table.statement, names, files);
    names.push_back(table.name);
  }
  if (statement.left != nullptr) add_files(*statement.left, names, files);
  if (statement.right != nullptr) add_files(*statement.right, names, files);
  const SqlQuery& select = statement.select;
  const auto add = [&](const SqlSource& source) {
    if (source.statement != nullptr) return add_files(*source.statement, names, files);
    const bool is_common =
        source.bare && std::any_of(names.begin(), names.end(), [&](const std::string& name) {
          return query::same_name(name, source.path);
        });
    if (!source.is_function && !is_common) files.push_back(source);
  };
  const bool pivots = statement.kind == SqlStatement::Kind::kPivot ||
                      statement.kind == SqlStatement::Kind::kUnpivot;
  if (pivots) add(statement.pivot.source);
  if (statement.kind != SqlStatement::Kind::kSelect) return;
  if (select.has_from) add(select.from);
  for (const SqlJoin& join : select.joins) add(join.source);
  query::any_node_of(select, [&](const Expression& node) {
    if (node.statement != nullptr) add_files(*node.statement, names, files);
    return false;
  });
}

}  // namespace

std::vector<SqlSource> files_of(const SqlStatement& statement) {
  std::vector<SqlSource> files;
  add_files(statement, {}, files);
  return files;
}

Result<StatementQuery> lower_statement(const SqlStatement& statement, std::string_view text,
                                       const StatementContext& context) {
  query::Lowering lowering(text, context);
  PRESSO_ASSIGN(Query query, lowering.lower(statement, nullptr, nullptr));
  if (statement.purpose == SqlStatement::Purpose::kDescribe) {
    PRESSO_ASSIGN(query, lowering.description_of(query));
  } else if (statement.purpose == SqlStatement::Purpose::kSummarize) {
    PRESSO_ASSIGN(query, lowering.summary_of(query));
  }
  return lowering.finish(std::move(query));
}

}  // namespace presso
