// SPDX-License-Identifier: MIT
// Implements table_run.h: a part may take half of the device memory that is left. Errors: those of
// loading and of the device, and kCancelled between parts.
#include "query/gpu/table/table_run.h"

#include <algorithm>
#include <bit>

#include "presso/stopwatch.h"
#include "query/gpu/table/kernels_before.h"
#include "query/gpu/table/table_parts.h"
#include "query/plan/join_plan.h"

namespace presso::gpu {
namespace {

/// What row groups may take of the device's memory at a time; or half of what a limit leaves.
constexpr std::uint64_t kMostLoadedBytes = std::uint64_t{1} << 30;

/// Whether zones leave a slice open.
WantsRows wanted_by(const query::FilterPlan& plan) {
  return
      [&plan](const GroupReader& group, std::uint32_t first, std::uint32_t rows) -> Result<bool> {
        return std::none_of(plan.conditions.begin(), plan.conditions.end(),
                            [&](const query::Condition& condition) {
                              return query::answer_by_zones(condition.filter, group, first, rows) ==
                                     query::Answer::kNone;
                            });
      };
}

/// Counts of tokens are decoded to 4 bytes a row: they are to take at most this of device memory,
/// or a quarter of what the limit leaves.
std::uint64_t rows_by_tokens(const RunSpace& space, std::uint32_t string_columns) {
  if (string_columns == 0) return ~std::uint64_t{0};
  const std::uint64_t bytes = std::min(kMostLoadedBytes, space.memory.device_bytes_left() / 4);
  return bytes / (sizeof(std::uint32_t) * static_cast<unsigned>(std::popcount(string_columns)));
}

/// Kernels before the pipeline, then itself. Waits. `strings`: of this table alone; it must stay as
/// long as the pipeline may run over the table again, as the rows of the kernels before do.
Status run_over(const RunSpace& space, const query::Execution& execution,
                const PipelineBuilder& builder, const LoadedTable& table, KernelsBefore& before,
                StringRows& strings, PipelineRun& run, KernelMeter& meter) {
  PRESSO_TRY(before.enqueue(table, meter));
  PRESSO_TRY(enqueue_over(space, execution, builder, table, before.rows(), strings, run, meter));
  PRESSO_TRY(space.device().wait(space.stream));
  PRESSO_TRY(meter.finish());
  PRESSO_TRY(before.finish());
  return strings.check();
}

/// Says where the columns come from, once.
void note_columns(const TableParts& parts, const PipelineBuilder& builder,
                  query::Execution& execution) {
  if (!parts.has_residents() || builder.columns().empty()) return;
  std::string names;
  for (const std::size_t column : parts.missing()) {
    names += (names.empty() ? "" : ", ") + execution.scan.columns[column].name;
  }
  const std::size_t known = builder.columns().size() - parts.missing().size();
  std::string note = "on the GPU: " + grouped(known) +
                     (known == 1 ? " column was" : " columns were") + " in its memory" +
                     (names.empty() ? "" : ", read from the files: " + names);
  if (execution.tree != nullptr) {
    note += ", of " + execution.query.joins->sources[execution.tree->root].name;
  }
  std::vector<std::string>& notes = execution.notes;
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
}

/// The code that was compiled for the query, each text once. The code itself numbers columns: the
/// names of a file are no part of it.
void note_code(const PipelineBuilder& builder, const PipelineRun& run,
               query::Execution& execution) {
  std::string note = "code for the GPU:";
  for (std::size_t i = 0; i < builder.columns().size(); ++i) {
    note += (i == 0 ? " column " : ", ") + std::to_string(i) + " is " +
            execution.scan.columns[builder.columns()[i]].name;
  }
  note += "\n" + run.source();
  std::vector<std::string>& notes = execution.notes;
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
}

}  // namespace

Status run_over_tables(const RunSpace& space, query::Execution& execution,
                       const PipelineBuilder& builder, PipelineRun& run,
                       const std::function<Status(const LoadedTable&)>& done,
                       std::uint64_t most_rows) {
  QuerySummary& summary = execution.summary;
  const std::uint32_t columns = builder.string_columns();
  TableParts parts(space, execution.tables,
                   {builder.columns(), columns, wanted_by(execution.plan),
                    std::min(most_rows, rows_by_tokens(space, columns)), true},
                   *execution.counters, execution.threads);
  note_columns(parts, builder, execution);
  KernelsBefore before(space, execution, builder);
  PRESSO_TRY(before.begin());
  KernelMeter meter(space, space.costs != nullptr ? &space.costs->of(execution) : nullptr);
  double running = 0;
  for (;;) {
    PRESSO_TRY(execution.check_cancelled());
    const std::uint64_t left = space.memory.device_bytes_left() + parts.bytes_under_way();
    PRESSO_ASSIGN(const std::optional<LoadedTable> table,
                  parts.next(std::min(kMostLoadedBytes, left / 2)));
    if (!table) break;
    const Stopwatch time;
    StringRows strings(space);
    PRESSO_TRY(run_over(space, execution, builder, *table, before, strings, run, meter));
    PRESSO_TRY(done(*table));
    running += time.seconds();
    if (execution.options.tells_code) note_code(builder, run, execution);
  }
  if (space.times != nullptr) {
    *space.times += parts.times();
    space.times->running += running;
  }
  summary.bytes_read = execution.counters->bytes;
  summary.blocks_read = execution.counters->blocks;
  summary.bytes_stored += parts.stored_bytes();
  summary.bytes_resident += parts.resident_bytes();
  summary.blocks_skipped += parts.blocks_skipped();
  return {};
}

}  // namespace presso::gpu
