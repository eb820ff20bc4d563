// SPDX-License-Identifier: MIT
// Subqueries that name columns of the SELECT around them, and LATERAL, as subqueries.cpp describes.
#include <algorithm>
#include <set>

#include "query/statement/subqueries.h"

namespace presso::query {
namespace {

using Kind = Expression::Kind;
using Op = Expression::Op;

/// A table that is this many times as large as another is much larger.
constexpr std::uint64_t kMuchLarger = 2;

}  // namespace

/// A null, as value_of_no_rows() writes it. Dates are casts, too, of their texts.
static bool is_null_literal(const Expression& value) {
  return value.kind == Kind::kCast && value.arguments[0].kind == Kind::kNull;
}

Result<bool> Subqueries::lower_lateral(std::size_t number) {
  SqlJoin& join = block_.query_.joins[number];
  if (join.source.statement->kind != SqlStatement::Kind::kSelect) return false;
  Expression node;
  node.statement = join.source.statement;
  node.offset = join.source.offset;
  node.length = join.source.length;
  if (!node.statement->with.empty()) return false;
  PRESSO_ASSIGN(Block inner, opened(node));
  if (!is_correlated(inner)) return false;
  first_joins_.assign(block_.query_.joins.begin(),
                      block_.query_.joins.begin() + static_cast<std::ptrdiff_t>(number));
  const bool keeps_left = join.kind == SqlJoin::Kind::kLeft;
  const bool inner_join = join.kind == SqlJoin::Kind::kComma ||
                          join.kind == SqlJoin::Kind::kCross || join.kind == SqlJoin::Kind::kInner;
  if (!keeps_left && !inner_join) {
    return lowering_.shown(refused_at(node, "LATERAL goes with inner and left joins"));
  }
  PRESSO_ASSIGN(const std::vector<CorrelationKey> keys, correlate(inner, node));
  PRESSO_TRY(inner.expand_stars());
  std::vector<NamedExpression> list = keys_as_items(keys);
  const bool of_all = is_one_row(inner);
  // HAVING chooses among the rows of all keys, also of those without rows, so it is a column first.
  const bool chooses = of_all && inner.query_.having;
  if (chooses) {
    Expression holds =
        case_when(*std::exchange(inner.query_.having, std::nullopt), truth(true), truth(false));
    inner.query_.select.push_back({std::move(holds), lowering_.new_name()});
  }
  std::vector<std::optional<Expression>> of_none;
  for (const NamedExpression& item : inner.query_.select) {
    of_none.emplace_back();
    if (!of_all || is_null_of_no_rows(item.expression)) continue;
    PRESSO_ASSIGN(of_none.back(), value_of_no_rows(inner, item));
  }
  if (of_all || inner.is_grouped()) {
    inner.query_.group_by.insert(inner.query_.group_by.end(), list.begin(), list.end());
  }
  PRESSO_TRY(limit_each(inner, list));
  const std::vector<NamedExpression> items = inner.query_.select;
  inner.query_.select = list;
  inner.query_.select.insert(inner.query_.select.end(), items.begin(), items.end());
  PRESSO_ASSIGN(Relation rows, kept(inner, "rows of LATERAL"));
  if (of_all) {
    PRESSO_ASSIGN(rows, with_all_keys(std::move(rows), keys, items, of_none));
    if (chooses) {
      Query chosen = lowering_.query_of(rows);
      std::vector<NamedExpression> all;
      for (const ColumnSchema& each : rows.schema().columns) {
        all.push_back({column(each.name), each.name});
      }
      chosen.where(column(all.back().name)).select(std::move(all));
      PRESSO_ASSIGN(rows, lowering_.keep(chosen, "rows of LATERAL that HAVING leaves"));
    }
  }
  rows.alias = join.source.alias.empty() ? lowering_.new_name() : join.source.alias;
  std::vector<Expression> conditions;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Expression own = qualified_column(rows.alias, list[i].name, keys[i].outer);
    conditions.push_back(of_all ? same_or_null(keys[i].outer, own)
                                : key_equality(keys[i], rows.alias, list[i].name));
  }
  if (join.on) conditions.push_back(*join.on);
  join.on = all_of(std::move(conditions));
  join.kind = keeps_left ? SqlJoin::Kind::kLeft : SqlJoin::Kind::kInner;
  block_.scope_.sources.push_back(std::move(rows));
  return true;
}

