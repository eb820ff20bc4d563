// SPDX-License-Identifier: MIT
// Lowers the subqueries of one SELECT; subqueries.cpp says how, and correlated.cpp has those that
// name columns of the SELECT around them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "query/statement/lowering.h"

namespace presso::query {

inline bool is_subquery(const Expression& node) {
  return node.kind == Expression::Kind::kSubquery;
}

/// The null of a truth value.
inline Expression unknown() {
  return cast_to(null_literal(), "bool");
}

inline Expression negated_if(bool negated, Expression condition) {
  return negated ? operation(Expression::Op::kNot, {std::move(condition)}) : std::move(condition);
}

/// An outer expression that a subquery depends on, and what stands for it among its own columns.
struct CorrelationKey {
  Expression inner;
  Expression outer;
  bool nulls_are_equal = false;
};

/// Used once for a SELECT, which it refers to.
class Subqueries {
 public:
  explicit Subqueries(Block& block) : block_(block), lowering_(block.lowering_) {}

  /// A statement in FROM that names columns of the sources before it: what it gives for each of
  /// their values is kept and joined. False where it names none.
  Result<bool> lower_lateral(std::size_t number);

  Status lower();

 private:
  /// Conditions of WHERE that are IN or EXISTS as wholes become joins.
  Status lower_where();

  /// Makes a semi or anti join of [NOT] IN or EXISTS, and returns what is left to be tested.
  Result<std::optional<Expression>> join_of(const Expression& node, bool negated);

  /// For a subquery without outer columns.
  Result<std::optional<Expression>> join_with_rows(const Expression& node, const Relation& rows,
                                                   const std::optional<Expression>& tested,
                                                   bool negated);

  /// Joins rows of which each row around the subquery finds at most one, where rows without one are
  /// dropped. As an inner join among the first ones it takes part in the choice of their order.
  void join_distinct(Relation rows, Expression on);

  /// One source, of which conditions choose rows: it is joined without being kept first.
  bool is_simple(const Block& inner) const;

  /// Before a join with a much larger table, of which all rows would have to be kept: answers what
  /// has been joined so far if that gives few rows. These are kept instead, and the large table is
  /// only read.
  Status answer_first(const Block& inner, const std::optional<Expression>& tested);

  /// Selects the columns of the block's sources that are used, and lists what these sources are
  /// called. Returns false where two columns have one name, or joins give more than pairs of rows.
  bool select_used(const NamesUsed& used, SqlQuery& first,
                   std::vector<std::string>& qualifiers) const;

  Status join_directly(Block& inner, const std::optional<Expression>& tested, SqlJoin::Kind kind);

  /// Replaces all subqueries of a tree. `grouped`: the tree is computed from groups.
  Status replace_in(Expression& tree, bool grouped);

  /// What stands for a subquery.
  Result<Expression> value_of(const Expression& node, bool grouped);

  /// `x IN (rows)` as a list of literals where there are few, else by a left join.
  Result<Expression> is_among(const Expression& node, const Relation& rows);

  /// The different values of a subquery's only column that are not null.
  struct Values {
    Relation rows;
    bool has_null = false;
    Expression column(const Expression& place) const {
      return qualified_column(rows.alias, rows.schema().columns[0].name, place);
    }
  };
  Result<Values> values_of(const Expression& node, const Relation& rows);

  // --- Correlated subqueries

  /// What stands for a subquery that names outer columns: columns of a kept answer that is joined
  /// by its keys.
  Result<Expression> correlated_value(const Expression& node, Block& inner, bool grouped);

  /// What stands for a subquery that gives one value, `item`, for each key.
  Result<Expression> single_value(const Expression& node, Block& inner,
                                  const std::vector<CorrelationKey>& keys,
                                  const NamedExpression& item, bool grouped);

  /// Whether the HAVING of a subquery that is_one_row() leaves its row.
  Result<Expression> having_value(const Expression& node, Block& inner,
                                  const std::vector<CorrelationKey>& keys, bool grouped);

  Result<Expression> exists_value(const Expression& node, Block& inner,
                                  const std::vector<CorrelationKey>& keys, bool grouped);

  /// CASE WHEN found THEN true WHEN no rows THEN false WHEN null is involved THEN null ELSE false.
  Result<Expression> in_value(const Expression& node, Block& inner,
                              const std::vector<CorrelationKey>& keys, const NamedExpression& item,
                              bool grouped);

  /// Whether it is plain that the value of no rows is null: a sum or an extreme value, and what is
  /// computed from one.
  static bool is_null_of_no_rows(const Expression& tree);

  /// What an aggregate gives for no rows: null, or a count of 0. The sources are replaced by empty
  /// ones, so that nothing is joined.
  Result<Expression> value_of_no_rows(const Block& inner, const NamedExpression& item);

  /// That of an item without aggregates: the item. Error: it names a column.
  Result<Expression> value_without_aggregates(const Block& inner, const Expression& tree) const;

  /// LIMIT n OFFSET m, where there is one, of the rows of each key.
  Status limit_each(Block& inner, const std::vector<NamedExpression>& keys);

  /// The keys and the value of a subquery that may give many rows. Error: two rows for one key.
  Result<Relation> single_rows(Block& inner, std::vector<NamedExpression>& list,
                               const NamedExpression& value, const Expression& node);

  Status check_single(const Relation& rows, const Expression& node);

  /// Aggregates without GROUP BY: there is one row also where WHERE leaves none.
  static bool is_one_row(const Block& inner);

