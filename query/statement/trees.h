// SPDX-License-Identifier: MIT
// Walks over trees of expressions, and small trees that lowering builds. Statements within an
// expression are not entered unless it says so. Tested through tests/unit/query/statement.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "presso/expression.h"
#include "presso/sql.h"

namespace presso::query {

/// Called for a node before its parts; true: the node was replaced and its parts are left alone.
using Replace = std::function<Result<bool>(Expression& node)>;

/// Calls `replace` for all nodes from the root on, also in FILTER, ORDER BY and OVER of calls.
Status rewrite(Expression& tree, const Replace& replace);
/// Calls `take` for each expression of a SELECT: items, conditions of joins, WHERE and so on.
template <class Select, class Take>
Status for_each_part(Select& query, const Take& take) {
  for (auto& item : query.select) PRESSO_TRY(take(item.expression));
  for (auto& key : query.distinct_on) PRESSO_TRY(take(key));
  for (auto& join : query.joins) {
    if (join.on) PRESSO_TRY(take(*join.on));
  }
  if (query.where) PRESSO_TRY(take(*query.where));
  for (auto& key : query.group_by) PRESSO_TRY(take(key.expression));
  if (query.having) PRESSO_TRY(take(*query.having));
  if (query.qualify) PRESSO_TRY(take(*query.qualify));
  for (auto& key : query.order_by) PRESSO_TRY(take(key.expression));
  return {};
}
/// Whether the node calls the function of this name.
inline bool is_call_of(const Expression& node, std::string_view name) {
  return node.kind == Expression::Kind::kFunction && node.text == name;
}
/// Whether any_node() finds one in some expression of a SELECT.
bool any_node_of(const SqlQuery& query, const std::function<bool(const Expression&)>& is);
/// Whether some node of the tree, or of what stands after its calls, fulfils the condition.
bool any_node(const Expression& tree, const std::function<bool(const Expression&)>& is);

/// The names of all columns in parts of a statement, whichever table they belong to, with those in
/// statements within it.
class NamesUsed {
 public:
  void add(const Expression& tree);
  void add(const SqlQuery& query);
  void add(const SqlStatement& statement);
  /// Whether a column of that name may be meant somewhere. Letter case does not matter.
  bool has(const std::string& name) const;
  /// Whether columns are meant without being named: by a star, NATURAL JOIN, PIVOT, new names.
  bool means_all() const { return means_all_ || stars_ > counts_; }
  /// All names in lower case, with those of tables that stand before a column: `a.b` may be a field
  /// of a column a.
  std::set<std::string> with_qualifiers() const;

 private:
  void add(const SqlSource& source);

  std::set<std::string> names_;  ///< in lower case
  std::set<std::string> qualifiers_;
  std::size_t stars_ = 0;
  std::size_t counts_ = 0;  ///< stars of count(*), which mean no column
  bool means_all_ = false;
};

/// Whether the condition compares the only subquery in it, or what is computed from it: where that
/// is null, the condition is not true.
bool compares_one_subquery(const Expression& condition);

/// Whether the join gives the pairs of rows that fulfil a condition, and no other rows.
bool joins_pairs(const SqlJoin& join);

/// Takes a condition apart at its ANDs.
std::vector<Expression> conjuncts_of(Expression condition);
/// Joins conditions by AND; there must be at least one.
Expression all_of(std::vector<Expression> conditions);

/// `tree` gets the place in the text of `place`, for errors.
Expression at_place_of(Expression tree, const Expression& place);
Expression qualified_column(std::string qualifier, std::string name, const Expression& place);
Expression truth(bool value);
Expression null_literal();
Expression is_null(Expression value, bool negated = false);
Expression equality(Expression a, Expression b);
/// Whether two values of one type are equal or both null, as conditions of a join: their hashes are
/// equal, by which rows find each other, and the values are.
Expression same_or_null(const Expression& a, const Expression& b);
/// CASE WHEN condition THEN value [ELSE otherwise] END.
Expression case_when(Expression condition, Expression value);
Expression case_when(Expression condition, Expression value, Expression otherwise);
Expression cast_to(Expression value, std::string type);
/// A cast whose rows are kept with its type, too: a cast of a narrower column alone is that column.
Expression kept_as_cast(Expression cast);

/// kInvalidArgument at the place of `where`.
Error refused_at(const Expression& where, std::string what);

}  // namespace presso::query
