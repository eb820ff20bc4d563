// SPDX-License-Identifier: MIT
// Takes the conditions of ON, USING and WHERE apart (join_condition.h) and assigns each part to the
// earliest place where it may be tested without changing the answer: the scan of one table, the
// keys of a join, pairs of joined rows, or the rows after all joins. Outer joins restrict this: a
// condition of WHERE on the side that may get NULLs must wait for the join.
//
// The order of the joins is not decided here but in bind_joins.cpp. Looking up a query with joins
// takes two halves, bind_scans() and bind_query(), so that the caller can plan the scans in
// between. Tested through tests/unit/query/run/join_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "query/bind/join_condition.h"
#include "query/plan/join_plan.h"
#include "query/plan/query_spec.h"

namespace presso::query {

/// An equality that rows are joined by, with the text in which its errors are shown.
struct Equality {
  JoinEquality parts;
  std::string text;
};
/// Any other condition, with the text in which its errors are shown.
struct Rest {
  Expression condition;
  std::string text;
};

/// All parts of a query's conditions, by the place where they are tested. Columns in parts of ON
/// and USING are named by private_qualifier(); parts of WHERE are as the user wrote them.
struct JoinParts {
  /// The number of inner joins before the first join of another kind. Their order is free.
  std::size_t inner = 0;
  /// By source: conditions on its rows alone, which its scan tests.
  std::vector<std::vector<Rest>> conditions_of;
  /// Equalities of the first `inner` joins; bind_joins.cpp makes keys of them as it orders these
  /// joins.
  std::vector<Equality> pool;
  /// By join after these: the equalities between its table and all tables before it.
  std::vector<std::vector<Equality>> keys;
  /// By join after these: conditions on the pairs that it makes.
  std::vector<std::vector<Rest>> residual;
  /// Conditions on the rows that the first `inner` joins make together.
  std::vector<Rest> inner_rest;
  /// Conditions on the rows that all joins make.
  std::vector<Rest> after;
};

/// Takes all conditions of `spec` apart. `binder` looks names up among `query.columns`, whose
/// members `unusable` are changed on the way. Errors: kInvalidArgument for unknown or ambiguous
/// names and for tables that are named before they are joined, with the place.
Result<JoinParts> take_joins_apart(BoundQuery& query, const QuerySpec& spec,
                                   const std::vector<SourceFacts>& sources, const Binder& binder);

/// The equality as an expression (= or IS NOT DISTINCT FROM) for the places that take conditions.
Expression equality_expression(JoinEquality equality);

/// The result of the first half: the parts that concern several tables, and each table with the
/// conditions on it alone.
struct JoinScans {
  /// Without JoinParts::conditions_of, which has gone to the sources.
  JoinParts parts;
  std::vector<BoundSource> sources;
};

/// The first half of looking up a query with joins. The caller may then plan each source's
/// conditions and set BoundSource::plan; the second half orders the joins by the rows that these
/// plans leave. Errors: those of bind_query().
Result<JoinScans> bind_scans(const QuerySpec& spec, std::vector<SourceFacts> sources);
/// The second half: orders the joins and looks up the rest of the query.
Result<BoundQuery> bind_query(const QuerySpec& spec, const std::vector<SourceFacts>& sources,
                              JoinScans scans);
/// Builds `query.joins` and `query.conditions` from the parts. `query.columns` must hold the
/// combined columns of all sources. Errors: keys whose types cannot be compared, and tables that no
/// equality joins.
Status bind_joins(BoundQuery& query, const QuerySpec& spec, const std::vector<SourceFacts>& sources,
                  JoinScans scans, Binder& binder);

}  // namespace presso::query