Result<Relation> Subqueries::with_all_keys(Relation rows, const std::vector<CorrelationKey>& keys,
                                           const std::vector<NamedExpression>& items,
                                           const std::vector<std::optional<Expression>>& of_none) {
  const TableSchema schema = rows.schema();
  SqlQuery outer;
  outer.joins = first_joins_;
  outer.distinct = true;
  for (const CorrelationKey& key : keys) {
    outer.select.push_back({key.outer, lowering_.new_name()});
  }
  Block sources(lowering_, outer, block_.common_, nullptr);
  sources.scope_.sources.assign(
      block_.scope_.sources.begin(),
      block_.scope_.sources.begin() + static_cast<std::ptrdiff_t>(first_joins_.size()) + 1);
  PRESSO_ASSIGN(Relation all, kept(sources, "keys of the rows before LATERAL"));
  all.alias = lowering_.new_name();
  rows.alias = lowering_.new_name();
  const auto own = [&](std::size_t i) {
    return qualified_column(rows.alias, schema.columns[i].name, keys[0].outer);
  };
  SqlQuery joined;
  std::vector<Expression> same;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Expression value = qualified_column(all.alias, outer.select[i].name, keys[i].outer);
    same.push_back(keys[i].nulls_are_equal ? same_or_null(value, own(i)) : equality(value, own(i)));
    joined.select.push_back({std::move(value), schema.columns[i].name});
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    Expression value = own(keys.size() + i);
    if (of_none[i] && !is_null_literal(*of_none[i])) {
      value = case_when(is_null(own(0)), *of_none[i], std::move(value));
    }
    joined.select.push_back({std::move(value), schema.columns[keys.size() + i].name});
  }
  Block result(lowering_, std::move(joined), block_.common_, nullptr);
  result.scope_.sources.push_back(std::move(all));
  result.add_join(std::move(rows), SqlJoin::Kind::kLeft, all_of(std::move(same)));
  return kept(result, "rows of LATERAL for all keys");
}

Result<Expression> Subqueries::correlated_value(const Expression& node, Block& inner,
                                                bool grouped) {
  if (grouped) PRESSO_TRY(check_groups(inner, node));
  PRESSO_ASSIGN(const std::vector<CorrelationKey> keys, correlate(inner, node));
  if (node.op == Op::kExists) return exists_value(node, inner, keys, grouped);
  PRESSO_TRY(inner.expand_stars());
  PRESSO_ASSIGN(NamedExpression item, only_item(inner, node));
  if (node.op == Op::kIn) return in_value(node, inner, keys, item, grouped);
  // A HAVING that is true of all stays: it may be what makes the subquery one of aggregates.
  if (is_one_row(inner) && inner.query_.having) {
    item.expression = case_when(*std::exchange(inner.query_.having, truth(true)), item.expression);
  }
  return single_value(node, inner, keys, item, grouped);
}

Result<Expression> Subqueries::single_value(const Expression& node, Block& inner,
                                            const std::vector<CorrelationKey>& keys,
                                            const NamedExpression& item, bool grouped) {
  const bool of_all = is_one_row(inner);
  if (of_all) inner.query_.having.reset();
  std::optional<Expression> of_none;
  if (of_all && !is_null_of_no_rows(item.expression)) {
    PRESSO_ASSIGN(of_none, value_of_no_rows(inner, item));
  }
  std::vector<NamedExpression> list = keys_as_items(keys);
  const NamedExpression value{item.expression, lowering_.new_name()};
  Relation rows;
  if (of_all) {
    inner.query_.group_by = list;
    list.push_back(value);
    inner.query_.select = list;
    PRESSO_ASSIGN(rows, kept(inner, "values of a subquery for each outer value"));
  } else {
    PRESSO_ASSIGN(rows, single_rows(inner, list, value, node));
  }
  const bool is_null_of_none = !of_none || is_null_literal(*of_none);
  if (of_all && is_null_of_none && drops_nulls_ && !grouped) {
    rows.alias = lowering_.new_name();
    Expression found = result(rows.alias, value.name, node, false);
    Expression same = all_of(key_equalities(keys, rows.alias, list));
    join_distinct(std::move(rows), std::move(same));
    return found;
  }
  const std::string alias = join_left(std::move(rows), keys, list);
  Expression found = result(alias, value.name, node, grouped);
  if (is_null_of_none) return found;
  return case_when(is_null(result(alias, matched_name(alias), node, grouped)), *std::move(of_none),
                   std::move(found));
}

