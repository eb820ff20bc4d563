// SPDX-License-Identifier: MIT
// Looks up, plans, explains, forecasts and runs queries: the implementation of PreparedQuery and of
// the functions of Query that need tables. Tested by
// tests/unit/query/answer/prepared_query_test.cpp and query_test.cpp.
#include <algorithm>
#include <optional>

#include "decompress/table/kept_directories.h"
#include "presso/ordered_pipeline.h"
#include "presso/stopwatch.h"
#include "query/answer/answer_stream.h"
#include "query/answer/coded_answer.h"
#include "query/answer/preparation.h"
#include "query/answer/query_body.h"
#include "query/bind/join_parts.h"
#include "query/compute/intervals.h"
#include "query/filter/make_plan.h"
#include "query/plan/join_plan.h"
#include "query/rows/table_facts.h"
#include "query/run/explain.h"
#include "query/run/query_forecast.h"
#include "query/run/query_shape.h"

namespace presso {
namespace {

using query::BoundQuery;
using query::Execution;
using query::Preparation;

/// Appends the warnings of all graphs of a query, each text once.
void add_warnings(const BoundQuery& query, std::vector<std::string>& all) {
  for (const query::Graph* graph : {query.input.get(), query.output.get()}) {
    if (graph == nullptr) continue;
    for (const std::string& warning : graph->warnings()) {
      if (std::find(all.begin(), all.end(), warning) == all.end()) all.push_back(warning);
    }
  }
  if (!query.joins) return;
  for (const query::BoundSource& source : query.joins->sources) add_warnings(source.scan, all);
}

/// The qualifiers that file names give: each name without folder and extensions.
std::vector<std::string> qualifiers_of(const std::vector<std::string>& names) {
  std::vector<std::string> qualifiers;
  for (const std::string& name : names) {
    const std::string stem = query::stem_of(name);
    if (!stem.empty()) qualifiers.push_back(stem);
  }
  return qualifiers;
}

/// The qualifiers of one table: its alias alone if it has one, else those of its files.
std::vector<std::string> given_names(const std::vector<std::string>& names,
                                     const std::string& alias) {
  return alias.empty() ? qualifiers_of(names) : std::vector<std::string>{alias};
}

/// All names of a table: the given ones, and "left" and "right" if there are two tables, or "t1"
/// and so on, unless another table has that name. The first one, which messages use, is unambiguous
/// if possible.
std::vector<std::string> source_names(const std::vector<std::vector<std::string>>& names,
                                      const std::vector<std::string>& aliases, std::size_t source) {
  std::vector<std::string> own = given_names(names[source], aliases[source]);
  std::vector<std::string> others;
  for (std::size_t other = 0; other < names.size(); ++other) {
    const auto given = given_names(names[other], aliases[other]);
    if (other != source) others.insert(others.end(), given.begin(), given.end());
  }
  const auto is_taken = [&others](const std::string& name) {
    return std::find(others.begin(), others.end(), name) != others.end();
  };
  std::vector<std::string> more;
  if (names.size() == 2) more.emplace_back(source == 0 ? "left" : "right");
  if (names.size() > 1) more.push_back("t" + std::to_string(source + 1));
  std::erase_if(more, is_taken);
  const bool shared = own.empty() || is_taken(own[0]);
  own.insert(shared ? own.begin() : own.end(), more.begin(), more.end());
  return own;
}

/// Plans the conditions on each source of a join, whose plans then decide the order of joins. If
/// planning a source fails it gets no plan; the error occurs again when the source is read.
void plan_scans(query::JoinScans& scans, const query::Sources& tables, QueryOptions options) {
  // A plan that the user dictates is for the root only.
  options.plan = {};
  for (std::size_t i = 0; i < tables.size(); ++i) {
    query::BoundSource& source = scans.sources[i];
    if (source.scan.conditions.empty()) continue;
    auto plan = query::make_filter_plan(tables[i], source.scan, options);
    if (plan.ok()) source.plan = std::move(*plan);
  }
}

/// Discards the answer, for --explain=analyze.
class NoSink final : public ResultSink {
 public:
  Result<bool> write(ResultBatch, Buffer) override { return true; }
};

}  // namespace

Result<BoundQuery> Query::Body::bind(const query::Sources& tables,
                                     const QueryOptions* options) const {
  if (error) return *error;
  std::vector<query::SourceFacts> facts;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    // A source without a file has no columns that could be looked up.
    if (tables[i].empty()) return make_error(ErrorCode::kInvalidArgument, "there is no table");
    query::SourceFacts one;
    PRESSO_ASSIGN(one.columns, query::input_columns(tables[i], names[i]));
    one.qualifiers = source_names(names, aliases, i);
    one.rows = query::rows_of(tables[i]);
    facts.push_back(std::move(one));
  }
  return without_bad_alloc([&]() -> Result<BoundQuery> {
    if (spec.joins.empty()) return query::bind_query(spec, std::move(facts));
    PRESSO_ASSIGN(query::JoinScans scans, query::bind_scans(spec, facts));
    if (options == nullptr) return query::bind_query(spec, facts, std::move(scans));
    plan_scans(scans, tables, *options);
    auto planned = query::bind_query(spec, facts, std::move(scans));
    if (planned.ok()) return planned;
    // If binding with plans fails, it is done again without, so that messages name tables in an
    // order that does not depend on data.
    auto plain = query::bind_query(spec, std::move(facts));
    return plain.ok() ? std::move(planned) : std::move(plain);
  });
}

