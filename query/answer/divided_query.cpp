// SPDX-License-Identifier: MIT
// The public functions of queries over divided tables: which parts there are (divide), the partial
// answer of one part (partial), and the whole answer made of partial ones (merge). Distribution
// itself, sending work and collecting answers, is left to the caller (docs/distributed.md). How
// partial answers look is described in partial_query.h. Tested by python/tests/test_partial.py and
// test_joined_parts.py.
#include "query/answer/partial_query.h"
#include "query/answer/preparation.h"
#include "query/answer/query_body.h"
#include "query/filter/make_plan.h"
#include "query/filter/zone_counts.h"
#include "query/plan/join_plan.h"
#include "query/rows/table_facts.h"

namespace presso {
namespace {

using query::BoundQuery;
using query::Preparation;

/// Checks that the answer can be put together from answers for parts of the root's rows. Not
/// divisible: ungrouped rows with an order or a limit, and joins that return build rows depending
/// on whether any root row matches, which a part cannot know.
Status check_divisible(const BoundQuery& bound) {
  // Groups may be ordered and cut by whoever merges them; plain rows are returned as they are.
  const bool cuts = bound.last_row() != ~std::uint64_t{0} || bound.offset != 0;
  if (!bound.grouped() && (cuts || !bound.sort_keys.empty())) {
    return make_error(ErrorCode::kInvalidArgument,
                      "rows with an order or a limit have no parts; what puts the parts together "
                      "may order and cut them");
  }
  if (bound.joins == nullptr) return {};
  const query::JoinTree& tree = bound.joins->tree;
  for (const query::BoundStage& stage : tree.stages) {
    // Inner, left, semi and anti joins decide each root row by itself, so parts of the root are
    // independent.
    if (!query::gives_build_rows(stage.kind)) continue;
    const std::string& root = bound.joins->sources[tree.root].name;
    return make_error(ErrorCode::kInvalidArgument,
                      "this join gives rows of '" + bound.joins->sources[stage.build.root].name +
                          "' by whether any row of '" + root +
                          "' fits them, which no part of it knows: inner joins have parts, and so "
                          "have left, semi and anti joins whose first table is the larger one, and "
                          "right joins whose second table is");
  }
  return {};
}

/// GPUs neither produce nor consume partial states, so these queries run on the CPU.
QueryOptions on_cpu(QueryOptions options) {
  options.device.reset();
  return options;
}

}  // namespace

/// Names the source to divide, the root of the joins, and its row groups that zones do not rule
/// out. Reads directories only. A query whose groups have no partial form is refused here, before
/// any work is distributed.
Result<QueryDivision> Query::divide(const QueryOptions& options) const {
  query::Sources tables = body_->sources;
  query::share_directories(tables, options);
  PRESSO_ASSIGN(BoundQuery bound, body_->bind(tables, &options));
  PRESSO_TRY(check_divisible(bound));
  QueryDivision division;
  division.source = bound.joins == nullptr ? 0 : bound.joins->tree.root;
  division.grouped = bound.grouped();
  const BoundQuery& scan =
      bound.joins == nullptr ? bound : bound.joins->sources[division.source].scan;
  const std::vector<query::Condition> conditions = query::conditions_of(scan);
  for (const Table& table : tables[division.source]) {
    PRESSO_ASSIGN(auto groups, query::groups_by_zones(table, conditions, options.cancelled));
    division.wanted.push_back(std::move(groups));
  }
  if (bound.grouped()) PRESSO_TRY(query::partial_query(std::move(bound), {}));
  return division;
}

/// Answers for the part that this query's tables are, as a stream; the rows carry their order so
/// that merging restores the order of the whole table.
Status Query::partial(const PartialForm& form, const QueryOptions& options,
                      ArrowArrayStream& out) const {
  query::Sources tables = body_->sources;
  query::share_directories(tables, options);
  PRESSO_ASSIGN(BoundQuery bound, body_->bind(tables, &options));
  PRESSO_TRY(check_divisible(bound));
  PRESSO_ASSIGN(bound, query::partial_query(std::move(bound), form));
  auto schema = std::make_shared<const TableSchema>(query::partial_schema(bound, form));
  auto prepared =
      std::make_shared<Preparation>(std::move(tables), std::move(bound), on_cpu(options));
  const auto numbered = [schema, form](ResultSink& sink) -> std::unique_ptr<ResultSink> {
    return std::make_unique<query::NumberedSink>(sink, *schema, form);
  };
  return query::stream(std::move(prepared), *schema, numbered, out);
}

/// Planning is left out (nullptr), since a schema does not depend on the order of joins.
Result<TableSchema> Query::partial_schema(const PartialForm& form) const {
  PRESSO_ASSIGN(BoundQuery bound, body_->bind(body_->sources, nullptr));
  PRESSO_ASSIGN(bound, query::partial_query(std::move(bound), form));
  return query::partial_schema(bound, form);
}

/// The merging query reads the partial answers as its tables; those of the original query are only
/// looked at for names and types.
Status Query::merge(std::vector<Table> partials, const PartialForm& form,
                    const QueryOptions& options, ArrowArrayStream& out) const {
  PRESSO_ASSIGN(BoundQuery bound, body_->bind(body_->sources, nullptr));
  if (partials.empty()) return make_error(ErrorCode::kInvalidArgument, "there is no table");
  for (const Table& partial : partials) {
    if (bound.grouped()) PRESSO_TRY(query::check_question(partial.schema(), form));
  }
  PRESSO_ASSIGN(std::vector<query::InputColumn> columns, query::input_columns(partials, {}));
  const std::uint64_t rows = query::rows_of(partials);
  PRESSO_ASSIGN(bound, query::merging_query(std::move(bound), std::move(columns), rows, form));
  query::Sources tables{std::move(partials)};
  query::share_directories(tables, options);
  auto prepared =
      std::make_shared<Preparation>(std::move(tables), std::move(bound), on_cpu(options));
  return query::stream(prepared, prepared->bound.schema, nullptr, out);
}

}  // namespace presso
