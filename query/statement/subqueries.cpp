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
#include "query/statement/lowering.h"

namespace presso::query {
namespace {

using Kind = Expression::Kind;
using Op = Expression::Op;

/// Rows of a subquery that may become a list of literals after IN.
constexpr std::uint64_t kMostListed = 64;
/// A table that is this many times as large as another is much larger.
constexpr std::uint64_t kMuchLarger = 2;
/// Rows are kept before a join with a table that has this many times as many, and more than a few.
constexpr std::uint64_t kManyTimes = 8;
constexpr std::uint64_t kFewRows = 1'000;

bool is_subquery(const Expression& node) {
  return node.kind == Kind::kSubquery;
}

/// The null of a truth value.
Expression unknown() {
  return cast_to(null_literal(), "bool");
}

Expression negated_if(bool negated, Expression condition) {
  return negated ? operation(Op::kNot, {std::move(condition)}) : std::move(condition);
}

/// An outer expression that a subquery depends on, and what stands for it among its own columns.
struct CorrelationKey {
  Expression inner;
  Expression outer;
  bool nulls_are_equal = false;
};

}  // namespace

/// Lowers the subqueries of one SELECT.
class Subqueries {
 public:
  explicit Subqueries(Block& block) : block_(block), lowering_(block.lowering_) {}

  /// A statement in FROM that names columns of the sources before it: what it gives for each of
  /// their values is kept and joined. False where it names none.
  Result<bool> lower_lateral(std::size_t number) {
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
                            join.kind == SqlJoin::Kind::kCross ||
                            join.kind == SqlJoin::Kind::kInner;
    if (!keeps_left && !inner_join) {
      return lowering_.shown(refused_at(node, "LATERAL goes with inner and left joins"));
    }
    PRESSO_ASSIGN(const std::vector<CorrelationKey> keys, correlate(inner, node));
    PRESSO_TRY(inner.expand_stars());
    std::vector<NamedExpression> list = keys_as_items(keys);
    if (inner.is_grouped()) {
      if (inner.query_.group_by.empty() && !keeps_left) {
        return lowering_.shown(refused_at(
            node,
            "aggregates of all rows are supported in LEFT JOIN LATERAL, where no rows give "
            "null"));
      }
      inner.query_.group_by.insert(inner.query_.group_by.end(), list.begin(), list.end());
    }
    if (inner.query_.limit != ~std::uint64_t{0} || inner.query_.offset != 0) {
      PRESSO_TRY(first_of_each(inner, list));
    }
    const std::vector<NamedExpression> items = inner.query_.select;
    inner.query_.select = list;
    inner.query_.select.insert(inner.query_.select.end(), items.begin(), items.end());
    PRESSO_ASSIGN(Relation rows, kept(inner, "rows of LATERAL"));
    rows.alias = join.source.alias.empty() ? lowering_.new_name() : join.source.alias;
    std::vector<Expression> conditions;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      conditions.push_back(key_equality(keys[i], rows.alias, list[i].name));
    }
    if (join.on) conditions.push_back(*join.on);
    join.on = all_of(std::move(conditions));
    join.kind = keeps_left ? SqlJoin::Kind::kLeft : SqlJoin::Kind::kInner;
    block_.scope_.sources.push_back(std::move(rows));
    return true;
  }

  Status lower() {
    first_joins_ = block_.query_.joins;
    first_where_ = block_.query_.where;
    PRESSO_TRY(lower_where());
    for (SqlJoin& join : block_.query_.joins) {
      if (join.on) PRESSO_TRY(replace_in(*join.on, false));
    }
    const bool grouped = block_.is_grouped();
    SqlQuery& query = block_.query_;
    for (NamedExpression& key : query.group_by) PRESSO_TRY(replace_in(key.expression, false));
    for (NamedExpression& item : query.select) PRESSO_TRY(replace_in(item.expression, grouped));
    if (query.having) PRESSO_TRY(replace_in(*query.having, grouped));
    if (query.qualify) PRESSO_TRY(replace_in(*query.qualify, grouped));
    for (SortExpression& key : query.order_by) PRESSO_TRY(replace_in(key.expression, grouped));
    return {};
  }

