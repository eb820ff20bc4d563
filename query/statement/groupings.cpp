// SPDX-License-Identifier: MIT
// What a Query's GROUP BY cannot do by itself: GROUPING SETS, ROLLUP and CUBE, which become one
// query for each set, and aggregates that need all values of a group. For those a query first keeps
// the keys and arguments of all rows; the window operator computes each aggregate over the rows
// with equal keys and puts it into the first of them; and the query after it groups as before, with
// max() of those columns, which are null elsewhere.
#include <algorithm>

#include "query/statement/columns_of_calls.h"
#include "query/statement/lowering.h"

namespace presso::query {
namespace {

using Kind = Expression::Kind;
using Op = Expression::Op;

/// Whether an aggregate must see all values of its group at once.
bool is_holistic(const Expression& node) {
  if (!is_any_aggregate(node)) return false;
  if (aggregate_kind(node.text)) return true;
  const bool extreme = node.text == "min" || node.text == "max";
  return node.distinct && !extreme && (node.text != "count" || node.arguments.size() > 1);
}

/// sum(x) FILTER (WHERE c) is sum(CASE WHEN c THEN x END); an order does not matter to a sum.
Result<bool> filter_as_case(Expression& node) {
  const bool native = is_any_aggregate(node) && !aggregate_kind(node.text);
  if (!native || node.details == nullptr) return false;
  const std::shared_ptr<const CallDetails> details = std::exchange(node.details, nullptr);
  if (details->filter.empty()) return false;
  const bool star = node.arguments.empty() || node.arguments[0].kind == Kind::kStar;
  if (star) {
    node.arguments = {case_when(details->filter[0], number(1))};
    return false;
  }
  Expression& value = node.arguments[0];
  value = at_place_of(case_when(details->filter[0], value), value);
  return false;
}

}  // namespace

Result<std::optional<Query>> Block::lower_grouping_sets() {
  if (query_.grouping_sets.empty()) return std::optional<Query>();
  const std::vector<std::vector<std::size_t>> sets = std::exchange(query_.grouping_sets, {});
  const std::vector<NamedExpression> keys = query_.group_by;
  SqlQuery of_keys;
  of_keys.joins = query_.joins;
  for (const NamedExpression& key : keys) {
    of_keys.select.push_back({key.expression, lowering_.new_name()});
  }
  std::vector<std::string> types;
  if (!keys.empty()) {
    PRESSO_ASSIGN(const TableSchema schema, query_like(std::move(of_keys)).schema());
    for (const ColumnSchema& each : schema.columns) types.push_back(type_name(each));
  }
  const std::size_t shown = query_.select.size();
  std::vector<SortExpression> order = std::exchange(query_.order_by, {});
  for (SortExpression& key : order) {
    if (key.expression.kind == Kind::kNumber || item_of(key.expression)) continue;
    query_.select.push_back({key.expression, lowering_.new_name()});
    key.expression = column(query_.select.back().name);
  }
  Relation all;
  for (const std::vector<std::size_t>& set : sets) {
    SqlQuery one = query_;
    one.distinct = false;
    one.limit = ~std::uint64_t{0};
    one.offset = 0;
    one.group_by.clear();
    for (const std::size_t key : set) one.group_by.push_back(keys[key]);
    const auto is_in_set = [&](std::size_t key) {
      return std::find(set.begin(), set.end(), key) != set.end();
    };
    const Replace replace = [&](Expression& node) -> Result<bool> {
      if (is_window(node)) {
        return lowering_.shown(
            refused_at(node, "window functions are not supported beside GROUPING SETS"));
      }
      const bool grouping =
          node.kind == Kind::kFunction && (node.text == "grouping" || node.text == "grouping_id");
      if (grouping) {
        std::int64_t bits = 0;
        for (const Expression& argument : node.arguments) {
          std::size_t key = 0;
          while (key < keys.size() && !is_same(keys[key].expression, argument)) ++key;
          if (key == keys.size()) {
            return lowering_.shown(refused_at(argument, "grouping() takes keys of GROUP BY"));
          }
          bits = bits * 2 + (is_in_set(key) ? 0 : 1);
        }
        node = at_place_of(number(bits), node);
        return true;
      }
      if (is_any_aggregate(node)) return true;
      // A key of this grouping stays as it is, with keys of other groupings within it.
      std::optional<std::size_t> left_out;
      for (std::size_t key = 0; key < keys.size(); ++key) {
        if (!is_same(keys[key].expression, node)) continue;
        if (is_in_set(key)) return true;
        left_out = key;
      }
      if (left_out) node = at_place_of(cast_to(null_literal(), types[*left_out]), node);
      return left_out.has_value();
    };
    for (NamedExpression& item : one.select) PRESSO_TRY(rewrite(item.expression, replace));
    if (one.having) PRESSO_TRY(rewrite(*one.having, replace));
    if (set.empty()) {
      Expression rows = operation(Op::kGreaterEqual, {call("count", {}), number(0)});
      one.having = one.having ? all_of({*one.having, std::move(rows)}) : std::move(rows);
    }
    Block block(lowering_, std::move(one), common_, scope_.around);
    block.scope_ = scope_;
    PRESSO_ASSIGN(const Query query, block.finish());
    PRESSO_ASSIGN(const Relation rows, lowering_.keep(query, "a grouping set"));
    all.tables.push_back(rows.tables.front());
  }
  SqlQuery last;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string& name = all.schema().columns[i].name;
    last.select.push_back({column(name), name});
  }
  last.distinct = query_.distinct;
  last.order_by = std::move(order);
  last.limit = query_.limit;
  last.offset = query_.offset;
  query_ = std::move(last);
  continue_from(std::move(all));
  return std::optional<Query>(make_query());
}