Result<Expression> Subqueries::having_value(const Expression& node, Block& inner,
                                            const std::vector<CorrelationKey>& keys, bool grouped) {
  const NamedExpression holds{
      case_when(*std::exchange(inner.query_.having, truth(true)), truth(true), truth(false)),
      lowering_.new_name()};
  return single_value(node, inner, keys, holds, grouped);
}

Result<Expression> Subqueries::exists_value(const Expression& node, Block& inner,
                                            const std::vector<CorrelationKey>& keys, bool grouped) {
  if (is_one_row(inner) && !inner.query_.having) return truth(!node.negated);
  if (is_one_row(inner)) {
    PRESSO_ASSIGN(Expression holds, having_value(node, inner, keys, grouped));
    return negated_if(node.negated, std::move(holds));
  }
  std::vector<NamedExpression> list = keys_as_items(keys);
  if (inner.is_grouped()) {
    inner.query_.group_by.insert(inner.query_.group_by.end(), list.begin(), list.end());
  }
  PRESSO_TRY(limit_each(inner, list));
  inner.query_.select = list;
  inner.query_.order_by.clear();
  PRESSO_ASSIGN(Relation rows, kept_distinct(inner));
  const std::string alias = join_left(std::move(rows), keys, list);
  return is_null(result(alias, matched_name(alias), node, grouped), !node.negated);
}

Result<Expression> Subqueries::in_value(const Expression& node, Block& inner,
                                        const std::vector<CorrelationKey>& keys,
                                        const NamedExpression& item, bool grouped) {
  const Expression& tested = node.arguments[0];
  if (is_one_row(inner)) {
    std::optional<Expression> holds;
    if (inner.query_.having) {
      Block again = inner;
      PRESSO_ASSIGN(holds, having_value(node, again, keys, grouped));
      inner.query_.having = truth(true);
    }
    PRESSO_ASSIGN(Expression single, single_value(node, inner, keys, item, grouped));
    Expression same = equality(tested, std::move(single));
    if (holds) same = case_when(*std::move(holds), std::move(same), truth(false));
    return negated_if(node.negated, std::move(same));
  }
  std::vector<NamedExpression> list = keys_as_items(keys);
  if (inner.is_grouped()) {
    inner.query_.group_by.insert(inner.query_.group_by.end(), list.begin(), list.end());
  }
  PRESSO_TRY(limit_each(inner, list));
  list.push_back({item.expression, lowering_.new_name()});
  inner.query_.select = list;
  inner.query_.order_by.clear();
  PRESSO_ASSIGN(Relation rows, kept_distinct(inner));
  // How many values, and how many that are not null, each key has.
  Query counts = lowering_.query_of(rows);
  std::vector<NamedExpression> counted;
  std::vector<Expression> groups;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    counted.push_back({column(list[i].name), list[i].name});
    groups.push_back(column(list[i].name));
  }
  const NamedExpression all{call("count", {}), lowering_.new_name()};
  const NamedExpression some{call("count", {column(list.back().name)}), lowering_.new_name()};
  counted.push_back(all);
  counted.push_back(some);
  counts.select(counted).group_by(std::move(groups));
  PRESSO_ASSIGN(Relation facts, lowering_.keep(counts, "nulls of a subquery"));
  const std::string alias_of_facts = join_left(std::move(facts), keys, counted);
  const std::string alias =
      join_left(std::move(rows), keys, list, std::pair(tested, list.back().name));
  Expression value;
  value.kind = Kind::kCase;
  const Expression all_rows = result(alias_of_facts, all.name, node, grouped);
  const Expression some_rows = result(alias_of_facts, some.name, node, grouped);
  value.arguments = {
      is_null(result(alias, matched_name(alias), node, grouped), true),
      truth(true),
      is_null(all_rows),
      truth(false),
      operation(Op::kOr, {is_null(tested), operation(Op::kLess, {some_rows, all_rows})}),
      unknown(),
      truth(false)};
  return negated_if(node.negated, std::move(value));
}

bool Subqueries::is_null_of_no_rows(const Expression& tree) {
  if (tree.kind == Kind::kOperator && tree.op >= Op::kAdd && tree.op <= Op::kNegate) {
    return std::any_of(tree.arguments.begin(), tree.arguments.end(), is_null_of_no_rows);
  }
  return tree.kind == Kind::kFunction && !is_window(tree) &&
         (tree.text == "sum" || tree.text == "min" || tree.text == "max" || tree.text == "avg");
}