  /// Whether outer columns in the tree are keys of the groups of the SELECT around, or in keys.
  bool is_of_groups(const Block& inner, const Expression& tree) const;
  /// What a key of groups that has subqueries became, if the tree is that key.
  std::optional<Expression> replaced_key(const Expression& tree) const;
  /// Error: the subquery stands among groups, but does not have one answer for each.
  Status check_groups(const Block& inner, const Expression& node) const;
  /// Error: a clause whose meaning for each key is not that for all of them, unless this is known
  /// here. Drops clauses without a meaning for one row.
  Status check_clauses(Block& inner, const Expression& node) const;
  /// Window functions and DISTINCT ON see the rows of one key at a time.
  static Status separate_keys(Block& inner, const std::vector<CorrelationKey>& keys);

  /// Takes the conditions with outer columns out of the subquery's WHERE. Error: outer columns
  /// elsewhere.
  Result<std::vector<CorrelationKey>> correlate(Block& inner, const Expression& node);

  /// Where conditions choose few rows of the source that the keys come from, and the subquery reads
  /// a larger table: keeps the different keys of these rows, and drops all rows of the subquery
  /// that have none of them before it is computed.
  Status join_outer_keys(Block& inner, const std::vector<CorrelationKey>& keys);

  /// The only source of the SELECT around that the keys name.
  std::optional<std::size_t> owner_of(const std::vector<CorrelationKey>& keys) const;

  /// Gives `chosen` the conditions of WHERE on one source, and the semi joins that were made of
  /// conditions on it. None, if there are outer joins, after which WHERE means other rows.
  void add_conditions_on(std::size_t owner, Block& chosen) const;

  /// Keeps the different values of the outer columns in `conditions` and makes them a source of the
  /// subquery, whose columns replace the outer ones.
  Result<std::vector<CorrelationKey>> keep_outer_values(Block& inner,
                                                        std::vector<Expression>& conditions);

  /// `rows` has a row for each key that the aggregates of LATERAL found rows for; adds one for each
  /// other value of the keys in the sources before it.
  Result<Relation> with_all_keys(Relation rows, const std::vector<CorrelationKey>& keys,
                                 const std::vector<NamedExpression>& items,
                                 const std::vector<std::optional<Expression>>& of_none);

  // --- Small parts

  /// The subquery with its sources opened and its own names settled.
  Result<Block> opened(const Expression& node);

  /// EXISTS over a statement in FROM with names of its columns, as ANY, ALL and (a, b) IN make it,
  /// where that statement names outer columns: both become one SELECT. nullopt for all others.
  Result<std::optional<Block>> opened_as_one(const SqlQuery& exists);

  /// The answer of a subquery that names no outer columns. `opened`: the subquery, if it is a
  /// SELECT whose sources are open already. EXISTS needs one row.
  Result<Relation> answer(const Expression& node, std::optional<Block> opened);

  /// A qualified name whose table is known must be one of its columns.
  Status check_names(Block& inner) const;

  /// Lowers the rest of a block and keeps its answer.
  Result<Relation> kept(Block& block, const std::string& what);

  Result<Relation> kept_distinct(Block& block);

  bool is_outer(const Block& inner, const Expression& node) const;
  bool has_outer(const Block& inner, const Expression& tree) const;
  bool is_all_outer(const Block& inner, const Expression& tree) const;
  bool is_correlated(const Block& inner) const;

  /// Gives an outer column the name of its source, since a joined answer may have columns of the
  /// same name. A column of USING becomes COALESCE of the columns that it joins, since some of
  /// them are null in rows of outer joins.
  void qualify_outer(Expression& column) const;

  std::vector<NamedExpression> keys_as_items(const std::vector<CorrelationKey>& keys);

  static Expression key_equality(const CorrelationKey& key, const std::string& alias,
                                 const std::string& name);

  static std::vector<Expression> key_equalities(const std::vector<CorrelationKey>& keys,
                                                const std::string& alias,
                                                const std::vector<NamedExpression>& list);

  /// Joins kept rows by their first columns, which are the keys, and a column that says whether
  /// there was a partner. Returns the alias of the rows.
  std::string join_left(Relation rows, const std::vector<CorrelationKey>& keys,
                        const std::vector<NamedExpression>& list,
                        const std::optional<std::pair<Expression, std::string>>& also = {});
  /// A column of joined rows that is null where there was no partner.
  const std::string& matched_name(const std::string& alias) const { return matched_.at(alias); }

  /// A column of joined rows. In a group all rows have the same value, so that max() gives it.
  static Expression result(const std::string& alias, const std::string& name,
                           const Expression& node, bool grouped);

  Result<NamedExpression> only_item(const Block& inner, const Expression& node) const;
  Error not_one_column(const Expression& node, const TableSchema& schema) const;

  Block& block_;
  Lowering& lowering_;
  // Conditions of WHERE without subqueries, and those with subqueries that were not looked at yet.
  std::vector<Expression> plain_;
  std::vector<Expression> waiting_;
  std::vector<SqlJoin> first_joins_;  ///< before subqueries added theirs
  std::optional<Expression> first_where_;
  std::vector<Expression> keys_with_subqueries_;  ///< of GROUP BY, before they were replaced
  std::map<std::string, std::string> matched_;    ///< by alias
  /// Whether rows for which the subquery at hand gives null are dropped.
  bool drops_nulls_ = false;
};

}  // namespace presso::query
