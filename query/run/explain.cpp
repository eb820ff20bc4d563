// SPDX-License-Identifier: MIT
// Implements explain.h, the text of --explain: puts the sections together, which are tables,
// conditions, joins, groups, order, and the outcome of a run.
#include "query/run/explain.h"

#include <algorithm>
#include <cstdio>

#include "format/temporary_file.h"
#include "query/compute/node_text.h"
#include "query/plan/device_plan.h"
#include "query/plan/join_plan.h"
#include "query/run/explain_joins.h"
#include "query/run/join_run.h"
#include "query/run/memory_forecast.h"
#include "query/run/query_forecast.h"

namespace presso::query {
namespace {

/// A share as a percentage with at least two digits.
std::string percent(double share) {
  char text[32];
  const double percents = share * 100;
  std::snprintf(text, sizeof text, percents >= 10 || percents == 0 ? "%.0f %%" : "%.2g %%",
                percents);
  return text;
}

/// A number with three digits and its unit.
std::string with_unit(double value, const char* unit) {
  char text[48];
  std::snprintf(text, sizeof text, "%.3g %s", value, unit);
  return text;
}

/// Adds the section about keys and aggregates.
void add_groups(const Execution& execution, std::string& text) {
  const BoundQuery& query = execution.query;
  const std::vector<std::string> names = shown_column_names(query);
  const auto list = [&](const std::vector<NodeId>& nodes) {
    std::string joined;
    for (const NodeId id : nodes) {
      joined += (joined.empty() ? "" : ", ") + node_text(*query.input, id, names);
    }
    return joined;
  };
  text += "group by: " + (query.keys.empty() ? "one group of all rows" : list(query.keys)) + "\n";
  std::vector<NodeId> arguments;
  for (const AggregateCall& call : query.aggregates) {
    if (call.argument) arguments.push_back(*call.argument);
  }
  if (!arguments.empty()) text += "aggregates of: " + list(arguments) + "\n";
}

/// Introduces what happens because the memory does not suffice.
std::string beyond(const Execution& execution) {
  return "; --memory is " + bytes_text(execution.memory_bytes) + ": ";
}

/// The predicted groups, and how they are found if they do not fit into memory.
std::string forecast_text(const Execution& execution, const GroupForecast& groups,
                          std::uint64_t stored_bytes) {
  std::string text = "  predicted: at most " + rows_text(groups.groups) + " groups, " +
                     bytes_text(groups.memory_bytes);
  if (groups.parts == 1) return text + "\n";
  text += beyond(execution);
  const bool by_passes = groups.parts <= kMostPasses;
  if (by_passes) {
    text +=
        "about " + std::to_string(groups.parts + 1) + " passes over " + bytes_text(stored_bytes);
  }
  if (by_passes && groups.file_bytes > 0) text += ", ";
  if (groups.file_bytes > 0) text += file_text(execution, groups.file_bytes);
  return text + "\n";
}

/// The predicted memory of a sort, and its files if it does not fit.
std::string forecast_text(const Execution& execution, const SortForecast& order) {
  std::string text =
      "  predicted: " + rows_text(order.rows) + " rows, " + bytes_text(order.memory_bytes);
  if (order.file_bytes > 0) text += beyond(execution) + file_text(execution, order.file_bytes);
  return text + "\n";
}

/// Adds the counters of a run.
void add_outcome(const Execution& execution, double seconds, std::string& text) {
  const QuerySummary& summary = execution.summary;
  for (const std::string& note : execution.notes) text += note + "\n";
  text += "matched: " + grouped(summary.rows_matched) + " rows";
  // With joins there may be more rows than were read.
  if (execution.query.joins == nullptr) {
    const double all = static_cast<double>(std::max<std::uint64_t>(summary.rows_in, 1));
    text += " (" + percent(static_cast<double>(summary.rows_matched) / all) + ")";
  }
  text += "\n";
  text += "read: " + bytes_text(summary.bytes_read) + " in " + grouped(summary.blocks_read) +
          " blocks; skipped: " + grouped(summary.blocks_skipped) + " blocks\n";
  if (summary.bytes_resident > 0) {
    text += "in the device's memory: " + bytes_text(summary.bytes_resident) + "\n";
  }
  if (summary.passes > 1) text += "passes over the tables: " + grouped(summary.passes) + "\n";
  if (summary.peak_bytes > 0) text += "memory: " + bytes_text(summary.peak_bytes) + "\n";
  if (summary.spilled_bytes > 0)
    text += "written to disk: " + bytes_text(summary.spilled_bytes) + "\n";
  text += "answer: " + grouped(summary.rows) + (summary.rows == 1 ? " row" : " rows") + " in " +
          with_unit(seconds * 1e3, "ms") + "\n";
}

/// The tables, and which of them is the root.
std::string tables_text(const Execution& execution) {
  const BoundJoins* const joins = execution.query.joins.get();
  std::size_t tables = 0;
  for (const auto& source : execution.sources) tables += source.size();
  std::string text = "from: " + grouped(execution.summary.rows_in) + " rows in " + grouped(tables) +
                     (tables == 1 ? " table\n" : " tables\n");
  if (joins == nullptr) return text;
  const BoundSource& root = joins->sources[joins->tree.root];
  return text + "root: " + root.name + ", " + grouped(root.rows) +
         (root.rows == 1 ? " row" : " rows") + ", read in order\n";
}

/// How a GPU tests the conditions, or why it cannot.
std::string device_text(const Execution& execution, const std::string& indent) {
  const std::string begin = indent + "on the GPU: ";
  // The GPU runs the kernels that this function returns, so the text shows what will run.
  const auto kernels = device_kernels(execution.plan, execution.options.plan);
  if (!kernels.ok()) return begin + kernels.error().what + "\n";
  std::string text =
      begin + "plan " + device_plan_text(*kernels) +
      (kernels->size() == 1 ? ", one kernel" : ", " + grouped(kernels->size()) + " kernels");
  const auto& predicted = execution.plan.on_device;
  if (!predicted) return text + "\n";
  text += ", predicted " + with_unit(predicted->cost_ns(), "ns a row");
  if (predicted->kernel_ns.size() == 1) return text + "\n";
  std::string parts;
  for (const double ns : predicted->kernel_ns) {
    parts += (parts.empty() ? " (" : " + ") + with_unit(ns, "ns");
  }
  return text + parts + ")\n";
}

}  // namespace

std::string file_text(const Execution& execution, double bytes) {
  return "about " + bytes_text(bytes) + " through temporary files in `" +
         TemporaryFile::directory_for(execution.options.temporary_directory) + "`";
}

std::string filter_text(const FilterPlan& plan, const std::vector<FilterRunner::Count>& counts,
                        const std::string& indent) {
  if (plan.conditions.empty()) return indent + "where: no condition, all rows\n";
  std::string text = indent + "where: plan " + plan.text() + ", predicted " +
                     percent(plan.selectivity) + " of the rows, " +
                     with_unit(plan.cost_ns, "ns a row on one thread") + "\n";
  for (std::size_t i = 0; i < plan.conditions.size(); ++i) {
    const Condition& condition = plan.conditions[i];
    text += indent + "  " + std::to_string(i + 1) + "  " + condition.text + ": predicted " +
            percent(condition.selectivity) + ", " + with_unit(condition.cost_ns, "ns a row");
    if (i < counts.size()) {
      const auto& count = counts[i];
      text +=
          count.asked == 0
              ? "; asked of no row"
              : "; asked of " + grouped(count.asked) + " rows, " +
                    percent(static_cast<double>(count.left) / static_cast<double>(count.asked)) +
                    " passed";
    }
    text += "\n";
  }
  return text;
}

std::string zones_text(const ZoneCounts& zones, const std::string& indent) {
  return indent + "zones: " + grouped(zones.skipped) + " of " + grouped(zones.slices) +
         " slices have no such row (" + grouped(zones.skipped_rows) + " rows)\n";
}

std::string rows_text(double rows) {
  // Estimates may be infinite.
  constexpr double kMost = 1e18;
  return grouped(static_cast<std::uint64_t>(std::min(rows, kMost)));
}

std::string bytes_text(double bytes) {
  if (bytes < 10'000) return grouped(static_cast<std::uint64_t>(bytes)) + " bytes";
  if (bytes < 999'500) return with_unit(bytes / 1e3, "kB");
  if (bytes < 999'500'000) return with_unit(bytes / 1e6, "MB");
  return with_unit(bytes / 1e9, "GB");
}

/// Forecasts are made in any case, so that they can be compared with what happened.
Result<std::string> explain_text(Execution& execution, std::optional<double> seconds) {
  const bool joined = execution.query.joins != nullptr;
  const std::string indent = joined ? "  " : "";
  const Program program(*execution.query.input, computed_nodes(execution.query));
  PRESSO_ASSIGN(const ZoneCounts zones,
                count_by_zones(execution.tables, execution.asked(),
                               columns_read(execution, program), execution.options.cancelled));
  // By the conditions that are known beforehand, without keys of build sides.
  ZoneCounts own = zones;
  // After a run, zones were also compared with keys of build sides, which a forecast cannot know.
  if (execution.with_keys) {
    PRESSO_ASSIGN(own,
                  count_by_zones(execution.tables, execution.plan, columns_read(execution, program),
                                 execution.options.cancelled));
  }
  std::string text =
      tables_text(execution) + filter_text(execution.asked(), execution.condition_counts, indent);
  if (!execution.asked().conditions.empty()) text += zones_text(zones, indent);
  if (execution.device != nullptr && !execution.plan.conditions.empty()) {
    text += device_text(execution, indent);
  }
  PRESSO_ASSIGN(const JoinForecast joins, forecast_joins(execution, own));
  if (joined) text += explain_joins_text(execution, joins, own.stored_bytes, seconds.has_value());
  PRESSO_ASSIGN(const MemoryForecast forecast, forecast_memory(execution, joins.rows));
  if (execution.query.grouped()) add_groups(execution, text);
  if (forecast.groups) text += forecast_text(execution, *forecast.groups, zones.stored_bytes);
  if (!execution.query.sort_keys.empty()) {
    text += "order by: " + std::to_string(execution.query.sort_keys.size()) +
            (execution.query.sort_keys.size() == 1 ? " key\n" : " keys\n");
    if (forecast.order) text += forecast_text(execution, *forecast.order);
  }
  text += "threads: " + std::to_string(execution.threads) + "\n";
  if (seconds) add_outcome(execution, *seconds, text);
  return text;
}

}  // namespace presso::query
