// SPDX-License-Identifier: MIT
// Conditions of ON, USING and WHERE, taken apart (join_condition.h): each part goes to the earliest
// place where it may be tested: to the scan of one table, to the keys of a join, to pairs of rows,
// or behind all joins. Which joins are made first is not decided here: that is bind_joins.cpp's.
// Tested through tests/unit/query/run/join_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "query/bind/join_condition.h"
#include "query/plan/join_plan.h"
#include "query/plan/query_spec.h"

namespace presso::query {

/// By which rows are joined, with the text in which its errors are shown.
struct Equality {
  JoinEquality parts;
  std::string text;
};
/// Any other condition, likewise.
struct Rest {
  Expression condition;
  std::string text;
};

/// Names in parts of ON and USING are those of private_qualifier(), in parts of WHERE as written.
struct JoinParts {
  std::size_t inner = 0;  ///< how many joins stand before the first that is not inner
  std::vector<std::vector<Rest>> conditions_of;  ///< by source: of its rows alone
  std::vector<Equality> pool;                    ///< of inner joins before any other one
  std::vector<std::vector<Equality>> keys;       ///< by later join: of all before it with its table
  std::vector<std::vector<Rest>> residual;       ///< likewise: of pairs
  std::vector<Rest> inner_rest;  ///< of rows of all inner joins before the first other one
  std::vector<Rest> after;       ///< of rows behind all joins
};

/// Names are looked up as they stand in `query.columns`, by `binder`.
Result<JoinParts> take_joins_apart(BoundQuery& query, const QuerySpec& spec,
                                   const std::vector<SourceFacts>& sources, const Binder& binder);

/// The same as a condition.
Expression equality_expression(JoinEquality equality);

/// The joins of a query, taken apart, and its sources, each with the conditions on it alone.
struct JoinScans {
  JoinParts parts;  ///< without JoinParts::conditions_of
  std::vector<BoundSource> sources;
};

/// The first half of looking up a query with joins. Whoever plans the conditions of the sources
/// then, and sets BoundSource::plan, has the second half choose the order of joins by these plans.
/// Errors: those of bind_query().
Result<JoinScans> bind_scans(const QuerySpec& spec, std::vector<SourceFacts> sources);
/// The second half.
Result<BoundQuery> bind_query(const QuerySpec& spec, const std::vector<SourceFacts>& sources,
                              JoinScans scans);
/// Looks up the joins of `spec`, and its conditions. `query` has the combined columns; what it
/// makes of them are `query.joins` and `query.conditions`.
Status bind_joins(BoundQuery& query, const QuerySpec& spec, const std::vector<SourceFacts>& sources,
                  JoinScans scans, Binder& binder);

}  // namespace presso::query
