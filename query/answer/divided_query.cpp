// SPDX-License-Identifier: MIT
// Queries of divided tables (partial_query.h): which parts there are, partial answers, and the
// answer that is made of them.
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

/// Whether the answer can be put together of parts of the rows that are read one by one.
Status check_divisible(const BoundQuery& bound) {
  const bool cuts = bound.last_row() != ~std::uint64_t{0} || bound.offset != 0;
  if (!bound.grouped() && (cuts || !bound.sort_keys.empty())) {
    return make_error(ErrorCode::kInvalidArgument,
                      "rows with an order or a limit have no parts; what puts the parts together "
                      "may order and cut them");
  }
  if (bound.joins == nullptr) return {};
  const query::JoinTree& tree = bound.joins->tree;
  for (const query::BoundStage& stage : tree.stages) {
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

/// Devices neither give nor take states.
QueryOptions on_cpu(QueryOptions options) {
  options.device.reset();
  return options;
}

}  // namespace

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

Result<TableSchema> Query::partial_schema(const PartialForm& form) const {
  PRESSO_ASSIGN(BoundQuery bound, body_->bind(body_->sources, nullptr));
  PRESSO_ASSIGN(bound, query::partial_query(std::move(bound), form));
  return query::partial_schema(bound, form);
}

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
