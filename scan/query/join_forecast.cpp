// SPDX-License-Identifier: MIT
#include "scan/query/join_forecast.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "scan/query/join_build.h"
#include "scan/query/join_plan.h"
#include "scan/query/join_run.h"
#include "scan/query/make_plan.h"
#include "scan/query/string_facts.h"

namespace presso::query {
namespace {

/// Of a key that fits no word: its number and a slot of the table of such keys.
constexpr double kNumberedKeyBytes = 40;
/// Where keys are divided, room is left for a part's rows twice, in arrays that have doubled as
/// they grew, and for each row's number and key (measure_parts()).
constexpr double kPartRows = 2.5;
constexpr double kPartRowBytes = 16;

/// Columns of the tables that a stage's source reads: keys, conditions, what is kept.
std::vector<std::size_t> columns_of_source(const Execution& execution, const BoundStage& stage,
                                           const std::vector<std::size_t>& kept,
                                           const FilterPlan& plan) {
  const std::size_t first = execution.query.joins->sources[stage.source].first_column;
  std::set<std::size_t> columns;
  for (const std::size_t column : kept) columns.insert(column - first);
  for (const std::size_t column : execution.query.input->columns_of(stage.build_keys)) {
    columns.insert(column - first);
  }
  for (const Condition& condition : plan.conditions) {
    for (const std::size_t column : columns_of(condition.filter)) columns.insert(column);
  }
  return {columns.begin(), columns.end()};
}

Result<double> column_bytes(const Execution& execution, std::size_t column) {
  const InputColumn& about = execution.query.columns[column];
  const Physical physical = column_node(column, about.schema, about.range, about.nullable).physical;
  const auto fixed = static_cast<double>(physical_bytes(physical));
  if (physical != Physical::kString) return fixed;
  PRESSO_ASSIGN(const StringFacts facts, string_facts(execution, column));
  return fixed + facts.bytes;
}

/// Different values of the build side's keys, if all of its `rows` were there.
double different_keys(const Graph& graph, const BoundStage& stage, double rows) {
  double keys = 1;
  for (const NodeId id : stage.build_keys) {
    const Node& key = graph.at(id);
    double values = rows;
    if (key.physical == Physical::kBool) values = 2;
    if (key.physical == Physical::kInt64 && key.range.known) {
      values = static_cast<double>(key.range.most - key.range.least) + 1;
    }
    keys *= std::min(values, rows);
  }
  return std::clamp(keys, 1.0, std::max(rows, 1.0));
}

/// `partners`: that a row of the probe side is expected to find. Of rows without a partner as many
/// as there can be.
double rows_out(const BoundStage& stage, double rows_in, double partners, double build_rows) {
  double rows = rows_in * partners;
  if (keeps_probe(stage.kind)) rows = std::max(rows, rows_in);
  if (stage.kind == StageKind::kProbeSemi) rows = std::min(rows, rows_in);
  if (stage.kind == StageKind::kProbeAnti) rows = rows_in;
  if (stage.kind == StageKind::kBuildSemi || stage.kind == StageKind::kBuildAnti) rows = 0;
  return rows + (gives_build_rows(stage.kind) ? build_rows : 0);
}

Result<BuildSizes> sizes_of(const Execution& execution, const BoundStage& stage,
                            const std::vector<std::size_t>& kept, double rows) {
  BuildSizes sizes;
  sizes.rows = std::ceil(rows);
  sizes.row_bytes = sizeof(std::uint64_t);  // the key
  for (const std::size_t column : kept) {
    PRESSO_ASSIGN(const double bytes, column_bytes(execution, column));
    sizes.row_bytes += bytes;
  }
  sizes.table.strategy = execution.options.join_strategy;
  sizes.table.threads = execution.threads;
  sizes.keys.rows = sizes.keys.keys = static_cast<std::uint64_t>(sizes.rows);
  const grouping::KeyCoder coder = JoinKeys(*execution.query.input, stage).coder();
  if (coder.form() == grouping::KeyCoder::Form::kWord) {
    sizes.keys.greatest = static_cast<std::uint64_t>(coder.range() - 1);
    return sizes;
  }
  // Such keys get numbers.
  sizes.keys.greatest = std::max<std::uint64_t>(sizes.keys.keys, 1) - 1;
  sizes.row_bytes += kNumberedKeyBytes;
  for (const std::size_t column : execution.query.input->columns_of(stage.build_keys)) {
    PRESSO_ASSIGN(const double bytes, column_bytes(execution, column));
    sizes.row_bytes += bytes;
  }
  return sizes;
}

}  // namespace

BuildForecast forecast_build(const BuildSizes& sizes, double left_bytes, bool divided) {
  BuildForecast forecast;
  forecast.rows = sizes.rows;
  forecast.rows_bytes = sizes.rows * sizes.row_bytes;
  forecast.left_bytes = left_bytes;
  join::JoinTablePlan plan = sizes.table;
  plan.memory_bytes = static_cast<std::uint64_t>(std::max(left_bytes - forecast.rows_bytes, 0.0));
  forecast.strategy = join::JoinTable::choose(plan, sizes.keys);
  if (sizes.rows > 0) {
    forecast.table_bytes = static_cast<double>(join::JoinTable::predict(plan, sizes.keys).needed());
  }
  if (forecast.memory_bytes() <= left_bytes) return forecast;
  const double part_bytes =
      kPartRows * forecast.rows_bytes + kPartRowBytes * sizes.rows + forecast.table_bytes;
  const double parts = std::ceil(part_bytes / left_bytes);
  forecast.passes = divided || parts > kKeyParts ? 0 : static_cast<std::uint32_t>(parts);
  return forecast;
}

Result<JoinForecast> forecast_joins(const Execution& execution,
                                    const std::vector<std::vector<std::size_t>>& columns,
                                    double rows) {
  const BoundJoins& joins = *execution.query.joins;
  JoinForecast forecast;
  forecast.rows = rows;
  auto left = static_cast<double>(JoinRun::budget(execution.memory_bytes));
  bool divided = false;
  for (std::size_t i = 0; i < joins.stages.size(); ++i) {
    const BoundStage& stage = joins.stages[i];
    const BoundSource& source = joins.sources[stage.source];
    const std::vector<Table>& tables = (*execution.sources)[stage.source];
    StageForecast one;
    QueryOptions options = execution.options;
    options.plan = {};  // is about the root
    PRESSO_ASSIGN(one.plan, make_filter_plan(tables, source.scan, options));
    PRESSO_ASSIGN(
        one.zones,
        count_by_zones(tables, one.plan, columns_of_source(execution, stage, columns[i], one.plan),
                       execution.options.cancelled));
    const double kept =
        static_cast<double>(source.rows - one.zones.skipped_rows) * one.plan.selectivity;
    PRESSO_ASSIGN(const BuildSizes sizes, sizes_of(execution, stage, columns[i], kept));
    one.build = forecast_build(sizes, left, divided);
    divided = divided || one.build.passes != 1;
    left -= std::min(left, one.build.memory_bytes() / std::max(one.build.passes, 1u));
    const double keys =
        different_keys(*execution.query.input, stage, static_cast<double>(source.rows));
    one.rows_out = rows_out(stage, forecast.rows, kept / keys, kept);
    forecast.rows = one.rows_out;
    forecast.stages.push_back(std::move(one));
  }
  return forecast;
}

}  // namespace presso::query
