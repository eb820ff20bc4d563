// SPDX-License-Identifier: MIT
// Implements join_forecast.h, which predicts rows and memory of joins: follows the steps of JoinRun
// with estimated numbers, stage by stage, with the memory that earlier stages leave.
#include "query/run/join_forecast.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "query/filter/make_plan.h"
#include "query/plan/join_plan.h"
#include "query/rows/join_part.h"
#include "query/run/join_build.h"
#include "query/run/join_run.h"
#include "query/run/key_order.h"
#include "query/run/string_facts.h"

namespace presso::query {
namespace {

/// Bytes of a key that does not fit into a word: its number, and a slot in the table of such keys.
constexpr double kForecastKeyBytes = 40;

/// The columns of a build side's own table that are read: keys, conditions, and what is kept.
std::vector<std::size_t> columns_of_source(const Execution& execution, const BoundStage& stage,
                                           const std::vector<std::size_t>& kept,
                                           const FilterPlan& plan) {
  const std::size_t first = execution.query.joins->sources[stage.build.root].first_column;
  std::set<std::size_t> columns;
  const std::size_t end =
      first + execution.query.joins->sources[stage.build.root].scan.columns.size();
  const auto add = [&](const std::vector<std::size_t>& more) {
    for (const std::size_t column : more) {
      if (column >= first && column < end) columns.insert(column - first);
    }
  };
  add(kept);
  add(execution.query.input->columns_of(stage.build_keys));
  for (const Condition& condition : plan.conditions) {
    for (const std::size_t column : columns_of(condition.filter)) columns.insert(column);
  }
  return {columns.begin(), columns.end()};
}

/// The average bytes of a column's value in memory, with its string.
Result<double> column_bytes(const Execution& execution, std::size_t column) {
  const InputColumn& about = execution.query.columns[column];
  const Physical physical = column_node(column, about.schema, about.range, about.nullable).physical;
  const auto fixed = static_cast<double>(physical_bytes(physical));
  if (physical != Physical::kString) return fixed;
  PRESSO_ASSIGN(const StringFacts facts, string_facts(execution, column));
  return fixed + facts.bytes;
}

/// The number of different keys that `rows` rows may have, from the ranges of the key columns.
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

/// The number of rows that leave a stage. `partners` is the expected number of partners of a probe
/// row. For rows without a partner, the maximum is assumed.
double rows_out(const BoundStage& stage, double rows_in, double partners, double build_rows) {
  double rows = rows_in * partners;
  if (keeps_probe(stage.kind)) rows = std::max(rows, rows_in);
  if (stage.kind == StageKind::kProbeSemi) rows = std::min(rows, rows_in);
  if (stage.kind == StageKind::kProbeAnti) rows = rows_in;
  if (stage.kind == StageKind::kBuildSemi || stage.kind == StageKind::kBuildAnti) rows = 0;
  return rows + (gives_build_rows(stage.kind) ? build_rows : 0);
}

/// The sizes of a build side with `rows` rows. `probe` is the source whose rows pass the stage.
Result<BuildSizes> sizes_of(const Execution& execution, std::size_t probe, const BoundStage& stage,
                            const std::vector<std::size_t>& kept, double rows) {
  BuildSizes sizes;
  sizes.rows = std::min(std::ceil(rows), static_cast<double>(join::kMostBuildRows));
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
    sizes.keys.ascending = keys_ascend(execution, stage.build.root, stage.build_keys);
    sizes.table.probes_ascend = [&execution, probe, &stage] {
      return keys_ascend(execution, probe, stage.probe_keys);
    };
    sizes.keys.greatest = static_cast<std::uint64_t>(coder.range() - 1);
    return sizes;
  }
  // Keys that do not fit into a word are numbered, and the numbers are their words.
  sizes.keys.greatest = std::max<std::uint64_t>(sizes.keys.keys, 1) - 1;
  sizes.row_bytes += kForecastKeyBytes;
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
  // An empty build side needs no table.
  if (sizes.rows > 0) {
    forecast.table_bytes = static_cast<double>(join::JoinTable::predict(plan, sizes.keys).needed());
  }
  if (forecast.memory_bytes() <= left_bytes) return forecast;
  const double needed = part_bytes(sizes.rows, forecast.rows_bytes, forecast.table_bytes);
  const double parts = std::ceil(needed / left_bytes);
  // Only one stage can be divided into passes; a second one must use files.
  if (divided || parts > static_cast<double>(sizes.most_passes)) {
    forecast.file_bytes = sizes.file_bytes;
  } else {
    forecast.passes = static_cast<std::uint32_t>(parts);
  }
  return forecast;
}

namespace {

/// Stages of a tree, those of build sides before the stage itself. What is left of the memory goes
/// from one to the next.
class StagesForecast {
 public:
  explicit StagesForecast(const Execution& execution)
      : execution_(execution), left_(static_cast<double>(JoinRun::budget(execution))) {}

