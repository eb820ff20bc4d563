// SPDX-License-Identifier: MIT
// Conditions over several tables, taken apart for joins: equalities that rows are matched by, what
// is about one table alone, and what can be tested only on pairs of rows. All parts that are not
// `implied` together, joined by AND, are true for the same rows as the whole. Pure functions of
// trees; places in the text are kept. Tested by tests/unit/query/bind/join_condition_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "presso/expression.h"
#include "presso/sql.h"

namespace presso::query {

/// Which tables: bit i for the table with the number i.
using SourceSet = std::uint64_t;

constexpr SourceSet source_set(std::size_t source) {
  return SourceSet{1} << source;
}

/// The number of the table, below kMaxSqlSources, that a Kind::kColumn belongs to, or an error
/// where there is no such column or several.
using SourceOf = std::function<Result<std::size_t>(const Expression& column)>;

/// `left` and `right` are of different tables, at least one on each side.
struct JoinEquality {
  Expression left;
  Expression right;
  SourceSet left_sources = 0;
  SourceSet right_sources = 0;
  bool nulls_are_equal = false;  ///< IS NOT DISTINCT FROM
};

/// A condition of one table.
struct SourceCondition {
  Expression condition;
  std::size_t source = 0;
  /// It follows from a condition of `rest`, and may be left out. It is true wherever the whole is;
  /// where the whole is false it may be anything.
  bool implied = false;
};

/// Any other one: of no table, or of several.
struct RestCondition {
  Expression condition;
  SourceSet sources = 0;
};

struct JoinCondition {
  std::vector<JoinEquality> equalities;
  std::vector<SourceCondition> single;
  std::vector<RestCondition> rest;
};

/// Takes AND apart. Of `(a AND b) OR (a AND c)` it takes `a` out; of `(l1 AND r1) OR (l2 AND r2)`,
/// whose parts are about one table each, it concludes `l1 OR l2` and `r1 OR r2`, so that TPC-H's
/// Q19 has its equality and its conditions on single tables. Linear in the tree but for such an
/// OR, whose first branch counts only up to 64 conditions. Errors: those of `source_of`.
Result<JoinCondition> split_condition(Expression condition, const SourceOf& source_of);

/// Tables that the columns of an expression belong to.
Result<SourceSet> sources_of(const Expression& expression, const SourceOf& source_of);

/// Whether a condition of ON about one side alone may be tested on that side's rows before the
/// join. Where not, its rows stay in the answer although it is false for them.
bool on_may_filter(SqlJoin::Kind kind, bool right_side);
/// The same of a condition of WHERE; the other ones are tested on rows of the join, which may have
/// nulls for this side.
bool where_may_filter(SqlJoin::Kind kind, bool right_side);

}  // namespace presso::query
