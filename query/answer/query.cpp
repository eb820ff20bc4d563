// SPDX-License-Identifier: MIT
#include "presso/query.h"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include "presso/ordered_pipeline.h"
#include "presso/stopwatch.h"
#include "query/answer/answer_stream.h"
#include "query/answer/coded_answer.h"
#include "query/answer/partial_query.h"
#include "query/bind/shown.h"
#include "query/plan/join_plan.h"
#include "query/rows/table_facts.h"
#include "query/run/execution.h"
#include "query/run/explain.h"
#include "query/run/make_plan.h"
#include "query/run/query_forecast.h"
#include "query/run/zone_counts.h"

namespace presso {

using query::BoundQuery;
using query::Execution;

struct Query::Body {
  query::Sources sources;
  std::vector<std::vector<std::string>> names;  ///< of each source's files
  std::vector<std::string> aliases;             ///< of the sources; may be empty
  std::string text;                             ///< of trees that are given
  query::QuerySpec spec;
  std::optional<Error> error;  ///< the first text that does not parse
};

namespace {

/// Hands on what was parsed, or keeps the first error.
template <class Parsed, class Take>
void parse_into(std::string_view text, Result<Parsed> parsed, std::optional<Error>& error,
                Take take) {
  if (parsed.ok()) {
    take(std::move(*parsed));
  } else if (!error) {
    error = make_error(ErrorCode::kInvalidArgument, explain_expression_error(text, parsed.error()));
  }
}

std::uint64_t half_of_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page_bytes <= 0) return std::uint64_t{1} << 30;
  return static_cast<std::uint64_t>(pages) / 2 * static_cast<std::uint64_t>(page_bytes);
}

/// What may stand before the point of a name: the file's name without folder and endings.
std::vector<std::string> qualifiers_of(const std::vector<std::string>& names) {
  std::vector<std::string> qualifiers;
  for (const std::string& name : names) {
    std::string stem = name.substr(name.find_last_of('/') + 1);
    stem = stem.substr(0, stem.find('.'));
    if (!stem.empty()) qualifiers.push_back(stem);
  }
  return qualifiers;
}

/// Passes an answer on to nobody: for --explain=analyze.
class NoSink final : public ResultSink {
 public:
  Result<bool> write(ResultBatch, Buffer) override { return true; }
};

}  // namespace

Status ResultSink::begin(const TableSchema&) {
  return {};
}

Result<Buffer> ResultSink::encode(const ResultBatch&) {
  return Buffer();
}