Result<Expression> Subqueries::value_of_no_rows(const Block& inner, const NamedExpression& item) {
  if (!calls_aggregate(item.expression)) return value_without_aggregates(inner, item.expression);
  Block empty = inner;
  empty.query_.select = {item};
  empty.query_.order_by.clear();
  for (Relation& source : empty.scope_.sources) {
    Query none = lowering_.query_of(source);
    none.limit(0);
    PRESSO_ASSIGN(Relation kept_none, lowering_.keep(none, "no rows"));
    source.tables = std::move(kept_none.tables);
  }
  PRESSO_ASSIGN(const Relation rows, kept(empty, "a subquery of no rows"));
  if (rows.rows() == 0) return cast_to(null_literal(), type_name(rows.schema().columns[0]));
  return literal_of(rows, 0, 0);
}

Result<Expression> Subqueries::value_without_aggregates(const Block& inner,
                                                        const Expression& tree) const {
  const Expression* column = nullptr;
  any_node(tree, [&](const Expression& node) {
    if (node.kind == Kind::kColumn && inner.scope_.source_of(node)) column = &node;
    return column != nullptr;
  });
  if (column == nullptr) return tree;
  return lowering_.shown(refused_at(
      *column, "the column '" + column->text +
                   "' has many values in a group: group by it, too, or take an aggregate of it"));
}

Status Subqueries::limit_each(Block& inner, const std::vector<NamedExpression>& keys) {
  if (inner.query_.limit == ~std::uint64_t{0} && inner.query_.offset == 0) return {};
  if (inner.query_.distinct && (inner.query_.limit > 1 || inner.query_.offset > 0)) {
    return lowering_.shown(refused_at(
        keys.back().expression,
        "DISTINCT with LIMIT is not supported in a subquery with outer columns; write GROUP BY"));
  }
  auto details = std::make_shared<CallDetails>();
  Window& window = details->over.emplace_back();
  for (const NamedExpression& key : keys) window.partition.push_back(key.expression);
  window.order = inner.order_by_expressions();
  inner.query_.order_by.clear();
  Expression place = call("row_number", {});
  place.details = std::move(details);
  const auto from = static_cast<std::int64_t>(inner.query_.offset);
  const auto rows = static_cast<std::int64_t>(
      std::min<std::uint64_t>(inner.query_.limit, std::uint64_t{1} << 62));
  Expression first = operation(Op::kBetween, {std::move(place), number(from + 1),
                                              number(std::min(rows, INT64_MAX - from) + from)});
  inner.query_.limit = ~std::uint64_t{0};
  inner.query_.offset = 0;
  inner.query_.qualify =
      inner.query_.qualify ? all_of({*inner.query_.qualify, std::move(first)}) : std::move(first);
  return {};
}

Result<Relation> Subqueries::single_rows(Block& inner, std::vector<NamedExpression>& list,
                                         const NamedExpression& value, const Expression& node) {
  const std::string what = "values of a subquery for each outer value";
  SqlQuery& query = inner.query_;
  const std::string rows_of_key = lowering_.new_name();
  const bool limits = query.limit != ~std::uint64_t{0} || query.offset > 0;
  const bool is_plain = !limits && !inner.is_grouped() && !query.distinct && !query.qualify &&
                        !any_node(value.expression, is_window);
  if (is_plain) {
    query.group_by = list;
    query.order_by.clear();
    query.select = list;
    query.select.push_back({call("min", {value.expression}), value.name});
    query.select.push_back({call("count", {}), rows_of_key});
    PRESSO_ASSIGN(Relation rows, kept(inner, what));
    PRESSO_TRY(check_single(rows, node));
    return rows;
  }
  const bool is_single = query.limit == 1;
  if (inner.is_grouped()) query.group_by.insert(query.group_by.end(), list.begin(), list.end());
  PRESSO_TRY(limit_each(inner, list));
  query.order_by.clear();
  query.select = list;
  query.select.push_back(value);
  PRESSO_ASSIGN(Relation rows, kept(inner, what));
  if (is_single) return rows;
  std::vector<NamedExpression> items;
  std::vector<Expression> groups;
  for (const NamedExpression& key : list) {
    items.push_back({column(key.name), key.name});
    groups.push_back(column(key.name));
  }
  items.push_back({call("min", {column(value.name)}), value.name});
  items.push_back({call("count", {}), rows_of_key});
  Query one = lowering_.query_of(rows);
  one.select(items).group_by(std::move(groups));
  PRESSO_ASSIGN(rows, lowering_.keep(one, what));
  PRESSO_TRY(check_single(rows, node));
  return rows;
}

