// SPDX-License-Identifier: MIT
// PIVOT and UNPIVOT. PIVOT asks for the values of its column first and becomes a SELECT with an
// aggregate for each, FILTER (WHERE column = value). UNPIVOT becomes a UNION ALL of one SELECT for
// each column, put back into the order of the rows.
#include <algorithm>

#include "query/statement/lowering.h"

namespace presso::query {
namespace {

using Kind = Expression::Kind;
using Op = Expression::Op;

/// Columns that a PIVOT may make.
constexpr std::uint64_t kMostColumns = 10'000;

void add_columns(const Expression& tree, std::vector<std::string>& names) {
  if (tree.kind == Kind::kColumn) names.push_back(tree.text);
  for (const Expression& argument : tree.arguments) add_columns(argument, names);
}

/// The expression with all of its aggregates over rows that fulfil the condition.
Result<Expression> filtered(Expression tree, const Expression& condition) {
  PRESSO_TRY(rewrite(tree, [&condition](Expression& node) -> Result<bool> {
    if (!is_any_aggregate(node)) return false;
    auto details = node.details == nullptr ? std::make_shared<CallDetails>()
                                           : std::make_shared<CallDetails>(*node.details);
    if (!details->filter.empty()) {
      details->filter[0] = all_of({std::move(details->filter[0]), condition});
    } else {
      details->filter.push_back(condition);
    }
    node.details = std::move(details);
    return true;
  }));
  return tree;
}

std::string name_of_value(const Expression& literal) {
  const Expression& value = literal.kind == Kind::kCast ? literal.arguments[0] : literal;
  return value.kind == Kind::kString ? value.text : to_text(value);
}

}  // namespace

/// The source is kept, since it is read twice.
Result<Query> Lowering::lower_pivot(const SqlStatement& statement, const CommonTables* common) {
  const SqlPivot& pivot = statement.pivot;
  CommonTables names;
  names.around = common;
  CommonTable& table = *names.tables.emplace_back(std::make_shared<CommonTable>());
  table.name = new_name();
  PRESSO_ASSIGN(table.answer, source(pivot.source, common, nullptr));
  table.answer->alias.clear();
  if (pivot.on.size() != 1) {
    return shown(refused_at(pivot.on[1].expression,
                            "PIVOT takes one expression; join several by ||, with a text between"));
  }
  const Expression& on = pivot.on[0].expression;
  std::vector<Expression> values = pivot.values;
  if (values.empty()) {
    Query query = query_of(*table.answer);
    query.select({{on, "##value"}}).distinct().order_by({{on, false, false}});
    PRESSO_ASSIGN(const Relation found, keep(query, "values of PIVOT"));
    if (found.rows() > kMostColumns) {
      return shown(refused_at(on, "there are " + std::to_string(found.rows()) +
                                      " different values, and as many columns"));
    }
    for (std::uint64_t row = 0; row < found.rows(); ++row) {
      PRESSO_ASSIGN(Expression value, literal_of(found, 0, row));
      const bool null = value.kind == Kind::kCast && value.arguments[0].kind == Kind::kNull;
      if (!null) values.push_back(std::move(value));
    }
  }
  SqlStatement select;
  select.select.from.path = table.name;
  select.select.from.bare = true;
  SqlQuery& query = select.select;
  std::vector<NamedExpression> items = pivot.items;
  if (items.empty()) items.push_back({call("count", {}), "count"});
  query.group_by = pivot.group_by;
  if (query.group_by.empty()) {
    // All columns that nothing else names are keys.
    std::vector<std::string> used;
    add_columns(on, used);
    for (const NamedExpression& item : items) add_columns(item.expression, used);
    for (const ColumnSchema& each : table.answer->schema().columns) {
      const bool is_used = std::any_of(used.begin(), used.end(), [&](const std::string& name) {
        return same_name(name, each.name);
      });
      if (!is_used) query.group_by.push_back({column(each.name), each.name});
    }
  }
  query.select = query.group_by;
  for (const Expression& value : values) {
    for (const NamedExpression& item : items) {
      std::string name = name_of_value(value);
      // An aggregate without AS is called as it is written, with its parentheses.
      const bool is_named = !pivot.items.empty() && item.name.find('(') == item.name.npos;
      if (items.size() > 1 || is_named) name += "_" + item.name;
      PRESSO_ASSIGN(Expression cell, filtered(item.expression, equality(on, value)));
      query.select.push_back({std::move(cell), std::move(name)});
    }
  }
  query.order_by = statement.order_by;
  query.limit = statement.limit;
  query.offset = statement.row_offset;
  return lower(select, &names, nullptr);
}

Result<Query> Lowering::lower_unpivot(const SqlStatement& statement, const CommonTables* common) {
  const SqlPivot& pivot = statement.pivot;
  CommonTables names;
  names.around = common;
  CommonTable& table = *names.tables.emplace_back(std::make_shared<CommonTable>());
  table.name = new_name();
  PRESSO_ASSIGN(const Relation rows, source(pivot.source, common, nullptr));
  const std::string row = new_name();
  PRESSO_ASSIGN(KeptRows numbered, query::keep(query_of(rows), context_.options, row));
  table.answer = keep(std::move(numbered), "numbered rows of UNPIVOT");
  Block stars(*this, {}, common, nullptr);
  PRESSO_ASSIGN(const std::vector<NamedExpression> columns, stars.items_over(rows, pivot.on));
  std::vector<NamedExpression> others;
  for (const ColumnSchema& each : rows.schema().columns) {
    const bool turned =
        std::any_of(columns.begin(), columns.end(), [&](const NamedExpression& item) {
          return item.expression.kind == Kind::kColumn &&
                 same_name(item.expression.text, each.name);
        });
    if (!turned) others.push_back({column(each.name), each.name});
  }
  SqlStatement all;
  const std::string place = new_name();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    SqlStatement one;
    one.select.from.path = table.name;
    one.select.from.bare = true;
    one.select.select = others;
    one.select.select.push_back({string(columns[i].name), pivot.name});
    one.select.select.push_back({columns[i].expression, pivot.value});
    one.select.select.push_back({column(row), row});
    one.select.select.push_back({cast_to(number(static_cast<std::int64_t>(i)), "int64"), place});
    one.select.where = is_null(columns[i].expression, true);
    if (i == 0) {
      all = std::move(one);
      continue;
    }
    SqlStatement both;
    both.kind = SqlStatement::Kind::kUnion;
    both.all = true;
    both.left = std::make_shared<const SqlStatement>(std::move(all));
    both.right = std::make_shared<const SqlStatement>(std::move(one));
    all = std::move(both);
  }
  PRESSO_ASSIGN(const Relation turned, answer(all, &names, nullptr, "rows of UNPIVOT"));
  Query query = query_of(turned);
  std::vector<NamedExpression> list = others;
  list.push_back({column(pivot.name), pivot.name});
  list.push_back({column(pivot.value), pivot.value});
  query.select(std::move(list));
  std::vector<SortExpression> order = statement.order_by;
  order.push_back({column(row), false, false});
  order.push_back({column(place), false, false});
  query.order_by(std::move(order)).limit(statement.limit, statement.row_offset);
  return query;
}

}  // namespace presso::query