Query::Query(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Query::Query(Query&&) noexcept = default;
Query& Query::operator=(Query&&) noexcept = default;
Query::~Query() = default;

Query Query::from(const Table& table) {
  return from(std::vector<Table>{table});
}

Query Query::from(std::vector<Table> tables, std::vector<std::string> names) {
  auto body = std::make_unique<Body>();
  body->sources.push_back(std::move(tables));
  body->names.push_back(std::move(names));
  body->aliases.emplace_back();
  return Query(std::move(body));
}

Query& Query::as(std::string_view alias) {
  body_->aliases.back() = alias;
  return *this;
}

Query& Query::join(std::vector<Table> tables, std::vector<std::string> names, JoinKind kind,
                   std::string_view on) {
  query::JoinSpec join;
  join.kind = kind;
  join.text = on;
  parse_into(on, parse_expressions(on), body_->error, [&](std::vector<NamedExpression> parsed) {
    Status done = query::take_on_list(std::move(parsed), join);
    if (!done.ok() && !body_->error) {
      body_->error = query::shown(std::move(done.error()), join.text);
    }
  });
  return join_spec(std::move(tables), std::move(names), std::move(join));
}

Query& Query::join(std::vector<Table> tables, std::vector<std::string> names, JoinKind kind,
                   std::optional<Expression> on) {
  query::JoinSpec join;
  join.kind = kind;
  join.on = std::move(on);
  join.text = body_->text;
  return join_spec(std::move(tables), std::move(names), std::move(join));
}

Query& Query::join_using(std::vector<Table> tables, std::vector<std::string> names, JoinKind kind,
                         std::vector<Expression> columns) {
  query::JoinSpec join;
  join.kind = kind;
  join.using_columns = std::move(columns);
  join.text = body_->text;
  return join_spec(std::move(tables), std::move(names), std::move(join));
}

Query& Query::join_spec(std::vector<Table> tables, std::vector<std::string> names,
                        query::JoinSpec join) {
  if (body_->sources.size() == kMostJoined && !body_->error) {
    body_->error = make_error(ErrorCode::kInvalidArgument,
                              "at most " + std::to_string(kMostJoined) + " tables are joined");
  }
  body_->spec.joins.push_back(std::move(join));
  body_->sources.push_back(std::move(tables));
  body_->names.push_back(std::move(names));
  body_->aliases.emplace_back();
  return *this;
}

Query& Query::parsed_from(std::string_view text) {
  body_->text = text;
  return *this;
}

Query& Query::where(std::string_view text) {
  parse_into(text, parse_expression(text), body_->error, [&](Expression parsed) {
    body_->spec.conditions.push_back({std::move(parsed), std::string(text)});
  });
  return *this;
}

Query& Query::where(Expression condition) {
  body_->spec.conditions.push_back({std::move(condition), body_->text});
  return *this;
}

Query& Query::select(std::string_view list) {
  parse_into(list, parse_expressions(list), body_->error, [&](std::vector<NamedExpression> parsed) {
    for (NamedExpression& item : parsed) {
      body_->spec.select.push_back({std::move(item), std::string(list)});
    }
  });
  return *this;
}

Query& Query::select(std::vector<NamedExpression> list) {
  for (NamedExpression& item : list) body_->spec.select.push_back({std::move(item), body_->text});
  return *this;
}

Query& Query::distinct() {
  body_->spec.distinct = true;
  return *this;
}

Query& Query::group_by(std::string_view list) {
  parse_into(list, parse_expressions(list), body_->error, [&](std::vector<NamedExpression> parsed) {
    for (NamedExpression& item : parsed) {
      body_->spec.group_by.push_back({std::move(item), std::string(list)});
    }
  });
  return *this;
}

Query& Query::group_by(std::vector<Expression> keys) {
  for (Expression& key : keys) {
    std::string name = key.kind == Expression::Kind::kColumn ? key.text : to_text(key);
    body_->spec.group_by.push_back({{std::move(key), std::move(name)}, body_->text});
  }
  return *this;
}

Query& Query::aggregate(std::string_view list) {
  parse_into(list, parse_expressions(list), body_->error, [&](std::vector<NamedExpression> parsed) {
    for (NamedExpression& item : parsed) {
      body_->spec.aggregates.push_back({std::move(item), std::string(list)});
    }
  });
  return *this;
}

Query& Query::having(std::string_view text) {
  parse_into(text, parse_expression(text), body_->error, [&](Expression parsed) {
    body_->spec.having.push_back({std::move(parsed), std::string(text)});
  });
  return *this;
}

Query& Query::having(Expression condition) {
  body_->spec.having.push_back({std::move(condition), body_->text});
  return *this;
}

Query& Query::order_by(std::string_view list) {
  parse_into(list, parse_sort_expressions(list), body_->error,
             [&](std::vector<SortExpression> parsed) {
               for (SortExpression& key : parsed) {
                 body_->spec.order_by.push_back({std::move(key), std::string(list)});
               }
             });
  return *this;
}

Query& Query::order_by(std::vector<SortExpression> keys) {
  for (SortExpression& key : keys) body_->spec.order_by.push_back({std::move(key), body_->text});
  return *this;
}

Query& Query::limit(std::uint64_t rows, std::uint64_t offset) {
  body_->spec.limit = rows;
  body_->spec.offset = offset;
  return *this;
}

namespace {

/// What people call a table: by its alias, else by its files.
std::vector<std::string> given_names(const std::vector<std::string>& names,
                                     const std::string& alias) {
  return alias.empty() ? qualifiers_of(names) : std::vector<std::string>{alias};
}

/// Names of a table: those that were given, and "left" and "right" of two, or "t1" and so on, as
/// far as nothing else is called so. The first one is no other table's, where that is possible.
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

Result<BoundQuery> look_up(const query::Sources& sources,
                           const std::vector<std::vector<std::string>>& names,
                           const std::vector<std::string>& aliases, const query::QuerySpec& spec,
                           const std::optional<Error>& error, const QueryOptions* options) {
  if (error) return *error;
  std::vector<query::SourceFacts> facts;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].empty()) return make_error(ErrorCode::kInvalidArgument, "there is no table");
    query::SourceFacts one;
    PRESSO_ASSIGN(one.columns, query::input_columns(sources[i], names[i]));
    one.qualifiers = source_names(names, aliases, i);
    one.rows = query::rows_of(sources[i]);
    if (options != nullptr && sources.size() > 1) {
      one.plan = [&tables = sources[i], options](const BoundQuery& scan) {
        QueryOptions own = *options;
        own.plan = {};
        return query::make_filter_plan(tables, scan, own);
      };
    }
    facts.push_back(std::move(one));
  }
  return without_bad_alloc([&] { return query::bind_query(spec, std::move(facts)); });
}