Status Subqueries::check_single(const Relation& rows, const Expression& node) {
  Query query = lowering_.query_of(rows);
  query.select({{call("max", {column(rows.schema().columns.back().name)}), "#most"}});
  PRESSO_ASSIGN(const Relation most, lowering_.keep(query, "rows of a subquery for each value"));
  PRESSO_ASSIGN(const Expression rows_of_one, literal_of(most, 0, 0));
  if (rows_of_one.kind != Kind::kNumber || rows_of_one.text == "1") return {};
  return lowering_.shown(refused_at(node, "this subquery gives up to " + rows_of_one.text +
                                              " rows for one row around it, where one must stand"));
}

bool Subqueries::is_one_row(const Block& inner) {
  return inner.is_grouped() && inner.query_.group_by.empty();
}

bool Subqueries::is_of_groups(const Block& inner, const Expression& tree) const {
  const std::vector<NamedExpression>& keys = block_.query_.group_by;
  const bool is_key = is_all_outer(inner, tree) &&
                      std::any_of(keys.begin(), keys.end(), [&](const NamedExpression& key) {
                        return block_.is_same(key.expression, tree);
                      });
  if (is_key) return true;
  return !is_outer(inner, tree) &&
         std::all_of(tree.arguments.begin(), tree.arguments.end(),
                     [&](const Expression& part) { return is_of_groups(inner, part); });
}

std::optional<Expression> Subqueries::replaced_key(const Expression& tree) const {
  const auto text_of = [this](const Expression& node) {
    return lowering_.text().substr(node.offset, node.length);
  };
  for (std::size_t i = 0; i < keys_with_subqueries_.size(); ++i) {
    const Expression& key = keys_with_subqueries_[i];
    const bool is_text = is_subquery(key) && is_subquery(tree) && key.length > 0 &&
                         key.op == tree.op && text_of(key) == text_of(tree);
    if (!any_node(key, is_subquery) || !(key == tree || is_text)) continue;
    return block_.query_.group_by[i].expression;
  }
  return std::nullopt;
}

Status Subqueries::check_groups(const Block& inner, const Expression& node) const {
  if (!block_.query_.grouping_sets.empty()) {
    return lowering_.shown(refused_at(
        node,
        "a subquery with columns of the SELECT around it is not supported beside GROUPING SETS, "
        "ROLLUP and CUBE; group in a subquery in FROM"));
  }
  if (!inner.query_.where || is_of_groups(inner, *inner.query_.where)) return {};
  return lowering_.shown(refused_at(
      node,
      "this subquery names a column of the SELECT around it that is no key of its groups; group "
      "by it, too, or take an aggregate of the subquery"));
}

Status Subqueries::check_clauses(Block& inner, const Expression& node) const {
  SqlQuery& query = inner.query_;
  const auto refused = [&](const std::string& what, const char* instead) -> Status {
    return lowering_.shown(refused_at(
        node,
        what + " is not supported in a subquery with columns of the SELECT around it; " + instead));
  };
  const auto calls_unnest = [](const Expression& each) { return is_call_of(each, "unnest"); };
  const bool limits = query.limit != ~std::uint64_t{0} || query.offset > 0;
  const bool has_windows = any_node_of(query, is_window) || !query.distinct_on.empty();
  const bool sorts_by_windows =
      std::any_of(query.order_by.begin(), query.order_by.end(),
                  [](const SortExpression& key) { return any_node(key.expression, is_window); });
  if (!query.grouping_sets.empty()) {
    return refused("GROUPING SETS, ROLLUP or CUBE", "write a join with the groups");
  }
  if (query.limits_by_percent) return refused("LIMIT with %", "write a number of rows");
  if (query.sample) return refused("USING SAMPLE", "put it into a statement in FROM");
  if (any_node_of(query, calls_unnest)) return refused("unnest()", "write a join with it in FROM");
  const bool nearest = std::any_of(query.joins.begin(), query.joins.end(), [](const SqlJoin& join) {
    return join.kind >= SqlJoin::Kind::kAsof;
  });
  if (nearest) return refused("ASOF JOIN", "put it into a statement in FROM");
  if (limits && (query.qualify || !query.distinct_on.empty())) {
    return refused("QUALIFY or DISTINCT ON with LIMIT", "put the one into a statement in FROM");
  }
  if (sorts_by_windows && (limits || !query.distinct_on.empty())) {
    return refused("ORDER BY a window function with LIMIT or DISTINCT ON",
                   "put the window function into a statement in FROM");
  }
  const bool aggregates_in_windows =
      query.group_by.empty() && any_node_of(query, [](const Expression& each) {
        return is_window(each) &&
               std::any_of(each.arguments.begin(), each.arguments.end(), calls_aggregate);
      });
  if (!is_one_row(inner)) {
    if (!aggregates_in_windows) return {};
    return refused("a window function over aggregates without GROUP BY", "leave out OVER");
  }
  if (has_windows) return refused("a window function beside aggregates", "leave it out");
  if (query.limit == 0 || query.offset > 0) {
    return refused("LIMIT 0 or OFFSET of aggregates", "leave it out, since they give one row");
  }
  query.limit = ~std::uint64_t{0};
  query.distinct = false;
  query.order_by.clear();
  return {};
}