namespace query {

std::string stem_of(const std::string& name) {
  const std::string file = name.substr(name.find_last_of('/') + 1);
  return file.substr(0, file.find('.'));
}

/// All tables share one budget; a directory that does not fit into it is read again when it is
/// needed.
void share_directories(Sources& sources, const QueryOptions& options) {
  constexpr std::uint64_t kMostBytes = 64u << 20;
  const std::uint64_t part = options.memory_bytes != 0 ? options.memory_bytes / 16 : kMostBytes;
  const auto budget = std::make_shared<MemoryBudget>(std::min(part, kMostBytes));
  for (std::vector<Table>& tables : sources) keep_directories(tables, budget);
}

Result<FilterPlan> Preparation::plan_of_root() {
  const std::lock_guard lock(mutex_);
  if (plan_) return *plan_;
  const JoinTree* const tree = bound.joins == nullptr ? nullptr : &bound.joins->tree;
  const std::size_t root = tree == nullptr ? 0 : tree->root;
  const BoundQuery& scan = tree == nullptr ? bound : bound.joins->sources[root].scan;
  // The order of joins was chosen with the help of this plan, so it stays, unless the user asks for
  // another one.
  const bool is_asked = !options.plan.plan.empty() || options.plan.rows != PlanChoice::Rows::kAuto;
  if (tree != nullptr && !is_asked) plan_ = bound.joins->sources[root].plan;
  if (!plan_) {
    PRESSO_ASSIGN(plan_, make_filter_plan(sources[root], scan, options));
  }
  return *plan_;
}

Result<Execution> Preparation::begin(const QueryOptions& asked, CodedResults codes,
                                     bool is_analyzed) {
  Execution execution(sources, bound, asked, std::move(codes), is_analyzed);
  PRESSO_ASSIGN(execution.plan, plan_of_root());
  return execution;
}

Status run_bound(Execution& execution, ResultSink& sink) {
  PRESSO_TRY(sink.begin(execution.query.schema));
  return without_bad_alloc([&] {
    return execution.query.grouped() ? run_groups(execution, sink) : run_rows(execution, sink);
  });
}

Status stream(std::shared_ptr<Preparation> prepared, const TableSchema& given, const WrapSink& wrap,
              ArrowArrayStream& out) {
  const QueryOptions& options = prepared->options;
  TableSchema schema = given;
  for (ColumnSchema& column : schema.columns) {
    if (options.stored_types) column.arrow_type.clear();
  }
  const std::atomic<bool>* const watched = options.cancelled;
  const std::size_t queued = 2 * std::size_t{threads_or_all(options.threads)};
  // The stream's thread owns a share of the preparation, so that the query may be destroyed before
  // its stream.
  std::vector<bool> coded = are_coded(prepared->coded);
  auto run = [prepared = std::move(prepared), wrap](ResultSink& sink,
                                                    const std::atomic<bool>& cancelled) -> Status {
    QueryOptions own = prepared->options;
    // The stream's flag takes the place of the caller's, which the stream watches itself.
    own.cancelled = &cancelled;
    PRESSO_ASSIGN(Execution execution, prepared->begin(own, prepared->coded));
    execution.start();
    if (!wrap) return run_bound(execution, sink);
    const std::unique_ptr<ResultSink> wrapped = wrap(sink);
    return run_bound(execution, *wrapped);
  };
  return stream_answer(schema, std::move(coded), std::move(run), watched, queued, out);
}

}  // namespace query

