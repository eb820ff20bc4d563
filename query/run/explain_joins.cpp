// SPDX-License-Identifier: MIT
// Implements explain_joins.h, the part of --explain about joins: formats the forecast of each
// stage, and the reports of the run if there are any.
#include "query/run/explain_joins.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "query/compute/node_text.h"
#include "query/plan/join_plan.h"
#include "query/run/explain.h"
#include "query/run/join_run.h"
#include "query/run/key_conditions.h"

namespace presso::query {
namespace {

/// The conditions, joined by "and".
std::string conditions_text(const Graph& graph, const std::vector<NodeId>& nodes,
                            const std::vector<std::string>& names) {
  std::string text;
  for (const NodeId id : nodes) text += (text.empty() ? "" : " and ") + node_text(graph, id, names);
  return text;
}

/// What the stage returns, in words, as seen from the table that is kept in memory.
std::string kind_text(StageKind kind, const std::string& name) {
  switch (kind) {
    case StageKind::kInner:
      return "inner";
    case StageKind::kProbeOuter:
      return "outer, also rows for which " + name + " has no partner";
    case StageKind::kBuildOuter:
      return "outer, also rows of " + name + " without a partner, at the end";
    case StageKind::kFullOuter:
      return "outer, also rows without a partner, those of " + name + " at the end";
    case StageKind::kProbeSemi:
      return "semi, rows for which " + name + " has a partner";
    case StageKind::kProbeAnti:
      return "anti, rows for which " + name + " has no partner";
    case StageKind::kBuildSemi:
      return "semi, rows of " + name + " that have a partner, at the end";
    case StageKind::kBuildAnti:
      return "anti, rows of " + name + " that have no partner, at the end";
  }
  return "";
}

/// The keys as "a = b, c = d".
std::string keys_text(const Graph& graph, const BoundStage& stage,
                      const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < stage.probe_keys.size(); ++i) {
    text += (text.empty() ? "" : ", ") + node_text(graph, stage.probe_keys[i], names) + " = " +
            node_text(graph, stage.build_keys[i], names);
  }
  return text;
}

/// A number of bytes with what they are for.
std::string share_text(double bytes, const char* what) {
  return bytes_text(bytes) + " " + what;
}

/// The memory of a build side, rows and table apart: "3.50 MB (2.33 MB rows with their keys, 1.17
/// MB direct table)".
std::string memory_text(const BuildForecast& build) {
  const std::string table = std::string(join_strategy_name(build.strategy)) + " table";
  return bytes_text(build.memory_bytes()) + " (" +
         share_text(build.rows_bytes, "rows with their keys") + ", " +
         share_text(build.table_bytes, table.c_str()) + ")";
}

/// What happens if a build side does not fit: passes or files.
std::string passes_text(const Execution& execution, const BuildForecast& build,
                        std::uint64_t pass_bytes) {
  if (build.passes == 1 && build.file_bytes == 0) return "";
  std::string text = "; --memory is " + bytes_text(execution.memory_bytes) + ", of which " +
                     bytes_text(build.left_bytes) + " are left for it: ";
  if (build.file_bytes > 0) return text + file_text(execution, build.file_bytes);
  return text + "about " + std::to_string(build.passes) + " passes over " + bytes_text(pass_bytes);
}

}  // namespace

std::vector<std::string> shown_column_names(const BoundQuery& query) {
  std::unordered_map<std::string_view, std::set<std::size_t>> sources;
  for (const InputColumn& column : query.columns) sources[column.name].insert(column.source);
  std::vector<std::string> names;
  for (const InputColumn& column : query.columns) {
    const bool shared = sources[column.name].size() > 1;
    names.push_back(shared ? query.joins->sources[column.source].name + "." + column.name
                           : column.name);
  }
  return names;
}

std::string explain_joins_text(const Execution& execution, const JoinForecast& forecast,
                               std::uint64_t root_bytes, bool analyzed) {
  const BoundQuery& query = execution.query;
  const BoundJoins& joins = *query.joins;
  const std::vector<std::string> names = shown_column_names(query);
  std::string text;
  std::size_t number = 0;
  std::vector<StageReport> reports;
  if (analyzed) reports = execution.joins->reports();
  for (const StageForecast& told : forecast.stages) {
    const BoundStage& stage = *told.stage;
    const BoundSource& source = joins.sources[stage.build.root];
    const auto report = std::find_if(reports.begin(), reports.end(),
                                     [&](const auto& one) { return one.stage == &stage; });
    // After a run the plan that was used is shown, in place of the forecast one.
    const bool was = report != reports.end();
    text += "join " + std::to_string(++number) + ": " + joins.sources[told.probe].name + " with " +
            source.name + ", " + grouped(source.rows) +
            (source.rows == 1 ? " row, on " : " rows, on ") +
            keys_text(*query.input, stage, names) + "; " + kind_text(stage.kind, source.name) +
            "\n";
    const FilterPlan& plan = was && report->plan ? *report->plan : told.plan;
    if (!plan.conditions.empty()) {
      text += filter_text(plan, was ? report->condition_counts : std::vector<FilterRunner::Count>(),
                          "  ");
      text += zones_text(told.zones, "  ");
    }
    if (!stage.residual.empty()) {
      text += "  pairs: " + conditions_text(*query.input, stage.residual, names) + "\n";
    }
    text += "  predicted: " + rows_text(told.build.rows) + " rows kept in memory, " +
            memory_text(told.build) +
            passes_text(execution, told.build, root_bytes + told.zones.stored_bytes) + "\n";
    if (!was && is_worth_asking(query, *told.tree, stage, told.build.rows) &&
        can_ask_in_scan(query, *told.tree, told.number)) {
      text += "  scan of " + joins.sources[told.probe].name + ": asks for these keys\n";
    }
    if (was) text += "  was: " + report->text + "\n";
  }
  if (!query.conditions.empty()) {
    text += "behind the joins: " + conditions_text(*query.input, query.conditions, names) + "\n";
  }
  return text;
}

}  // namespace presso::query