Status Subqueries::separate_keys(Block& inner, const std::vector<CorrelationKey>& keys) {
  PRESSO_TRY(for_each_part(inner.query_, [&](Expression& part) {
    return rewrite(part, [&](Expression& node) -> Result<bool> {
      if (!is_window(node)) return false;
      auto details = std::make_shared<CallDetails>(*node.details);
      for (const CorrelationKey& key : keys) details->over[0].partition.push_back(key.inner);
      node.details = std::move(details);
      return false;
    });
  }));
  if (inner.query_.distinct_on.empty()) return {};
  PRESSO_TRY(inner.expand_stars());
  for (const CorrelationKey& key : keys) inner.query_.distinct_on.push_back(key.inner);
  return inner.distinct_on_as_window();
}

Result<std::vector<CorrelationKey>> Subqueries::correlate(Block& inner, const Expression& node) {
  PRESSO_TRY(check_clauses(inner, node));
  std::vector<Expression> local;
  std::vector<Expression> mixed;
  std::vector<CorrelationKey> keys;
  if (inner.query_.where) {
    for (Expression& each : conjuncts_of(*std::exchange(inner.query_.where, std::nullopt))) {
      auto& list = has_outer(inner, each) ? mixed : local;
      list.push_back(std::move(each));
    }
  }
  if (is_correlated(inner)) {
    return lowering_.shown(refused_at(
        node,
        "columns of the SELECT around a subquery can stand in its WHERE only; write a join, "
        "or move the comparison into the WHERE"));
  }
  bool all_equalities = true;
  for (const Expression& each : mixed) {
    const bool is_equality = each.kind == Kind::kOperator && each.op == Op::kEqual;
    const bool first_outer = is_equality && is_all_outer(inner, each.arguments[0]);
    const bool second_outer = is_equality && is_all_outer(inner, each.arguments[1]);
    // A literal is no key: in GROUP BY a number would be a position.
    const auto is_inner_key = [&](const Expression& side) {
      return !has_outer(inner, side) &&
             any_node(side, [](const Expression& part) { return part.kind == Kind::kColumn; });
    };
    const bool first_inner = is_equality && is_inner_key(each.arguments[0]);
    const bool second_inner = is_equality && is_inner_key(each.arguments[1]);
    if (first_outer && second_inner) {
      keys.push_back({each.arguments[1], each.arguments[0]});
    } else if (second_outer && first_inner) {
      keys.push_back({each.arguments[0], each.arguments[1]});
    } else {
      all_equalities = false;
    }
  }
  if (!all_equalities) {
    PRESSO_ASSIGN(keys, keep_outer_values(inner, mixed));
    for (Expression& each : mixed) local.push_back(std::move(each));
  }
  for (CorrelationKey& key : keys) {
    PRESSO_TRY(rewrite(key.outer, [&](Expression& column) -> Result<bool> {
      if (column.kind == Kind::kColumn) qualify_outer(column);
      return false;
    }));
  }
  if (!local.empty()) inner.query_.where = all_of(std::move(local));
  if (all_equalities) PRESSO_TRY(join_outer_keys(inner, keys));
  PRESSO_TRY(separate_keys(inner, keys));
  return keys;
}

