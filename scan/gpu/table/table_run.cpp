// SPDX-License-Identifier: MIT
#include "scan/gpu/table/table_run.h"

#include <algorithm>

#include "scan/query/table_facts.h"

namespace presso::gpu {
namespace {

/// What row groups may take of the device's memory at a time; of a smaller limit a half.
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

}  // namespace

Status run_over_tables(const RunSpace& space, query::Execution& execution,
                       const PipelineBuilder& builder, PipelineRun& run,
                       const std::function<Status(const DeviceTable&)>& done) {
  QuerySummary& summary = execution.summary;
  const std::uint64_t blocks_before = execution.counters->blocks;
  TableLoader loader(space, execution.tables, builder.columns(), *execution.counters,
                     execution.threads, builder.string_columns());
  const WantsRows wants = wanted_by(execution.plan);
  for (;;) {
    if (execution.options.cancelled != nullptr &&
        execution.options.cancelled->load(std::memory_order_relaxed)) {
      return make_error(ErrorCode::kCancelled);
    }
    PRESSO_ASSIGN(
        const std::optional<DeviceTable> table,
        loader.next(std::min(kMostLoadedBytes, space.memory.limits().device_bytes / 2), wants));
    if (!table) break;
    PRESSO_ASSIGN(const LeafTables leaves,
                  builder.leaf_tables(*table, query::physical_of(execution.scan.columns)));
    PRESSO_ASSIGN(const TableConditions conditions, builder.conditions_over(*table));
    StringRows strings(space.memory, space.strings, space.stream);
    PRESSO_TRY(strings.prepare({&*table}, conditions.strings));
    run.set_conditions(conditions.steps, strings);
    PRESSO_TRY(run.prepare(*table, table->blocks(), leaves, builder.code_tables(*table)));
    PRESSO_TRY(strings.enqueue());
    PRESSO_TRY(run.enqueue());
    PRESSO_TRY(space.device().wait(space.stream));
    PRESSO_TRY(strings.check());
    PRESSO_TRY(done(*table));
  }
  const std::uint64_t read = execution.counters->blocks - blocks_before;
  summary.bytes_read = execution.counters->bytes;
  summary.blocks_read = execution.counters->blocks;
  summary.bytes_stored += loader.stored_bytes();
  summary.blocks_skipped += loader.blocks() - std::min(loader.blocks(), read);
  return {};
}

}  // namespace presso::gpu
