// SPDX-License-Identifier: MIT
// Subqueries in expressions. One that names no column of the SELECT around it is answered once:
// its value becomes a literal, and for IN a semi or anti join with its rows. One that does
// (correlated) is answered for all rows at once (unnesting; Neumann and Kemper 2015): what it gives
// for each value of the outer columns is kept, with these values as keys, and joined to the SELECT
// around it.
//
// The keys are the inner sides of equalities such as `i.id = o.id` in its WHERE. Where its WHERE
// relates inner and outer columns in another way, the different values of the outer columns are
// kept first and become one more source of the subquery.
//
// Three things keep the tables small that are read and kept on the way. A join of which each row
// finds at most one partner is an inner join wherever rows without one are dropped, so that it
// takes part in the choice of the order (join_distinct()). A subquery over a large table sees only
// the keys that the conditions around it leave (join_outer_keys()). And before EXISTS over a large
// table what has been joined is answered, if it is small (answer_first()).
#include <algorithm>
#include <set>

#include "format/suggest.h"
#include "query/statement/subqueries.h"

namespace presso::query {
namespace {

using Kind = Expression::Kind;
using Op = Expression::Op;

/// Rows of a subquery that may become a list of literals after IN.
constexpr std::uint64_t kMostListed = 64;
/// Rows are kept before a join with a table that has this many times as many, and more than a few.
constexpr std::uint64_t kManyTimes = 8;
constexpr std::uint64_t kFewRows = 1'000;

/// CASE WHEN a THEN true, and false or null otherwise: as a condition it is `a`. ANY and ALL are
/// such.
bool is_true_only_first(const Expression& condition) {
  const std::vector<Expression>& parts = condition.arguments;
  if (condition.kind != Kind::kCase || parts.size() < 2) return false;
  const auto is_true = [](const Expression& each) {
    return each.kind == Kind::kBool && each.text == "true";
  };
  const auto is_not_true = [&](const Expression& each) {
    return each.kind == Kind::kNull || (each.kind == Kind::kBool && !is_true(each));
  };
  bool only_first = is_true(parts[1]);
  for (std::size_t i = 3; i < parts.size(); i += 2) only_first &= is_not_true(parts[i]);
  return only_first && (parts.size() % 2 == 0 || is_not_true(parts.back()));
}

}  // namespace

Status Subqueries::lower() {
  first_joins_ = block_.query_.joins;
  first_where_ = block_.query_.where;
  PRESSO_TRY(lower_where());
  for (SqlJoin& join : block_.query_.joins) {
    if (join.on) PRESSO_TRY(replace_in(*join.on, false));
  }
  const bool grouped = block_.is_grouped();
  SqlQuery& query = block_.query_;
  for (NamedExpression& key : query.group_by) {
    const Expression before = key.expression;
    PRESSO_TRY(replace_in(key.expression, false));
    keys_with_subqueries_.push_back(before);
  }
  for (NamedExpression& item : query.select) PRESSO_TRY(replace_in(item.expression, grouped));
  if (query.having) PRESSO_TRY(replace_in(*query.having, grouped));
  if (query.qualify) PRESSO_TRY(replace_in(*query.qualify, grouped));
  for (SortExpression& key : query.order_by) PRESSO_TRY(replace_in(key.expression, grouped));
  return {};
}

Status Subqueries::lower_where() {
  SqlQuery& query = block_.query_;
  if (!query.where) return {};
  for (Expression& condition : conjuncts_of(*std::exchange(query.where, std::nullopt))) {
    if (is_true_only_first(condition)) condition = Expression(condition.arguments[0]);
    auto& list = any_node(condition, is_subquery) ? waiting_ : plain_;
    list.push_back(std::move(condition));
  }
  std::vector<Expression> left;
  while (!waiting_.empty()) {
    Expression condition = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    Expression* inner = &condition;
    bool negated = false;
    while (inner->kind == Kind::kOperator && inner->op == Op::kNot) {
      inner = &inner->arguments[0];
      negated = !negated;
    }
    if (!is_subquery(*inner) || inner->op == Op::kNone) {
      left.push_back(std::move(condition));
      continue;
    }
    PRESSO_ASSIGN(auto rest, join_of(*inner, negated != inner->negated));
    if (rest) plain_.push_back(std::move(*rest));
  }
  for (Expression& condition : left) {
    drops_nulls_ = compares_one_subquery(condition);
    PRESSO_TRY(replace_in(condition, false));
    plain_.push_back(std::move(condition));
  }
  drops_nulls_ = false;
  if (!plain_.empty()) query.where = all_of(std::move(plain_));
  return {};
}

Result<std::optional<Expression>> Subqueries::join_of(const Expression& node, bool negated) {
  std::optional<Expression> tested;
  if (node.op == Op::kIn) {
    tested = node.arguments[0];
    PRESSO_TRY(replace_in(*tested, false));
  }
  if (node.statement->kind != SqlStatement::Kind::kSelect) {
    PRESSO_ASSIGN(const Relation rows, answer(node, std::nullopt));
    return join_with_rows(node, rows, tested, negated);
  }
  PRESSO_ASSIGN(Block inner, opened(node));
  const bool correlated = is_correlated(inner);
  if (!correlated && (node.op == Op::kExists || negated || !is_simple(inner))) {
    PRESSO_ASSIGN(const Relation rows, answer(node, std::move(inner)));
    return join_with_rows(node, rows, tested, negated);
  }
  // NOT IN has three values, and aggregates give a row also for no rows: these are computed in an
  // expression, unless that row holds a null.
  const bool is_null_of_none = is_one_row(inner) && tested && !inner.query_.having &&
                               inner.query_.select.size() == 1 &&
                               is_null_of_no_rows(inner.query_.select[0].expression);
  if ((negated && tested) || (is_one_row(inner) && !is_null_of_none)) {
    Expression again = node;
    again.negated = negated;
    PRESSO_TRY(replace_in(again, false));
    return std::optional(std::move(again));
  }
  const auto kind = negated ? SqlJoin::Kind::kAnti : SqlJoin::Kind::kSemi;
  if (is_simple(inner)) {
    PRESSO_TRY(join_directly(inner, tested, kind));
    return std::optional<Expression>();
  }
  PRESSO_ASSIGN(const std::vector<CorrelationKey> keys, correlate(inner, node));
  const bool groups = inner.is_grouped();
  std::vector<NamedExpression> list;
  std::vector<Expression> conditions;
  Relation rows;
  const std::string alias = lowering_.new_name();
  for (const CorrelationKey& key : keys) {
    list.push_back({key.inner, lowering_.new_name()});
    conditions.push_back(key_equality(key, alias, list.back().name));
    if (groups) inner.query_.group_by.push_back(list.back());
  }
  PRESSO_TRY(limit_each(inner, list));
  if (tested) {
    PRESSO_ASSIGN(NamedExpression item, only_item(inner, node));
    item.name = lowering_.new_name();
    conditions.push_back(equality(*tested, qualified_column(alias, item.name, node)));
    list.push_back(std::move(item));
  }
  inner.query_.select = std::move(list);
  inner.query_.order_by.clear();
  if (!groups) inner.query_.distinct = true;
  PRESSO_ASSIGN(rows, kept(inner, "rows of a subquery"));
  rows.alias = alias;
  if (negated || groups) {
    block_.add_join(std::move(rows), kind, all_of(std::move(conditions)));
  } else {
    join_distinct(std::move(rows), all_of(std::move(conditions)));
  }
  return std::optional<Expression>();
}

Result<std::optional<Expression>> Subqueries::join_with_rows(
    const Expression& node, const Relation& rows, const std::optional<Expression>& tested,
    bool negated) {
  if (!tested) return std::optional(truth((rows.rows() != 0) != negated));
  if (rows.rows() == 0) return std::optional(truth(negated));
  PRESSO_ASSIGN(const Values values, values_of(node, rows));
  if (negated && values.has_null) return std::optional(truth(false));
  Expression same = equality(*tested, values.column(node));
  if (!negated) {
    join_distinct(values.rows, std::move(same));
    return std::optional<Expression>();
  }
  block_.add_join(values.rows, SqlJoin::Kind::kAnti, std::move(same));
  return std::optional(is_null(*tested, true));
}

void Subqueries::join_distinct(Relation rows, Expression on) {
  std::vector<SqlJoin>& joins = block_.query_.joins;
  const auto later = std::find_if_not(joins.begin(), joins.end(), joins_pairs);
  const auto place = later - joins.begin();
  if (place < static_cast<std::ptrdiff_t>(first_joins_.size())) {
    return block_.add_join(std::move(rows), SqlJoin::Kind::kInner, std::move(on));
  }
  SqlJoin join;
  join.on = std::move(on);
  joins.insert(later, std::move(join));
  block_.scope_.sources.insert(block_.scope_.sources.begin() + place + 1, std::move(rows));
}

bool Subqueries::is_simple(const Block& inner) const {
  const SqlQuery& query = inner.query_;
  bool plain = query.has_from && query.joins.empty() && query.group_by.empty() && !query.having &&
               !query.qualify && query.limit == ~std::uint64_t{0} && query.offset == 0 &&
               query.distinct_on.empty() && !query.sample && !query.limits_by_percent &&
               !inner.is_grouped();
  for (const NamedExpression& item : query.select) {
    plain = plain && !any_node(item.expression, [](const Expression& each) {
              return is_subquery(each) || is_window(each) || is_call_of(each, "unnest");
            });
  }
  return plain && !(query.where && any_node(*query.where, is_subquery));
}

Status Subqueries::answer_first(const Block& inner, const std::optional<Expression>& tested) {
  const std::uint64_t most = inner.scope_.sources[0].rows() / kManyTimes;
  SqlQuery& query = block_.query_;
  if (query.joins.empty() || most < kFewRows) return {};
  NamesUsed used;
  used.add(inner.query_);
  used.add(query);
  if (tested) used.add(*tested);
  for (const Expression& each : waiting_) used.add(each);
  SqlQuery first;
  std::vector<std::string> qualifiers;
  if (!select_used(used, first, qualifiers)) return {};
  first.joins = query.joins;
  first.limit = most + 1;
  if (!plain_.empty()) first.where = all_of(plain_);
  PRESSO_ASSIGN(Relation found, lowering_.keep(block_.query_like(std::move(first)),
                                               "rows before a join with many"));
  if (found.rows() > most) return {};
  found.names = std::move(qualifiers);
  block_.continue_from(std::move(found));
  plain_.clear();
  first_joins_.clear();
  first_where_.reset();
  return {};
}

bool Subqueries::select_used(const NamesUsed& used, SqlQuery& first,
                             std::vector<std::string>& qualifiers) const {
  std::set<std::string> selected;
  for (std::size_t i = 0; i < block_.scope_.sources.size(); ++i) {
    if (i > 0) {
      const SqlJoin& join = block_.query_.joins[i - 1];
      if (join.kind == SqlJoin::Kind::kSemi || join.kind == SqlJoin::Kind::kAnti) continue;
      if (!joins_pairs(join) || !join.using_columns.empty()) return false;
    }
    const Relation& source = block_.scope_.sources[i];
    if (source.alias.empty() && !source.names.empty()) {
      qualifiers.insert(qualifiers.end(), source.names.begin(), source.names.end());
    } else {
      qualifiers.push_back(block_.qualifier_of(i));
    }
    for (const ColumnSchema& each : source.schema().columns) {
      if (!used.has(each.name)) continue;
      if (!selected.insert(each.name).second) return false;
      Expression value = column(each.name);
      value.qualifier = block_.qualifier_of(i);
      first.select.push_back({std::move(value), each.name});
    }
  }
  return !selected.empty();
}

Status Subqueries::join_directly(Block& inner, const std::optional<Expression>& tested,
                                 SqlJoin::Kind kind) {
  PRESSO_TRY(answer_first(inner, tested));
  const std::string alias = lowering_.new_name();
  std::vector<Expression> conditions;
  if (inner.query_.where) conditions = conjuncts_of(*inner.query_.where);
  const Replace qualify = [&](Expression& column) -> Result<bool> {
    if (column.kind != Kind::kColumn) return false;
    if (inner.scope_.source_of(column)) {
      column.qualifier = alias;
    } else {
      qualify_outer(column);
    }
    return true;
  };
  for (Expression& condition : conditions) PRESSO_TRY(rewrite(condition, qualify));
  if (tested) {
    Expression outer = *tested;
    PRESSO_TRY(rewrite(outer, [&](Expression& column) -> Result<bool> {
      if (column.kind == Kind::kColumn) qualify_outer(column);
      return false;
    }));
    PRESSO_TRY(inner.expand_stars());
    PRESSO_ASSIGN(NamedExpression item, only_item(inner, *tested));
    PRESSO_TRY(rewrite(item.expression, qualify));
    conditions.push_back(equality(std::move(outer), std::move(item.expression)));
  }
  if (conditions.empty()) conditions.push_back(truth(true));
  Relation relation = inner.scope_.sources[0];
  relation.alias = alias;
  block_.add_join(std::move(relation), kind, all_of(std::move(conditions)));
  return {};
}

Status Subqueries::replace_in(Expression& tree, bool grouped) {
  return rewrite(tree, [&](Expression& node) -> Result<bool> {
    if (grouped) {
      if (auto key = replaced_key(node)) {
        node = at_place_of(*std::move(key), node);
        return true;
      }
    }
    if (grouped && is_any_aggregate(node)) {
      PRESSO_TRY(replace_in(node, false));
      return true;
    }
    if (!is_subquery(node)) return false;
    for (Expression& argument : node.arguments) PRESSO_TRY(replace_in(argument, grouped));
    PRESSO_ASSIGN(Expression value, value_of(node, grouped));
    node = at_place_of(std::move(value), node);
    return true;
  });
}

Result<Expression> Subqueries::value_of(const Expression& node, bool grouped) {
  std::optional<Block> inner;
  if (node.statement->kind == SqlStatement::Kind::kSelect) {
    Result<Block> found = opened(node);
    if (!found.ok()) return std::move(found.error());
    inner.emplace(std::move(*found));
  }
  if (inner && is_correlated(*inner)) return correlated_value(node, *inner, grouped);
  PRESSO_ASSIGN(const Relation rows, answer(node, std::move(inner)));
  if (node.op == Op::kExists) return truth((rows.rows() != 0) != node.negated);
  if (rows.schema().columns.size() != 1) return not_one_column(node, rows.schema());
  if (node.op == Op::kIn) return is_among(node, rows);
  if (rows.rows() > 1) {
    return lowering_.shown(refused_at(node, "this subquery gives " + std::to_string(rows.rows()) +
                                                " rows, where one must stand"));
  }
  if (rows.rows() == 1) return literal_of(rows, 0, 0);
  return cast_to(null_literal(), type_name(rows.schema().columns[0]));
}

Result<Expression> Subqueries::is_among(const Expression& node, const Relation& rows) {
  const Expression& tested = node.arguments[0];
  if (rows.rows() == 0) return truth(node.negated);
  if (rows.rows() <= kMostListed) {
    Expression list = operation(Op::kIn, {tested});
    list.negated = node.negated;
    for (std::uint64_t row = 0; row < rows.rows(); ++row) {
      PRESSO_ASSIGN(list.arguments.emplace_back(), literal_of(rows, 0, row));
    }
    return list;
  }
  PRESSO_ASSIGN(const Values values, values_of(node, rows));
  block_.add_join(values.rows, SqlJoin::Kind::kLeft, equality(tested, values.column(node)));
  Expression value;
  value.kind = Kind::kCase;
  value.arguments = {is_null(values.column(node), true), truth(true)};
  if (values.has_null) {
    value.arguments.push_back(unknown());
  } else {
    value.arguments.push_back(is_null(tested));
    value.arguments.push_back(unknown());
    value.arguments.push_back(truth(false));
  }
  return negated_if(node.negated, std::move(value));
}

Result<Subqueries::Values> Subqueries::values_of(const Expression& node, const Relation& rows) {
  if (rows.schema().columns.size() != 1) return not_one_column(node, rows.schema());
  const Expression value = column(rows.schema().columns[0].name);
  Query counts = lowering_.query_of(rows);
  counts.select({{call("count", {}), "#all"}, {call("count", {value}), "#some"}});
  PRESSO_ASSIGN(const Relation counted, lowering_.keep(counts, "nulls of a subquery"));
  PRESSO_ASSIGN(const Expression all, literal_of(counted, 0, 0));
  PRESSO_ASSIGN(const Expression some, literal_of(counted, 1, 0));
  Query query = lowering_.query_of(rows);
  query.select({{value, lowering_.new_name()}}).where(is_null(value, true)).distinct();
  Values values;
  PRESSO_ASSIGN(values.rows, lowering_.keep(query, "values of a subquery"));
  values.rows.alias = lowering_.new_name();
  values.has_null = !(all == some);
  return values;
}

Result<Block> Subqueries::opened(const Expression& node) {
  const SqlStatement& statement = *node.statement;
  if (!statement.with.empty()) {
    // A WITH inside is answered with the subquery as a whole, which then cannot be correlated.
    SqlQuery none;
    return Block(lowering_, std::move(none), block_.common_, nullptr);
  }
  if (node.op == Op::kExists && statement.select.from.alias.starts_with("##")) {
    PRESSO_ASSIGN(auto one, opened_as_one(statement.select));
    if (one) return *std::move(one);
  }
  Block inner(lowering_, statement.select, block_.common_, &block_.scope_);
  SqlQuery& select = inner.query_;
  if (node.op == Op::kExists && select.limit > 0 && select.offset == 0 &&
      !select.limits_by_percent) {
    // Any row will do.
    select.limit = ~std::uint64_t{0};
    select.order_by.clear();
  }
  PRESSO_TRY(inner.open_sources());
  PRESSO_TRY(inner.set_parameters());
  PRESSO_TRY(inner.settle_calls());
  PRESSO_TRY(inner.name_windows());
  PRESSO_TRY(inner.replace_aliases());
  PRESSO_TRY(inner.resolve_keys());
  if (select.groups_by_all || select.orders_by_all) PRESSO_TRY(inner.expand_lists(false));
  PRESSO_TRY(check_names(inner));
  return inner;
}

Result<std::optional<Block>> Subqueries::opened_as_one(const SqlQuery& exists) {
  const SqlSource& values = exists.from;
  const bool is_plain = values.statement != nullptr && exists.joins.empty() && exists.where &&
                        only_chooses(*values.statement);
  if (!is_plain) return std::optional<Block>();
  Block inner(lowering_, values.statement->select, block_.common_, &block_.scope_);
  PRESSO_TRY(inner.open_sources());
  PRESSO_TRY(inner.set_parameters());
  PRESSO_TRY(inner.settle_calls());
  PRESSO_TRY(inner.replace_aliases());
  PRESSO_TRY(inner.expand_stars());
  PRESSO_TRY(check_names(inner));
  const std::vector<NamedExpression> items = inner.query_.select;
  if (!is_correlated(inner) || items.size() < values.columns.size()) return std::optional<Block>();
  // Sources get names that no outer column has.
  std::vector<std::string> aliases;
  for (std::size_t i = 0; i < inner.scope_.sources.size(); ++i) {
    aliases.push_back(lowering_.new_name());
  }
  PRESSO_TRY(for_each_part(inner.query_, [&](Expression& part) {
    return rewrite(part, [&](Expression& column) -> Result<bool> {
      if (column.kind != Kind::kColumn) return false;
      if (const auto source = inner.scope_.source_of(column)) column.qualifier = aliases[*source];
      return true;
    });
  }));
  for (std::size_t i = 0; i < aliases.size(); ++i) inner.scope_.sources[i].alias = aliases[i];
  Expression condition = *exists.where;
  PRESSO_TRY(rewrite(condition, [&](Expression& column) -> Result<bool> {
    if (column.kind != Kind::kColumn) return false;
    const auto name = std::find(values.columns.begin(), values.columns.end(), column.text);
    if (name == values.columns.end()) {
      qualify_outer(column);
      return true;
    }
    const auto place = static_cast<std::size_t>(name - values.columns.begin());
    column = at_place_of(inner.query_.select[place].expression, column);
    return true;
  }));
  std::optional<Expression>& where = inner.query_.where;
  where = where ? all_of({*std::move(where), std::move(condition)}) : std::move(condition);
  inner.query_.select = exists.select;
  return std::optional<Block>(std::move(inner));
}

Result<Relation> Subqueries::answer(const Expression& node, std::optional<Block> opened) {
  if (!opened || !node.statement->with.empty()) {
    return lowering_.answer(*node.statement, block_.common_, nullptr, "a subquery");
  }
  const bool counts_all = opened->query_.sample || opened->query_.limits_by_percent;
  if (node.op == Op::kExists && !counts_all) {
    opened->query_.limit = std::min<std::uint64_t>(opened->query_.limit, 1);
  }
  return kept(*opened, "a subquery");
}

Status Subqueries::check_names(Block& inner) const {
  return for_each_part(inner.query_, [&](Expression& part) {
    return rewrite(part, [&](Expression& node) -> Result<bool> {
      const bool unknown = node.kind == Kind::kColumn && !node.qualifier.empty() &&
                           !inner.scope_.source_of(node) && !block_.scope_.source_of(node);
      if (!unknown) return false;
      for (const Relation& source : block_.scope_.sources) {
        if (!source.is_called(node.qualifier)) continue;
        std::vector<std::string> names;
        for (const ColumnSchema& each : source.schema().columns) names.push_back(each.name);
        return lowering_.shown(refused_at(node, "there is no column '" + node.text + "' in '" +
                                                    node.qualifier + "'" +
                                                    did_you_mean(node.text, names)));
      }
      return false;
    });
  });
}

Result<Relation> Subqueries::kept(Block& block, const std::string& what) {
  PRESSO_TRY(block.expand_lists(false));
  PRESSO_TRY(block.lower_asof_joins());
  PRESSO_TRY(block.lower_unnest_items());
  PRESSO_TRY(block.lower_subqueries());
  PRESSO_ASSIGN(const Query query, block.finish());
  return lowering_.keep(query, what);
}

Result<Relation> Subqueries::kept_distinct(Block& block) {
  const bool grouped = block.is_grouped();
  if (!grouped) block.query_.distinct = true;
  const std::vector<NamedExpression> list = block.query_.select;
  PRESSO_ASSIGN(Relation rows, kept(block, "keys of a subquery"));
  if (!grouped) return rows;
  // Groups are told apart by keys that need not be among the columns.
  Query once = lowering_.query_of(rows);
  std::vector<NamedExpression> items;
  std::vector<Expression> keys;
  for (const NamedExpression& item : list) {
    items.push_back({column(item.name), item.name});
    keys.push_back(column(item.name));
  }
  once.select(std::move(items)).group_by(std::move(keys));
  return lowering_.keep(once, "different keys of a subquery");
}

Result<NamedExpression> Subqueries::only_item(const Block& inner, const Expression& node) const {
  if (inner.query_.select.size() == 1) return inner.query_.select[0];
  return lowering_.shown(refused_at(node, "this subquery selects " +
                                              std::to_string(inner.query_.select.size()) +
                                              " columns, where one must stand"));
}

Error Subqueries::not_one_column(const Expression& node, const TableSchema& schema) const {
  return lowering_.shown(refused_at(node, "this subquery selects " +
                                              std::to_string(schema.columns.size()) +
                                              " columns, where one must stand"));
}

Result<bool> Block::lower_lateral(std::size_t join) {
  if (query_.joins[join].source.statement == nullptr) return false;
  return Subqueries(*this).lower_lateral(join);
}

Status Block::lower_subqueries() {
  if (!any_node_of(query_, is_subquery)) return {};
  return Subqueries(*this).lower();
}

}  // namespace presso::query