Status Subqueries::join_outer_keys(Block& inner, const std::vector<CorrelationKey>& keys) {
  const std::optional<std::size_t> owner = owner_of(keys);
  const auto& joins = inner.query_.joins;
  const bool is_plain = std::all_of(joins.begin(), joins.end(), joins_pairs);
  if (!owner || *owner > first_joins_.size() || !is_plain) return {};
  std::uint64_t largest = 0;
  for (const Relation& source : inner.scope_.sources) largest = std::max(largest, source.rows());
  const Relation& source = block_.scope_.sources[*owner];
  if (source.rows() * kMuchLarger > largest) return {};
  Block chosen(lowering_, {}, block_.common_, nullptr);
  chosen.scope_.sources.push_back(source);
  add_conditions_on(*owner, chosen);
  if (!chosen.query_.where && chosen.query_.joins.empty()) return {};
  std::vector<Expression> same;
  const std::string alias = lowering_.new_name();
  for (const CorrelationKey& key : keys) {
    chosen.query_.select.push_back({key.outer, lowering_.new_name()});
    same.push_back(
        equality(key.inner, qualified_column(alias, chosen.query_.select.back().name, key.inner)));
  }
  chosen.query_.distinct = true;
  PRESSO_ASSIGN(Relation rows, kept(chosen, "keys of the rows around a subquery"));
  if (rows.rows() * kMuchLarger > source.rows()) return {};
  rows.alias = alias;
  inner.add_join(std::move(rows), SqlJoin::Kind::kInner, all_of(std::move(same)));
  return {};
}

std::optional<std::size_t> Subqueries::owner_of(const std::vector<CorrelationKey>& keys) const {
  std::optional<std::size_t> owner;
  bool single = true;
  for (const CorrelationKey& key : keys) {
    single = single && !any_node(key.outer, [&](const Expression& node) {
               if (node.kind != Kind::kColumn) return false;
               const auto source = block_.scope_.source_of(node);
               if (!owner) owner = source;
               return source != owner;
             });
  }
  return single ? owner : std::nullopt;
}

void Subqueries::add_conditions_on(std::size_t owner, Block& chosen) const {
  const std::vector<SqlJoin>& joins = block_.query_.joins;
  const auto is_of = [&](const Expression& tree, std::size_t other) {
    return !any_node(tree, [&](const Expression& node) {
      if (node.kind == Kind::kSubquery || is_any_aggregate(node)) return true;
      if (node.kind != Kind::kColumn) return false;
      const auto source = block_.scope_.source_of(node);
      return source != owner && source != other;
    });
  };
  std::vector<Expression> conditions;
  if (first_where_) {
    for (Expression& each : conjuncts_of(*first_where_)) {
      const bool names_columns =
          any_node(each, [](const Expression& node) { return node.kind == Kind::kColumn; });
      if (names_columns && is_of(each, owner)) conditions.push_back(std::move(each));
    }
  }
  // Sources after a LATERAL one are not open yet.
  for (std::size_t i = 0; i + 1 < block_.scope_.sources.size(); ++i) {
    const auto kind = joins[i].kind;
    const bool is_half = kind == SqlJoin::Kind::kSemi || kind == SqlJoin::Kind::kAnti;
    if (!joins_pairs(joins[i]) && !is_half) {
      chosen.query_.joins.clear();
      return;
    }
    if (!is_half || !joins[i].on || !is_of(*joins[i].on, i + 1)) continue;
    chosen.add_join(block_.scope_.sources[i + 1], kind, *joins[i].on);
  }
  if (!conditions.empty()) chosen.query_.where = all_of(std::move(conditions));
}

Result<std::vector<CorrelationKey>> Subqueries::keep_outer_values(
    Block& inner, std::vector<Expression>& conditions) {
  SqlQuery outer;
  outer.joins = first_joins_;
  outer.distinct = true;
  if (first_where_) {
    std::vector<Expression> plain;
    for (Expression& each : conjuncts_of(*first_where_)) {
      if (!any_node(each, is_subquery)) plain.push_back(std::move(each));
    }
    if (!plain.empty()) outer.where = all_of(std::move(plain));
  }
  const std::string alias = lowering_.new_name();
  // A column that is never null says whether a row was found.
  outer.select.push_back({number(1), lowering_.new_name()});
  std::vector<CorrelationKey> keys;
  keys.push_back({qualified_column(alias, outer.select[0].name, conditions[0]), number(1)});
  for (Expression& condition : conditions) {
    PRESSO_TRY(rewrite(condition, [&](Expression& column) -> Result<bool> {
      if (column.kind != Kind::kColumn || inner.scope_.source_of(column)) return false;
      if (!block_.scope_.source_of(column)) return false;
      const auto known = std::find_if(
          keys.begin(), keys.end(), [&](const CorrelationKey& key) { return key.outer == column; });
      if (known != keys.end()) {
        column = known->inner;
        return true;
      }
      outer.select.push_back({column, lowering_.new_name()});
      Expression own = qualified_column(alias, outer.select.back().name, column);
      keys.push_back({own, column, true});
      column = std::move(own);
      return true;
    }));
  }
  Block sources(lowering_, std::move(outer), block_.common_, nullptr);
  sources.scope_.sources.assign(
      block_.scope_.sources.begin(),
      block_.scope_.sources.begin() + static_cast<std::ptrdiff_t>(first_joins_.size()) + 1);
  PRESSO_ASSIGN(Relation values, kept(sources, "outer values of a subquery"));
  values.alias = alias;
  SqlJoin join;
  join.kind = SqlJoin::Kind::kComma;
  inner.query_.joins.push_back(std::move(join));
  inner.scope_.sources.push_back(std::move(values));
  return keys;
}

