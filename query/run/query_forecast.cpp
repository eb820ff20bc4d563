// SPDX-License-Identifier: MIT
// Implements query_forecast.h, the prediction of a query's time on a CPU and on a GPU, by a linear
// model: rates of single steps times numbers of rows. Constants were measured as noted.
#include "query/run/query_forecast.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "query/plan/join_plan.h"
#include "query/run/memory_forecast.h"
#include "query/run/query_device.h"

namespace presso::query {
namespace {

/// Sum and count together are one measured rate; each further aggregate costs about a quarter of
/// it: five sums and a count take 4.8 ns for each row, one sum and a count 2.3
/// (query/group/NOTES.md).
constexpr std::size_t kMeasuredAggregates = 2;
constexpr double kFurtherAggregate = 0.25;
/// With this many groups or more, they lie beyond a core's caches and a row takes three times as
/// long (query/group/NOTES.md, 1,000 and 200,000 groups; up to sixteen times with more groups).
constexpr double kFarGroups = 200'000;
constexpr double kFarGroupFactor = 3;

/// A string of a joined table as a group key is hashed and compared for each row: 23 to 33 ns,
/// where a row of a group by integers took 3.
constexpr double kStringKeyFactor = 8;
/// Rows that only need to know whether a partner exists: 1.7 ns, where paired rows took 4, since
/// the build side's keys rule many out beforehand.
constexpr double kUnpairedFactor = 0.5;

/// The rows of a table in slices that zones do not rule out.
struct LiveRows {
  double rows = 0;
  /// The share of all rows of the table.
  double share = 1;
  double matched = 0;
  double stored_bytes = 0;
};

/// Combines what zones rule out with the plan's selectivity, which refers to live slices.
LiveRows live_rows(std::uint64_t all, const ZoneCounts& zones, const FilterPlan& plan) {
  LiveRows live;
  live.rows = static_cast<double>(all - std::min(all, zones.skipped_rows));
  live.share = all > 0 ? live.rows / static_cast<double>(all) : 1;
  live.matched = live.rows * std::min(plan.selectivity / plan.live_share, 1.0);
  live.stored_bytes = static_cast<double>(zones.stored_bytes) * live.share;
  return live;
}

/// The columns that conditions read; their cost is part of the plan's.
std::set<std::size_t> condition_columns(const FilterPlan& plan) {
  std::set<std::size_t> columns;
  for (const Condition& condition : plan.conditions) {
    for (const std::size_t column : columns_of(condition.filter)) columns.insert(column);
  }
  return columns;
}

/// The share of the columns that conditions do not read, as if all columns had the same size.
double unread_share(const FilterPlan& plan, std::size_t columns) {
  const std::size_t tested = std::min(condition_columns(plan).size(), columns);
  return columns > 0 ? static_cast<double>(columns - tested) / static_cast<double>(columns) : 0;
}

/// The time to test conditions and to read the columns that they do not read.
double scan_ns(const QueryRates& rates, const LiveRows& live, const FilterPlan& plan,
               std::size_t columns) {
  return plan.cost_ns / plan.live_share * live.rows +
         rates.read_ns * live.stored_bytes * unread_share(plan, columns);
}

/// The time to decode and compute what is wanted of each row.
double compute_ns(const QueryRates& rates, const Program& program) {
  return rates.decode_ns * static_cast<double>(program.inputs().size()) +
         rates.compute_ns * static_cast<double>(program.steps());
}

/// The number of group keys that are strings of a joined table.
std::size_t joined_string_keys(const BoundQuery& query) {
  if (query.joins == nullptr) return 0;
  const auto is_one = [&](NodeId key) {
    const Node& node = query.input->at(key);
    return node.physical == Physical::kString && node.kind == Node::Kind::kColumn &&
           query.joins->source_of(node.column) != query.joins->tree.root;
  };
  return static_cast<std::size_t>(std::count_if(query.keys.begin(), query.keys.end(), is_one));
}

/// The number of aggregates with an argument.
std::size_t arguments_of(const BoundQuery& query) {
  std::size_t values = 0;
  for (const AggregateCall& call : query.aggregates) values += call.argument.has_value() ? 1 : 0;
  return values;
}

/// The cost of `count` aggregates as a multiple of the measured one.
double aggregates_factor(std::size_t count) {
  const std::size_t further = count - std::min(count, kMeasuredAggregates);
  return 1 + kFurtherAggregate * static_cast<double>(further);
}

/// The time to aggregate a row. Without keys, sums cost a step of a program each.
double aggregates_ns(const QueryRates& rates, const BoundQuery& query, double groups) {
  if (query.keys.empty()) return rates.compute_ns * static_cast<double>(arguments_of(query));
  const double factor = aggregates_factor(query.aggregates.size()) +
                        kStringKeyFactor * static_cast<double>(joined_string_keys(query));
  const double ns = rates.group_ns * factor;
  return groups < kFarGroups ? ns : ns * kFarGroupFactor;
}

/// The time for a stage: its own table's rows are read and put into a table, and rows of the probe
/// side are looked up.
double stage_ns(const QueryRates& rates, const StageForecast& stage, const LiveRows& live) {
  const std::size_t columns = condition_columns(stage.plan).size() + stage.stage->build_keys.size();
  const double looked_up = stage.rows_in * (gives_pairs(stage.stage->kind) ? 1 : kUnpairedFactor);
  return scan_ns(rates, live, stage.plan, columns) + rates.join_ns * (stage.build.rows + looked_up);
}

/// Why a GPU cannot count the different values of `argument`, or an empty text. A GPU makes the
/// argument a part of the group's key, which must fit into 64 bits.
std::string why_no_distinct_there(const BoundQuery& query, NodeId argument) {
  const Node& node = query.input->at(argument);
  if (node.physical == Physical::kDouble && !query.keys.empty()) {
    return "count(distinct) of doubles where there are keys";
  }
  const bool is_expression =
      node.physical == Physical::kString && !query.input->is_column(argument);
  const bool is_truth = node.physical == Physical::kBool && query.input->is_column(argument);
  if (is_expression || is_truth || node.physical == Physical::kInt128) {
    return "count(distinct) of other than numbers of 64 bits and columns of strings";
  }
  return "";
}

/// The time that a GPU's kernels take, by its measured rates, once blocks are in its memory.
class GpuSteps {
 public:
  explicit GpuSteps(const GpuQueryRates& rates) : rates_(rates) {}