  /// Adds the stages of a tree. `needed` are the columns that are used after them, and `rows` the
  /// rows of the tree's root that come to the first one. Returns the number of rows that leave the
  /// last one.
  Result<double> add(const JoinTree& tree, std::vector<std::size_t> needed, double rows) {
    for (const BoundStage& stage : tree.stages) {
      // Every stage passes on the columns that later stages need.
      for (const auto* nodes : {&stage.probe_keys, &stage.residual}) {
        const auto more = graph().columns_of(*nodes);
        needed.insert(needed.end(), more.begin(), more.end());
      }
    }
    for (std::size_t number = 0; number < tree.stages.size(); ++number) {
      PRESSO_ASSIGN(rows, add_stage(tree, number, needed, rows));
    }
    return rows;
  }

  std::vector<StageForecast> take() { return std::move(stages_); }

 private:
  const Graph& graph() const { return *execution_.query.input; }

  /// Whether parts of a stage's keys are conditions on a column of the root.
  bool part_by_word(const BoundStage& stage) const {
    JoinPart part;
    part.by_word = true;
    part.first = 1;
    return part_filter(execution_, JoinKeys(graph(), stage), stage.probe_keys, part, false)
        .has_value();
  }

  /// What both sides take in files: `rows` come to the stage.
  Result<double> file_bytes(const BoundStage& stage, const std::vector<std::size_t>& needed,
                            const BuildSizes& sizes, double rows) const {
    double row_bytes = sizeof(std::uint64_t);
    for (const std::size_t column : std::set<std::size_t>(needed.begin(), needed.end())) {
      if (stage.build.has(execution_.query.joins->source_of(column))) continue;
      PRESSO_ASSIGN(const double bytes, column_bytes(execution_, column));
      row_bytes += bytes;
    }
    return rows * row_bytes + sizes.rows * (sizes.row_bytes + sizeof(std::uint64_t));
  }

  /// Predicts one stage, those of its build side first, and returns the rows that leave it.
  Result<double> add_stage(const JoinTree& tree, std::size_t number,
                           const std::vector<std::size_t>& needed, double rows) {
    const BoundStage& stage = tree.stages[number];
    const BoundJoins& joins = *execution_.query.joins;
    const BoundSource& source = joins.sources[stage.build.root];
    const std::vector<Table>& tables = execution_.sources[stage.build.root];
    std::set<std::size_t> kept;
    for (const std::size_t column : needed) {
      if (stage.build.has(joins.source_of(column))) kept.insert(column);
    }
    const std::vector<std::size_t> columns(kept.begin(), kept.end());
    StageForecast one;
    one.stage = &stage;
    one.tree = &tree;
    one.number = number;
    one.probe = tree.root;
    if (source.plan) {
      one.plan = *source.plan;
    } else {
      QueryOptions options = execution_.options;
      options.plan = {};  // is about the root
      PRESSO_ASSIGN(one.plan, make_filter_plan(tables, source.scan, options));
    }
    PRESSO_ASSIGN(one.zones, count_by_zones(tables, one.plan,
                                            columns_of_source(execution_, stage, columns, one.plan),
                                            execution_.options.cancelled));
    const double read =
        static_cast<double>(source.rows - one.zones.skipped_rows) * one.plan.selectivity;
    std::vector<std::size_t> wanted = columns;
    const auto keys = graph().columns_of(stage.build_keys);
    wanted.insert(wanted.end(), keys.begin(), keys.end());
    PRESSO_ASSIGN(const double rows_kept, add(stage.build, wanted, read));
    PRESSO_ASSIGN(BuildSizes sizes, sizes_of(execution_, tree.root, stage, columns, rows_kept));
    PRESSO_ASSIGN(sizes.file_bytes, file_bytes(stage, needed, sizes, rows));
    // Ranges of keys are cheap passes only if the root's own column can be tested for them.
    const bool by_word = part_by_word(stage) && tree.root == execution_.tree->root;
    sizes.most_passes = by_word ? kMostPassesByWord : kMostPasses;
    one.build = forecast_build(sizes, left_, divided_);
    const bool fits = one.build.passes == 1 && one.build.file_bytes == 0;
    divided_ = divided_ || !fits;
    left_ = fits ? left_ - one.build.memory_bytes() : left_ / 2;
    const double different = different_keys(graph(), stage, static_cast<double>(source.rows));
    one.rows_in = rows;
    // Keys are assumed to be equally frequent, and those of the build side to be found at random.
    one.rows_out = rows_out(stage, rows, rows_kept / different, rows_kept);
    const double out = one.rows_out;
    stages_.push_back(std::move(one));
    return out;
  }

  const Execution& execution_;
  double left_;
  bool divided_ = false;
  std::vector<StageForecast> stages_;
};

}  // namespace

/// Begins with the memory that JoinRun::budget() grants to joins.
Result<JoinForecast> forecast_joins(const Execution& execution,
                                    const std::vector<std::size_t>& needed, double rows) {
  StagesForecast stages(execution);
  JoinForecast forecast;
  PRESSO_ASSIGN(forecast.rows, stages.add(*execution.tree, needed, rows));
  forecast.stages = stages.take();
  return forecast;
}

}  // namespace presso::query