/// That by which the order of joins was chosen, unless another one is asked for.
Result<query::FilterPlan> plan_of_root(const Execution& execution, const QueryOptions& options) {
  const bool asked = !options.plan.plan.empty() || options.plan.rows != PlanChoice::Rows::kAuto;
  if (execution.tree != nullptr && !asked) {
    const auto& known = execution.query.joins->sources[execution.tree->root].plan;
    if (known) return *known;
  }
  return query::make_filter_plan(execution.tables, execution.scan, options);
}

Result<Execution> prepare(const query::Sources& sources, const BoundQuery& bound,
                          const QueryOptions& options) {
  Execution execution(sources, bound);
  PRESSO_ASSIGN(execution.plan, plan_of_root(execution, options));
  execution.options = options;
  execution.threads = threads_or_all(options.threads);
  execution.memory_bytes = options.memory_bytes != 0 ? options.memory_bytes : half_of_memory();
  for (const auto& tables : sources) execution.summary.rows_in += query::rows_of(tables);
  return execution;
}

Status run_bound(Execution& execution, ResultSink& sink) {
  PRESSO_TRY(sink.begin(execution.query.schema));
  return without_bad_alloc([&] {
    return execution.query.grouped() ? run_groups(execution, sink) : run_rows(execution, sink);
  });
}

}  // namespace

namespace {

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

}  // namespace

Result<TableSchema> Query::schema() const {
  PRESSO_ASSIGN(BoundQuery bound, look_up(body_->sources, body_->names, body_->aliases, body_->spec,
                                          body_->error, nullptr));
  return std::move(bound.schema);
}

Result<std::string> Query::explain(const QueryOptions& options, bool analyze) const {
  PRESSO_ASSIGN(const BoundQuery bound, look_up(body_->sources, body_->names, body_->aliases,
                                                body_->spec, body_->error, &options));
  PRESSO_ASSIGN(Execution execution, prepare(body_->sources, bound, options));
  execution.start();
  std::optional<double> seconds;
  if (analyze) {
    const Stopwatch time;
    NoSink sink;
    execution.is_analyzed = true;
    PRESSO_TRY(run_bound(execution, sink));
    seconds = time.seconds();
  }
  return query::explain_text(execution, seconds);
}

Result<QueryDivision> Query::divide(const QueryOptions& options) const {
  PRESSO_ASSIGN(BoundQuery bound, look_up(body_->sources, body_->names, body_->aliases, body_->spec,
                                          body_->error, &options));
  PRESSO_TRY(check_divisible(bound));
  QueryDivision division;
  division.source = bound.joins == nullptr ? 0 : bound.joins->tree.root;
  division.grouped = bound.grouped();
  const BoundQuery& scan =
      bound.joins == nullptr ? bound : bound.joins->sources[division.source].scan;
  const std::vector<query::Condition> conditions = query::conditions_of(scan);
  for (const Table& table : body_->sources[division.source]) {
    PRESSO_ASSIGN(auto groups, query::groups_by_zones(table, conditions, options.cancelled));
    division.wanted.push_back(std::move(groups));
  }
  if (bound.grouped()) PRESSO_TRY(query::partial_query(std::move(bound), {}));
  return division;
}

Query& Query::divided(std::size_t source) {
  body_->spec.root = source;
  return *this;
}

Result<QueryForecast> Query::forecast(const QueryOptions& options) const {
  PRESSO_ASSIGN(const BoundQuery bound, look_up(body_->sources, body_->names, body_->aliases,
                                                body_->spec, body_->error, &options));
  PRESSO_ASSIGN(Execution execution, prepare(body_->sources, bound, options));
  execution.start();
  return query::forecast_query(execution);
}

Result<QuerySummary> Query::run(const QueryOptions& options, ResultSink& sink) const {
  PRESSO_ASSIGN(const BoundQuery bound, look_up(body_->sources, body_->names, body_->aliases,
                                                body_->spec, body_->error, &options));
  PRESSO_ASSIGN(Execution execution, prepare(body_->sources, bound, options));
  execution.start();
  PRESSO_TRY(run_bound(execution, sink));
  return execution.summary;
}