  /// Like scan_ns() of the CPU, with the start of a kernel.
  double scan_ns(const LiveRows& live, const FilterPlan& plan, std::size_t columns) const {
    const double tested = plan.on_device ? plan.on_device->cost_ns() / plan.live_share : 0;
    return rates_.kernel_ns + tested * live.rows +
           rates_.byte_ns * live.stored_bytes * unread_share(plan, columns);
  }

  /// As stage_ns().
  double stage_ns(const StageForecast& stage, const LiveRows& live) const {
    const std::size_t columns =
        condition_columns(stage.plan).size() + stage.stage->build_keys.size();
    const double lookup = between(stage.build.rows, GpuQueryRates::kCachedGroups, rates_.lookup_ns,
                                  GpuQueryRates::kFarKeys, rates_.far_lookup_ns);
    return scan_ns(live, stage.plan, columns) + lookup * (stage.build.rows + stage.rows_in);
  }

  /// Computing a program for a row.
  double program_ns(const Program& program) const {
    return rates_.step_ns * static_cast<double>(program.steps());
  }
  /// Adding a row to one of `groups` groups.
  double row_ns(double groups, std::size_t aggregates) const {
    return group_ns(groups) * aggregates_factor(aggregates);
  }
  /// Adding a row to a single group.
  double sums_ns(std::size_t arguments) const {
    return rates_.sum_ns * static_cast<double>(arguments);
  }
  double back_ns(double groups) const { return groups * rates_.group_back_ns; }

 private:
  /// The most groups that shared memory holds.
  static constexpr double kNearGroups = 1024;

  /// In shared memory, in the cache, or beyond it.
  double group_ns(double groups) const {
    if (groups <= kNearGroups) return rates_.group_ns;
    return between(groups, GpuQueryRates::kCachedGroups, rates_.cached_group_ns,
                   GpuQueryRates::kFarGroups, rates_.far_group_ns);
  }

  /// Interpolates a cost between two measured ones, linearly in the logarithm of the count.
  static double between(double count, double few, double few_ns, double many, double many_ns) {
    const double share = std::log(std::max(count, 1.0) / few) / std::log(many / few);
    return few_ns + std::clamp(share, 0.0, 1.0) * (many_ns - few_ns);
  }