 private:
  /// Conditions of WHERE that are IN or EXISTS as wholes become joins.
  Status lower_where() {
    SqlQuery& query = block_.query_;
    if (!query.where) return {};
    for (Expression& condition : conjuncts_of(*std::exchange(query.where, std::nullopt))) {
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

  /// Makes a semi or anti join of [NOT] IN or EXISTS, and returns what is left to be tested.
  Result<std::optional<Expression>> join_of(const Expression& node, bool negated) {
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
    // NOT IN has three values; it is computed in an expression.
    if (negated && tested) {
      Expression again = node;
      again.negated = true;
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
    if (groups && inner.query_.group_by.empty() && !tested) return std::optional(truth(!negated));
    std::vector<NamedExpression> list;
    std::vector<Expression> conditions;
    Relation rows;
    const std::string alias = lowering_.new_name();
    for (const CorrelationKey& key : keys) {
      list.push_back({key.inner, lowering_.new_name()});
      conditions.push_back(key_equality(key, alias, list.back().name));
      if (groups) inner.query_.group_by.push_back(list.back());
    }
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

  /// For a subquery without outer columns.
  Result<std::optional<Expression>> join_with_rows(const Expression& node, const Relation& rows,
                                                   const std::optional<Expression>& tested,
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

  /// Joins rows of which each row around the subquery finds at most one, where rows without one are
  /// dropped. As an inner join among the first ones it takes part in the choice of their order.
  void join_distinct(Relation rows, Expression on) {
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

  /// One source, of which conditions choose rows: it is joined without being kept first.
  bool is_simple(const Block& inner) const {
    const SqlQuery& query = inner.query_;
    bool plain = query.has_from && query.joins.empty() && query.group_by.empty() && !query.having &&
                 !query.qualify && query.limit == ~std::uint64_t{0} && query.offset == 0 &&
                 query.distinct_on.empty() && !inner.is_grouped();
    for (const NamedExpression& item : query.select) {
      plain = plain && !any_node(item.expression, [](const Expression& each) {
                return is_subquery(each) || is_window(each);
              });
    }
    return plain && !(query.where && any_node(*query.where, is_subquery));
  }

  /// Before a join with a much larger table, of which all rows would have to be kept: answers what
  /// has been joined so far if that gives few rows. These are kept instead, and the large table is
  /// only read.
  Status answer_first(const Block& inner, const std::optional<Expression>& tested) {
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
    std::swap(query, first);
    const Query before = block_.make_query();
    std::swap(query, first);
    PRESSO_ASSIGN(Relation found, lowering_.keep(before, "rows before a join with many"));
    if (found.rows() > most) return {};
    found.names = std::move(qualifiers);
    block_.continue_from(std::move(found));
    plain_.clear();
    first_joins_.clear();
    first_where_.reset();
    return {};
  }

  /// Selects the columns of the block's sources that are used, and lists what these sources are
  /// called. Returns false where two columns have one name, or joins give more than pairs of rows.
  bool select_used(const NamesUsed& used, SqlQuery& first,
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

  Status join_directly(Block& inner, const std::optional<Expression>& tested, SqlJoin::Kind kind) {
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

  /// Replaces all subqueries of a tree. `grouped`: the tree is computed from groups.
  Status replace_in(Expression& tree, bool grouped) {
    return rewrite(tree, [&](Expression& node) -> Result<bool> {
      if (!is_subquery(node)) return false;
      for (Expression& argument : node.arguments) PRESSO_TRY(replace_in(argument, grouped));
      PRESSO_ASSIGN(Expression value, value_of(node, grouped));
      node = at_place_of(std::move(value), node);
      return true;
    });
  }

  /// What stands for a subquery.
  Result<Expression> value_of(const Expression& node, bool grouped) {
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

  /// `x IN (rows)` as a list of literals where there are few, else by a left join.
  Result<Expression> is_among(const Expression& node, const Relation& rows) {
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

  /// The different values of a subquery's only column that are not null.
  struct Values {
    Relation rows;
    bool has_null = false;
    Expression column(const Expression& place) const {
      return qualified_column(rows.alias, rows.schema().columns[0].name, place);
    }
  };
  Result<Values> values_of(const Expression& node, const Relation& rows) {
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

  // --- Correlated subqueries

  /// What stands for a subquery that names outer columns: columns of a kept answer that is joined
  /// by its keys.
  Result<Expression> correlated_value(const Expression& node, Block& inner, bool grouped) {
    PRESSO_ASSIGN(const std::vector<CorrelationKey> keys, correlate(inner, node));
    if (node.op == Op::kExists) return exists_value(node, inner, keys, grouped);
    PRESSO_TRY(inner.expand_stars());
    PRESSO_ASSIGN(const NamedExpression item, only_item(inner, node));
    if (node.op == Op::kIn) return in_value(node, inner, keys, item, grouped);
    const bool of_all = inner.is_grouped() && inner.query_.group_by.empty();
    std::optional<Expression> of_none;
    if (of_all && !is_null_of_no_rows(item.expression)) {
      PRESSO_ASSIGN(of_none, value_of_no_rows(inner, item));
    }
    std::vector<NamedExpression> list = keys_as_items(keys);
    const NamedExpression value{item.expression, lowering_.new_name()};
    if (of_all) {
      inner.query_.group_by = list;
      list.push_back(value);
    } else if (inner.query_.limit == 1 && inner.query_.offset == 0) {
      PRESSO_TRY(first_of_each(inner, list));
      list.push_back(value);
    } else {
      PRESSO_TRY(group_single_rows(inner, list, value, node));
    }
    inner.query_.select = list;
    PRESSO_ASSIGN(Relation rows, kept(inner, "values of a subquery for each outer value"));
    if (!of_all && list.size() > keys.size() + 1) PRESSO_TRY(check_single(rows, node));
    const bool is_null_of_none = !of_none || of_none->kind == Kind::kCast;
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
    return case_when(is_null(result(alias, matched_name(alias), node, grouped)),
                     *std::move(of_none), std::move(found));
  }

  Result<Expression> exists_value(const Expression& node, Block& inner,
                                  const std::vector<CorrelationKey>& keys, bool grouped) {
    if (inner.is_grouped() && inner.query_.group_by.empty()) return truth(!node.negated);
    std::vector<NamedExpression> list = keys_as_items(keys);
    if (inner.is_grouped()) {
      inner.query_.group_by.insert(inner.query_.group_by.end(), list.begin(), list.end());
    }
    inner.query_.select = list;
    inner.query_.order_by.clear();
    inner.query_.limit = ~std::uint64_t{0};
    PRESSO_ASSIGN(Relation rows, kept_distinct(inner));
    const std::string alias = join_left(std::move(rows), keys, list);
    return is_null(result(alias, matched_name(alias), node, grouped), !node.negated);
  }

  /// CASE WHEN found THEN true WHEN no rows THEN false WHEN null is involved THEN null ELSE false.
  Result<Expression> in_value(const Expression& node, Block& inner,
                              const std::vector<CorrelationKey>& keys, const NamedExpression& item,
                              bool grouped) {
    const Expression& tested = node.arguments[0];
    if (inner.is_grouped()) {
      return lowering_.shown(refused_at(
          node, "IN (SELECT ...) with groups and outer columns is not supported; write EXISTS"));
    }
    std::vector<NamedExpression> list = keys_as_items(keys);
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

  /// Whether it is plain that the value of no rows is null: a sum or an extreme value, and what is
  /// computed from one.
  static bool is_null_of_no_rows(const Expression& tree) {
    if (tree.kind == Kind::kOperator && tree.op >= Op::kAdd && tree.op <= Op::kNegate) {
      return std::any_of(tree.arguments.begin(), tree.arguments.end(), is_null_of_no_rows);
    }
    return tree.kind == Kind::kFunction && !is_window(tree) &&
           (tree.text == "sum" || tree.text == "min" || tree.text == "max" || tree.text == "avg");
  }

  /// What an aggregate gives for no rows: null, or a count of 0. The sources are replaced by empty
  /// ones, so that nothing is joined.
  Result<Expression> value_of_no_rows(const Block& inner, const NamedExpression& item) {
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

  /// LIMIT n OFFSET m of the rows of each key.
  Status first_of_each(Block& inner, const std::vector<NamedExpression>& keys) {
    auto details = std::make_shared<CallDetails>();
    Window& window = details->over.emplace_back();
    for (const NamedExpression& key : keys) window.partition.push_back(key.expression);
    window.order = std::exchange(inner.query_.order_by, {});
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

  /// Without aggregates and LIMIT 1 there must be one row for each key, which check_single() sees
  /// by a count.
  Status group_single_rows(Block& inner, std::vector<NamedExpression>& list,
                           const NamedExpression& value, const Expression& node) {
    if (inner.is_grouped() || inner.query_.limit != ~std::uint64_t{0}) {
      return lowering_.shown(refused_at(
          node, "a subquery with outer columns gives one value by an aggregate or LIMIT 1"));
    }
    inner.query_.group_by = list;
    inner.query_.order_by.clear();
    inner.query_.distinct = false;
    list.push_back({call("min", {value.expression}), value.name});
    list.push_back({call("count", {}), lowering_.new_name()});
    return {};
  }

  Status check_single(const Relation& rows, const Expression& node) {
    Query query = lowering_.query_of(rows);
    query.select({{call("max", {column(rows.schema().columns.back().name)}), "#most"}});
    PRESSO_ASSIGN(const Relation most, lowering_.keep(query, "rows of a subquery for each value"));
    PRESSO_ASSIGN(const Expression rows_of_one, literal_of(most, 0, 0));
    if (rows_of_one.kind != Kind::kNumber || rows_of_one.text == "1") return {};
    return lowering_.shown(
        refused_at(node, "this subquery gives up to " + rows_of_one.text +
                             " rows for one row around it, where one must stand"));
  }

  /// Takes the conditions with outer columns out of the subquery's WHERE. Error: outer columns
  /// elsewhere.
  Result<std::vector<CorrelationKey>> correlate(Block& inner, const Expression& node) {
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
          "outer columns are supported in the WHERE of a subquery, not in its other clauses"));
    }
    bool all_equalities = true;
    for (const Expression& each : mixed) {
      const bool is_equality = each.kind == Kind::kOperator && each.op == Op::kEqual;
      const bool first_outer = is_equality && is_all_outer(inner, each.arguments[0]);
      const bool second_outer = is_equality && is_all_outer(inner, each.arguments[1]);
      const bool first_inner = is_equality && !has_outer(inner, each.arguments[0]);
      const bool second_inner = is_equality && !has_outer(inner, each.arguments[1]);
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
    return keys;
  }

  /// Where conditions choose few rows of the source that the keys come from, and the subquery reads
  /// a larger table: keeps the different keys of these rows, and drops all rows of the subquery
  /// that have none of them before it is computed.
  Status join_outer_keys(Block& inner, const std::vector<CorrelationKey>& keys) {
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
      same.push_back(equality(
          key.inner, qualified_column(alias, chosen.query_.select.back().name, key.inner)));
    }
    chosen.query_.distinct = true;
    PRESSO_ASSIGN(Relation rows, kept(chosen, "keys of the rows around a subquery"));
    if (rows.rows() * kMuchLarger > source.rows()) return {};
    rows.alias = alias;
    inner.add_join(std::move(rows), SqlJoin::Kind::kInner, all_of(std::move(same)));
    return {};
  }

  /// The only source of the SELECT around that the keys name.
  std::optional<std::size_t> owner_of(const std::vector<CorrelationKey>& keys) const {
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

  /// Gives `chosen` the conditions of WHERE on one source, and the semi joins that were made of
  /// conditions on it. None, if there are outer joins, after which WHERE means other rows.
  void add_conditions_on(std::size_t owner, Block& chosen) const {
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

  /// Keeps the different values of the outer columns in `conditions` and makes them a source of the
  /// subquery, whose columns replace the outer ones.
  Result<std::vector<CorrelationKey>> keep_outer_values(Block& inner,
                                                        std::vector<Expression>& conditions) {
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
        const auto known = std::find_if(keys.begin(), keys.end(), [&](const CorrelationKey& key) {
          return key.outer == column;
        });
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

  // --- Small parts

  /// The subquery with its sources opened and its own names settled.
  Result<Block> opened(const Expression& node) {
    const SqlStatement& statement = *node.statement;
    if (!statement.with.empty()) {
      // A WITH inside is answered with the subquery as a whole, which then cannot be correlated.
      SqlQuery none;
      return Block(lowering_, std::move(none), block_.common_, nullptr);
    }
    Block inner(lowering_, statement.select, block_.common_, &block_.scope_);
    PRESSO_TRY(inner.open_sources());
    PRESSO_TRY(inner.set_parameters());
    PRESSO_TRY(inner.settle_calls());
    PRESSO_TRY(inner.name_windows());
    PRESSO_TRY(inner.replace_aliases());
    PRESSO_TRY(inner.resolve_keys());
    PRESSO_TRY(check_names(inner));
    return inner;
  }

  /// The answer of a subquery that names no outer columns. `opened`: the subquery, if it is a
  /// SELECT whose sources are open already. EXISTS needs one row.
  Result<Relation> answer(const Expression& node, std::optional<Block> opened) {
    if (!opened || !node.statement->with.empty()) {
      return lowering_.answer(*node.statement, block_.common_, nullptr, "a subquery");
    }
    if (node.op == Op::kExists) {
      opened->query_.limit = std::min<std::uint64_t>(opened->query_.limit, 1);
    }
    return kept(*opened, "a subquery");
  }

  /// A qualified name whose table is known must be one of its columns.
  Status check_names(Block& inner) const {
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

  /// Lowers the rest of a block and keeps its answer.
  Result<Relation> kept(Block& block, const std::string& what) {
    PRESSO_TRY(block.expand_lists());
    PRESSO_TRY(block.lower_subqueries());
    PRESSO_ASSIGN(const Query query, block.finish());
    return lowering_.keep(query, what);
  }

  Result<Relation> kept_distinct(Block& block) {
    if (!block.is_grouped()) block.query_.distinct = true;
    return kept(block, "keys of a subquery");
  }

  bool is_outer(const Block& inner, const Expression& node) const {
    return node.kind == Kind::kColumn && !inner.scope_.source_of(node) &&
           block_.scope_.source_of(node).has_value();
  }
  bool has_outer(const Block& inner, const Expression& tree) const {
    return any_node(tree, [&](const Expression& node) { return is_outer(inner, node); });
  }
  bool is_all_outer(const Block& inner, const Expression& tree) const {
    return has_outer(inner, tree) && !any_node(tree, [&](const Expression& node) {
             return node.kind == Kind::kColumn && !is_outer(inner, node);
           });
  }
  bool is_correlated(const Block& inner) const {
    bool found = false;
    SqlQuery copy = inner.query_;
    const Status done = for_each_part(copy, [&](Expression& part) -> Status {
      found = found || has_outer(inner, part);
      return {};
    });
    return found || !done.ok();
  }

  /// Gives an outer column the name of its source, since a joined answer may have columns of the
  /// same name.
  void qualify_outer(Expression& column) const {
    if (!column.qualifier.empty()) return;
    if (const auto source = block_.scope_.source_of(column)) {
      column.qualifier = block_.qualifier_of(*source);
    }
  }

  std::vector<NamedExpression> keys_as_items(const std::vector<CorrelationKey>& keys) {
    std::vector<NamedExpression> list;
    for (const CorrelationKey& key : keys) list.push_back({key.inner, lowering_.new_name()});
    return list;
  }

  static Expression key_equality(const CorrelationKey& key, const std::string& alias,
                                 const std::string& name) {
    Expression inner = qualified_column(alias, name, key.outer);
    return key.nulls_are_equal ? same_or_null(key.outer, inner)
                               : equality(key.outer, std::move(inner));
  }

  static std::vector<Expression> key_equalities(const std::vector<CorrelationKey>& keys,
                                                const std::string& alias,
                                                const std::vector<NamedExpression>& list) {
    std::vector<Expression> conditions;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      conditions.push_back(key_equality(keys[i], alias, list[i].name));
    }
    return conditions;
  }

  /// Joins kept rows by their first columns, which are the keys, and a column that says whether
  /// there was a partner. Returns the alias of the rows.
  std::string join_left(Relation rows, const std::vector<CorrelationKey>& keys,
                        const std::vector<NamedExpression>& list,
                        const std::optional<std::pair<Expression, std::string>>& also = {}) {
    const std::string alias = lowering_.new_name();
    std::vector<Expression> conditions = key_equalities(keys, alias, list);
    if (also) {
      conditions.push_back(
          equality(also->first, qualified_column(alias, also->second, also->first)));
    }
    rows.alias = alias;
    matched_[alias] = list[0].name;
    block_.add_join(std::move(rows), SqlJoin::Kind::kLeft, all_of(std::move(conditions)));
    return alias;
  }
  /// A column of joined rows that is null where there was no partner.
  const std::string& matched_name(const std::string& alias) const { return matched_.at(alias); }

  /// A column of joined rows. In a group all rows have the same value, so that max() gives it.
  static Expression result(const std::string& alias, const std::string& name,
                           const Expression& node, bool grouped) {
    Expression value = qualified_column(alias, name, node);
    return grouped ? at_place_of(call("max", {std::move(value)}), node) : value;
  }

  Result<NamedExpression> only_item(const Block& inner, const Expression& node) const {
    if (inner.query_.select.size() == 1) return inner.query_.select[0];
    return lowering_.shown(refused_at(node, "this subquery selects " +
                                                std::to_string(inner.query_.select.size()) +
                                                " columns, where one must stand"));
  }
  Error not_one_column(const Expression& node, const TableSchema& schema) const {
    return lowering_.shown(refused_at(node, "this subquery selects " +
                                                std::to_string(schema.columns.size()) +
                                                " columns, where one must stand"));
  }

  Block& block_;
  Lowering& lowering_;
  // Conditions of WHERE without subqueries, and those with subqueries that were not looked at yet.
  std::vector<Expression> plain_;
  std::vector<Expression> waiting_;
  std::vector<SqlJoin> first_joins_;  ///< before subqueries added theirs
  std::optional<Expression> first_where_;
  std::map<std::string, std::string> matched_;  ///< by alias
  /// Whether rows for which the subquery at hand gives null are dropped.
  bool drops_nulls_ = false;
};

Result<bool> Block::lower_lateral(std::size_t join) {
  if (query_.joins[join].source.statement == nullptr) return false;
  return Subqueries(*this).lower_lateral(join);
}

Status Block::lower_subqueries() {
  bool found = false;
  PRESSO_TRY(for_each_part(query_, [&](Expression& part) -> Status {
    found = found || any_node(part, is_subquery);
    return {};
  }));
  if (!found) return {};
  return Subqueries(*this).lower();
}

}  // namespace presso::query