bool Subqueries::is_outer(const Block& inner, const Expression& node) const {
  return node.kind == Kind::kColumn && !inner.scope_.source_of(node) &&
         block_.scope_.source_of(node).has_value();
}

bool Subqueries::has_outer(const Block& inner, const Expression& tree) const {
  return any_node(tree, [&](const Expression& node) { return is_outer(inner, node); });
}

bool Subqueries::is_all_outer(const Block& inner, const Expression& tree) const {
  return has_outer(inner, tree) && !any_node(tree, [&](const Expression& node) {
           return node.kind == Kind::kColumn && !is_outer(inner, node);
         });
}

bool Subqueries::is_correlated(const Block& inner) const {
  return any_node_of(inner.query_, [&](const Expression& node) { return is_outer(inner, node); });
}

void Subqueries::qualify_outer(Expression& column) const {
  if (!column.qualifier.empty()) return;
  const auto source = block_.scope_.source_of(column);
  if (!source) return;
  Expression first = column;
  first.qualifier = block_.qualifier_of(*source);
  std::vector<Expression> values = {first};
  for (std::size_t i = 0; i < first_joins_.size(); ++i) {
    const auto kind = first_joins_[i].kind;
    if (kind != SqlJoin::Kind::kRight && kind != SqlJoin::Kind::kFull) continue;
    const std::vector<Expression>& merged = first_joins_[i].using_columns;
    const bool is_merged = std::any_of(merged.begin(), merged.end(), [&](const Expression& each) {
      return same_name(each.text, column.text);
    });
    if (!is_merged) continue;
    values.push_back(first);
    values.back().qualifier = block_.qualifier_of(i + 1);
  }
  column = values.size() == 1 ? std::move(first)
                              : at_place_of(call("coalesce", std::move(values)), column);
}

std::vector<NamedExpression> Subqueries::keys_as_items(const std::vector<CorrelationKey>& keys) {
  std::vector<NamedExpression> list;
  for (const CorrelationKey& key : keys) list.push_back({key.inner, lowering_.new_name()});
  return list;
}

Expression Subqueries::key_equality(const CorrelationKey& key, const std::string& alias,
                                    const std::string& name) {
  Expression inner = qualified_column(alias, name, key.outer);
  return key.nulls_are_equal ? same_or_null(key.outer, inner)
                             : equality(key.outer, std::move(inner));
}

std::vector<Expression> Subqueries::key_equalities(const std::vector<CorrelationKey>& keys,
                                                   const std::string& alias,
                                                   const std::vector<NamedExpression>& list) {
  std::vector<Expression> conditions;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    conditions.push_back(key_equality(keys[i], alias, list[i].name));
  }
  return conditions;
}

std::string Subqueries::join_left(Relation rows, const std::vector<CorrelationKey>& keys,
                                  const std::vector<NamedExpression>& list,
                                  const std::optional<std::pair<Expression, std::string>>& also) {
  const std::string alias = lowering_.new_name();
  std::vector<Expression> conditions = key_equalities(keys, alias, list);
  if (also) {
    conditions.push_back(equality(also->first, qualified_column(alias, also->second, also->first)));
  }
  rows.alias = alias;
  matched_[alias] = list[0].name;
  block_.add_join(std::move(rows), SqlJoin::Kind::kLeft, all_of(std::move(conditions)));
  return alias;
}

Expression Subqueries::result(const std::string& alias, const std::string& name,
                              const Expression& node, bool grouped) {
  Expression value = qualified_column(alias, name, node);
  return grouped ? at_place_of(call("max", {std::move(value)}), node) : value;
}

}  // namespace presso::query