  const GpuQueryRates rates_;
};

/// The time for computing and grouping rows in all passes. Each argument of count(DISTINCT) is a
/// part of the key in a pass of its own; all other aggregates are computed in the first pass.
Result<double> groups_ns(const Execution& execution, const GpuSteps& gpu, const Program& program,
                         double rows, double groups) {
  const BoundQuery& query = execution.query;
  const std::vector<NodeId> distinct = distinct_arguments(query);
  const double back = query.keys.empty() ? 0 : gpu.back_ns(groups);
  if (distinct.empty()) {
    const double of_row = query.keys.empty() ? gpu.sums_ns(arguments_of(query))
                                             : gpu.row_ns(groups, query.aggregates.size());
    return rows * (gpu.program_ns(program) + of_row) + back;
  }
  double ns = 0;
  for (const NodeId argument : distinct) {
    // The first pass computes all other aggregates as well.
    const bool is_first = argument == distinct.front();
    PRESSO_ASSIGN(const double values, most_values(execution, argument));
    // Groups of this pass: combinations of keys and values, at most one for each row.
    const double with_values = std::min(std::max(groups, 1.0) * values, rows);
    std::vector<NodeId> nodes = query.keys;
    nodes.push_back(argument);
    const double computed = gpu.program_ns(is_first ? program : Program(*query.input, nodes));
    const std::size_t aggregates = is_first ? query.aggregates.size() - distinct.size() + 1 : 1;
    ns += rows * (computed + gpu.row_ns(with_values, aggregates)) + back;
  }
  return ns;
}

/// How many values a GPU assumes for a key when it numbers several keys together. The number of
/// strings is not known yet and counts as 1.
double values_of_key(const Node& node) {
  switch (node.physical) {
    case Physical::kString:
    case Physical::kBool:
      return 1;
    case Physical::kInt64:
      if (fits_int64(node.range)) {
        return static_cast<double>(node.range.most) - static_cast<double>(node.range.least) + 2;
      }
      [[fallthrough]];
    default:
      return std::numeric_limits<double>::infinity();
  }
}

/// Why keys are too long for a GPU, or an empty text. Mirrors PipelineBuilder::add_groups(). Groups
/// of joined rows are exempt: they may be identified by build rows.
std::string why_keys_are_too_long_there(const BoundQuery& query) {
  if (query.joins != nullptr) return "";
  double of_keys = 1;
  for (const NodeId key : query.keys) of_keys *= values_of_key(query.input->at(key));
  const auto is_too_long = [](double values, std::size_t keys) {
    return keys > 1 && values > kMostKeysOnDevice;
  };
  bool is_refused = is_too_long(of_keys, query.keys.size());
  for (const NodeId argument : distinct_arguments(query)) {
    const double values = of_keys * values_of_key(query.input->at(argument));
    is_refused = is_refused || is_too_long(values, query.keys.size() + 1);
  }
  return is_refused ? "keys that do not fit into 63 bits together" : "";
}

/// Why a GPU cannot group this query, or an empty text. It aggregates 64-bit numbers; doubles
/// cannot be one of several keys.
std::string why_no_groups_there(const BoundQuery& query) {
  const auto physical_of = [&query](NodeId node) { return query.input->at(node).physical; };
  for (const AggregateCall& call : query.aggregates) {
    if (!call.argument || call.kind == AggregateKind::kCount) continue;
    if (call.kind == AggregateKind::kCountDistinct) {
      std::string why = why_no_distinct_there(query, *call.argument);
      if (!why.empty()) return why;
      continue;
    }
    const Physical physical = physical_of(*call.argument);
    if (physical != Physical::kInt64 && physical != Physical::kDouble) {
      return "aggregates of other than numbers of 64 bits";
    }
  }
  for (const NodeId key : query.keys) {
    const Physical physical = physical_of(key);
    const bool is_part = physical == Physical::kDouble && query.keys.size() > 1;
    if (is_part || physical == Physical::kInt128) {
      return "keys that are neither integers nor strings";
    }
  }
  return why_keys_are_too_long_there(query);
}

/// Why a GPU would not select rows, or an empty text. Mirrors run_rows() and match_on_device().
std::string why_no_rows_there(const BoundQuery& query, const FilterPlan& plan) {
  if (wants_few_rows(query)) return "few rows are asked for";
  if (query.joins == nullptr) return plan.conditions.empty() ? "there is no condition" : "";
  const std::vector<NodeId> nodes = computed_nodes(query);
  const bool may_fail = std::any_of(nodes.begin(), nodes.end(),
                                    [&](NodeId node) { return query.input->may_fail(node); });
  return may_fail ? "results that may fail" : "";
}

/// The columns of the root that a GPU would read. If rows are neither joined nor grouped, it reads
/// only those of conditions, and the CPU reads the rest for the rows that are left.
std::vector<std::size_t> columns_there(const Execution& execution, const Program& program) {
  const BoundQuery& query = execution.query;
  if (query.grouped() || query.joins != nullptr) return columns_read(execution, program);
  const std::set<std::size_t> columns = condition_columns(execution.plan);
  return {columns.begin(), columns.end()};
}

}  // namespace

std::vector<NodeId> computed_nodes(const BoundQuery& query) {
  std::vector<NodeId> nodes = query.grouped() ? query.keys : query.results;
  if (!query.grouped()) nodes.insert(nodes.end(), query.sort_nodes.begin(), query.sort_nodes.end());
  for (const AggregateCall& call : query.aggregates) {
    if (call.argument) nodes.push_back(*call.argument);
  }
  return nodes;
}

Result<JoinForecast> forecast_joins(const Execution& execution, const ZoneCounts& zones) {
  JoinForecast forecast;
  const BoundJoins* const joins = execution.query.joins.get();
  const std::uint64_t all =
      joins == nullptr ? execution.summary.rows_in : joins->sources[joins->tree.root].rows;
  forecast.rows = static_cast<double>(all - zones.skipped_rows) * execution.plan.selectivity;
  if (joins == nullptr) return forecast;
  std::vector<NodeId> nodes = computed_nodes(execution.query);
  nodes.insert(nodes.end(), execution.query.conditions.begin(), execution.query.conditions.end());
  return forecast_joins(execution, execution.query.input->columns_of(nodes), forecast.rows);
}

/// Sums up: the scan of the root, then each stage, then groups.
Result<QueryForecast> forecast_query(const Execution& execution) {
  const BoundQuery& query = execution.query;
  const QueryRates& rates = execution.options.rates;
  QueryForecast forecast;
  forecast.why_cpu =
      query.grouped() ? why_no_groups_there(query) : why_no_rows_there(query, execution.plan);
  if (execution.tree != nullptr && joins_by_constant(query, *execution.tree)) {
    forecast.why_cpu = kNoEquality;
  }
  const Program program(*query.input, computed_nodes(query));
  const std::vector<std::size_t> columns = columns_there(execution, program);
  // count(*) of a table is known from its directory.
  if (columns.empty() && query.joins == nullptr && forecast.why_cpu.empty()) {
    forecast.why_cpu = "no column is read";
  }
  PRESSO_ASSIGN(const ZoneCounts zones, count_by_zones(execution.tables, execution.plan, columns,
                                                       execution.options.cancelled));
  const std::uint64_t all = query.joins == nullptr
                                ? execution.summary.rows_in
                                : query.joins->sources[query.joins->tree.root].rows;
  const LiveRows root = live_rows(all, zones, execution.plan);
  forecast.rows = root.rows;
  forecast.stored_bytes = root.stored_bytes;
  forecast.cpu_ns = scan_ns(rates, root, execution.plan, columns.size());
  // Without rates, gpu_ns stays 0.
  const bool knows_gpu = execution.options.gpu_rates.has_value();
  const GpuSteps gpu(execution.options.gpu_rates.value_or(GpuQueryRates()));
  if (knows_gpu) forecast.gpu_ns = gpu.scan_ns(root, execution.plan, columns.size());
  double rows = root.matched;
  if (query.joins != nullptr) {
    PRESSO_ASSIGN(const JoinForecast joins, forecast_joins(execution, zones));
    for (const StageForecast& stage : joins.stages) {
      const std::uint64_t build = query.joins->sources[stage.stage->build.root].rows;
      const LiveRows live = live_rows(build, stage.zones, stage.plan);
      forecast.rows += live.rows;
      forecast.stored_bytes += live.stored_bytes;
      forecast.cpu_ns += stage_ns(rates, stage, live);
      if (knows_gpu) forecast.gpu_ns += gpu.stage_ns(stage, live);
    }
    rows = joins.rows;
  }
  if (!query.grouped()) return forecast;
  PRESSO_ASSIGN(const MemoryForecast memory, forecast_memory(execution, rows));
  forecast.groups = memory.groups ? memory.groups->groups : 1;
  forecast.cpu_ns +=
      rows * (compute_ns(rates, program) + aggregates_ns(rates, query, forecast.groups));
  const std::size_t distinct = distinct_arguments(query).size();
  forecast.gpu_passes = static_cast<std::uint32_t>(std::max<std::size_t>(distinct, 1));
  if (!knows_gpu) return forecast;
  PRESSO_ASSIGN(const double groups, groups_ns(execution, gpu, program, rows, forecast.groups));
  // Each pass scans and joins again.
  forecast.gpu_ns = forecast.gpu_ns * forecast.gpu_passes + groups;
  return forecast;
}

}  // namespace presso::query