namespace {

/// What streams keep until they are released.
struct KeptQuery {
  query::Sources sources;
  BoundQuery bound;
  query::CodedResults coded = {};
};

std::vector<bool> are_coded(const query::CodedResults& coded) {
  std::vector<bool> are;
  for (const auto& column : coded) are.push_back(column.has_value());
  return are;
}

/// The answer of a query that was looked up. `sink_of(sink)` gives what is written to in its place.
template <class SinkOf>
Status stream(std::shared_ptr<const KeptQuery> kept, const TableSchema& schema,
              const QueryOptions& options, SinkOf sink_of, ArrowArrayStream& out) {
  auto run = [kept, options, sink_of](ResultSink& sink,
                                      const std::atomic<bool>& cancelled) -> Status {
    QueryOptions own = options;
    own.cancelled = &cancelled;
    PRESSO_ASSIGN(Execution execution, prepare(kept->sources, kept->bound, own));
    execution.start();
    execution.coded = kept->coded;
    auto&& to = sink_of(sink);
    return run_bound(execution, to);
  };
  const std::size_t queued = 2 * std::size_t{threads_or_all(options.threads)};
  return query::stream_answer(schema, are_coded(kept->coded), std::move(run), options.cancelled,
                              queued, out);
}

/// Devices neither give nor take states.
QueryOptions on_cpu(QueryOptions options) {
  options.device.reset();
  return options;
}

/// What is written goes on as it is.
ResultSink& same_sink(ResultSink& sink) {
  return sink;
}

}  // namespace

Status Query::run(const QueryOptions& options, ArrowArrayStream& out) const {
  PRESSO_ASSIGN(BoundQuery bound, look_up(body_->sources, body_->names, body_->aliases, body_->spec,
                                          body_->error, &options));
  auto coded = query::coded_results(bound, options.dictionaries);
  auto kept = std::make_shared<const KeptQuery>(
      KeptQuery{body_->sources, std::move(bound), std::move(coded)});
  return stream(kept, kept->bound.schema, options, same_sink, out);
}

Result<std::vector<std::string>> Query::dictionary_columns() const {
  if (body_->error) return *body_->error;
  return query::columns_in_dictionaries(body_->sources.front());
}

Result<std::vector<bool>> Query::coded_columns(const std::vector<std::string>& dictionaries) const {
  PRESSO_ASSIGN(const BoundQuery bound, look_up(body_->sources, body_->names, body_->aliases,
                                                body_->spec, body_->error, nullptr));
  return are_coded(query::coded_results(bound, dictionaries));
}

Status Query::partial(const PartialForm& form, const QueryOptions& options,
                      ArrowArrayStream& out) const {
  PRESSO_ASSIGN(BoundQuery bound, look_up(body_->sources, body_->names, body_->aliases, body_->spec,
                                          body_->error, &options));
  PRESSO_TRY(check_divisible(bound));
  PRESSO_ASSIGN(bound, query::partial_query(std::move(bound), form));
  auto schema = std::make_shared<const TableSchema>(query::partial_schema(bound, form));
  auto kept = std::make_shared<const KeptQuery>(KeptQuery{body_->sources, std::move(bound)});
  const auto numbered = [schema, form](ResultSink& sink) {
    return query::NumberedSink(sink, *schema, form);
  };
  return stream(kept, *schema, on_cpu(options), numbered, out);
}

Result<TableSchema> Query::partial_schema(const PartialForm& form) const {
  PRESSO_ASSIGN(BoundQuery bound, look_up(body_->sources, body_->names, body_->aliases, body_->spec,
                                          body_->error, nullptr));
  PRESSO_ASSIGN(bound, query::partial_query(std::move(bound), form));
  return query::partial_schema(bound, form);
}

Status Query::merge(std::vector<Table> partials, const PartialForm& form,
                    const QueryOptions& options, ArrowArrayStream& out) const {
  PRESSO_ASSIGN(BoundQuery bound, look_up(body_->sources, body_->names, body_->aliases, body_->spec,
                                          body_->error, nullptr));
  if (partials.empty()) return make_error(ErrorCode::kInvalidArgument, "there is no table");
  for (const Table& partial : partials) {
    if (bound.grouped()) PRESSO_TRY(query::check_question(partial.schema(), form));
  }
  PRESSO_ASSIGN(std::vector<query::InputColumn> columns, query::input_columns(partials, {}));
  const std::uint64_t rows = query::rows_of(partials);
  PRESSO_ASSIGN(bound, query::merging_query(std::move(bound), std::move(columns), rows, form));
  auto kept = std::make_shared<const KeptQuery>(KeptQuery{{std::move(partials)}, std::move(bound)});
  return stream(kept, kept->bound.schema, on_cpu(options), same_sink, out);
}

}  // namespace presso