Status Block::lower_holistic_aggregates() {
  PRESSO_TRY(for_each_part(
      query_, [](Expression& part) -> Status { return rewrite(part, filter_as_case); }));
  if (!any_node_of(query_, is_holistic)) return {};
  ColumnsOfCalls columns(lowering_);
  Window group;
  const std::vector<NamedExpression> keys = query_.group_by;
  for (const NamedExpression& key : keys) {
    group.partition.push_back(key.expression);
    columns.add(key.expression);
  }
  const Replace replace = [&](Expression& node) -> Result<bool> {
    for (const NamedExpression& key : keys) {
      if (!is_same(key.expression, node)) continue;
      node = columns.add(key.expression);
      return true;
    }
    if (is_window(node)) return false;
    if (!is_any_aggregate(node)) {
      if (node.kind != Kind::kColumn || !scope_.source_of(node)) return false;
      return lowering_.shown(refused_at(
          node, "the column '" + node.text +
                    "' has many values in a group: group by it, too, or take an aggregate of it"));
    }
    if (!is_holistic(node)) {
      for (Expression& argument : node.arguments) {
        if (argument.kind != Kind::kStar) argument = columns.add(argument);
      }
      return true;
    }
    if (aggregate_kind(node.text)) {
      const bool counts = node.text == "approx_count_distinct";
      PRESSO_ASSIGN(Expression value, columns.add_call(node, group, true));
      value = at_place_of(call("max", {std::move(value)}), node);
      node = counts ? call("coalesce", {std::move(value), number(0)}) : std::move(value);
      return true;
    }
    // Only the first row of each combination of values counts.
    Window same = group;
    for (const Expression& argument : node.arguments) same.partition.push_back(argument);
    PRESSO_ASSIGN(Expression place, columns.add_call(call("row_number", {}), same, false));
    std::vector<Expression> conditions = {equality(std::move(place), number(1))};
    const bool counts = node.text == "count";
    // A pair counts although one of its values, or both, are null.
    if (node.arguments.size() == 1) {
      conditions.push_back(is_null(columns.add(node.arguments[0]), true));
    }
    Expression value = counts ? number(1) : columns.add(node.arguments[0]);
    node.arguments = {case_when(all_of(std::move(conditions)), std::move(value))};
    node.distinct = false;
    return true;
  };
  for (NamedExpression& item : query_.select) PRESSO_TRY(rewrite(item.expression, replace));
  if (query_.having) PRESSO_TRY(rewrite(*query_.having, replace));
  if (query_.qualify) PRESSO_TRY(rewrite(*query_.qualify, replace));
  for (SortExpression& key : query_.order_by) {
    if (!item_of(key.expression)) PRESSO_TRY(rewrite(key.expression, replace));
  }
  SqlQuery before;
  before.joins = query_.joins;
  before.where = query_.where;
  PRESSO_TRY(continue_with_calls(std::move(before), columns, "keys and arguments of aggregates"));
  for (NamedExpression& key : query_.group_by) key.expression = columns.add(key.expression);
  return {};
}

}  // namespace presso::query