Result<PreparedQuery> Query::prepare(const QueryOptions& options) const {
  query::Sources tables = body_->sources;
  query::share_directories(tables, options);
  PRESSO_ASSIGN(BoundQuery bound, body_->bind(tables, &options));
  const auto is_interval = [&](query::NodeId id) {
    const query::Kernel* const kernel = bound.last_graph().at(id).kernel;
    return kernel != nullptr && kernel->is_interval;
  };
  if (options.keeps_answer &&
      std::any_of(bound.results.begin(), bound.results.end(), is_interval)) {
    return query::interval_refused();
  }
  auto prepared = std::make_shared<Preparation>(std::move(tables), std::move(bound), options);
  prepared->coded = query::coded_results(prepared->bound, options.dictionaries);
  return PreparedQuery(std::move(prepared));
}

const TableSchema& PreparedQuery::schema() const {
  return body_->bound.schema;
}

std::vector<std::string> PreparedQuery::warnings() const {
  std::vector<std::string> all;
  add_warnings(body_->bound, all);
  return all;
}

std::vector<bool> PreparedQuery::coded_columns() const {
  return query::are_coded(body_->coded);
}

/// Not thread-safe: no run of the same query may be in progress.
void PreparedQuery::use_device(std::shared_ptr<QueryDevice> device, bool cpu_fallback) {
  body_->options.device = std::move(device);
  body_->options.cpu_fallback = cpu_fallback;
}

void PreparedQuery::use_cpu() {
  body_->options.device.reset();
  body_->options.gpu_rates.reset();
}

std::string PreparedQuery::shape() const {
  return query::query_shape(body_->bound);
}

Result<QueryForecast> PreparedQuery::forecast() const {
  PRESSO_ASSIGN(Execution execution, body_->begin(body_->options));
  execution.start();
  return query::forecast_query(execution);
}

/// With `analyze` the query runs once and its answer is discarded, which takes as long as running
/// it.
Result<std::string> PreparedQuery::explain(bool analyze) const {
  PRESSO_ASSIGN(Execution execution, body_->begin(body_->options, {}, analyze));
  execution.start();
  std::optional<double> seconds;
  if (analyze) {
    const Stopwatch time;
    NoSink sink;
    PRESSO_TRY(query::run_bound(execution, sink));
    seconds = time.seconds();
  }
  return query::explain_text(execution, seconds);
}

/// Each run has an Execution of its own, so runs may be concurrent.
Result<QuerySummary> PreparedQuery::run(ResultSink& sink) const {
  PRESSO_ASSIGN(Execution execution, body_->begin(body_->options));
  execution.start();
  PRESSO_TRY(query::run_bound(execution, sink));
  return execution.summary;
}

Status PreparedQuery::run(ArrowArrayStream& out) const {
  return query::stream(body_, schema(), nullptr, out);
}

/// Names and types alone: no plan is made and no row is read.
Result<TableSchema> Query::schema() const {
  PRESSO_ASSIGN(BoundQuery bound, body_->bind(body_->sources, nullptr));
  return std::move(bound.schema);
}

Result<std::string> Query::explain(const QueryOptions& options, bool analyze) const {
  PRESSO_ASSIGN(const PreparedQuery prepared, prepare(options));
  return prepared.explain(analyze);
}

Result<QuerySummary> Query::run(const QueryOptions& options, ResultSink& sink) const {
  PRESSO_ASSIGN(const PreparedQuery prepared, prepare(options));
  return prepared.run(sink);
}

Status Query::run(const QueryOptions& options, ArrowArrayStream& out) const {
  PRESSO_ASSIGN(const PreparedQuery prepared, prepare(options));
  return prepared.run(out);
}

}  // namespace presso
