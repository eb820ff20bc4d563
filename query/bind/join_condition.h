// SPDX-License-Identifier: MIT
// Takes conditions over several tables apart for joins: into equalities that rows are matched by,
// conditions on one table, and the rest, which can only be tested on joined rows. All parts that
// are not `implied`, joined by AND, are true for the same rows as the whole condition. Pure
// functions of expression trees; places in the text are kept. Nothing is said about outer joins
// here, apart from on_may_filter() and where_may_filter().
// Tested by tests/unit/query/bind/join_condition_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "presso/expression.h"
#include "presso/sql.h"

namespace presso::query {

/// A set of tables: bit i for the table with number i.
using SourceSet = std::uint64_t;

constexpr SourceSet source_set(std::size_t source) {
  return SourceSet{1} << source;
}

/// Returns the number of the table, below kMaxSqlSources, that a Kind::kColumn belongs to, or an
/// error if no table or several have such a column.
using SourceOf = std::function<Result<std::size_t>(const Expression& column)>;

/// An equality between expressions of different tables. Invariant: both sides name at least one
/// table and no table occurs on both sides.
struct JoinEquality {
  Expression left;
  Expression right;
  SourceSet left_sources = 0;
  SourceSet right_sources = 0;
  /// For IS NOT DISTINCT FROM, where two NULLs match.
  bool nulls_are_equal = false;
};

/// A condition whose columns all belong to one table.
struct SourceCondition {
  Expression condition;
  std::size_t source = 0;
  /// Whether the condition merely follows from one in `rest` and may be left out. It is true
  /// wherever the whole is true; where the whole is false it may be anything.
  bool implied = false;
};

/// A condition on no table, or on several.
struct RestCondition {
  Expression condition;
  SourceSet sources = 0;
};

/// The parts of a condition, which are joined by AND.
struct JoinCondition {
  std::vector<JoinEquality> equalities;
  std::vector<SourceCondition> single;
  std::vector<RestCondition> rest;
};

/// Takes a condition apart at its ANDs. In `(a AND b) OR (a AND c)` the shared part `a` is taken
/// out. From `(l1 AND r1) OR (l2 AND r2)`, whose parts concern one table each, it concludes `l1 OR
/// l2` and `r1 OR r2` as implied conditions, so that TPC-H's Q19 gets its equality and conditions
/// on single tables. Takes time linear in the tree, except for such an OR, where conditions of the
/// first branch are compared with all others; beyond 64 conditions in the first branch this is not
/// tried. Errors: those of `source_of`.
Result<JoinCondition> split_condition(Expression condition, const SourceOf& source_of);

/// The set of tables that the columns of an expression belong to. Errors: those of `source_of`, and
/// more tables than a set holds.
Result<SourceSet> sources_of(const Expression& expression, const SourceOf& source_of);

/// Whether a condition of ON about one side alone may be tested on that side's rows before the
/// join. If not, rows for which it is false stay in the answer without a partner.
bool on_may_filter(SqlJoin::Kind kind, bool right_side);
/// Whether a condition of WHERE about one side alone may be tested on that side's rows before the
/// join. If not, it must be tested on joined rows, which may have NULLs for this side.
bool where_may_filter(SqlJoin::Kind kind, bool right_side);

}  // namespace presso::query
