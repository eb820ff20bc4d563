// SPDX-License-Identifier: MIT
// Implements kernels_before.h: begins, enqueues and checks these kernels in the order of the plan.
// Errors: those of the device, and of StringRows.
#include "query/gpu/table/kernels_before.h"

#include "query/gpu/table/build_sides.h"
#include "query/rows/table_facts.h"

namespace presso::gpu {

struct KernelsBefore::Kernel {
  Kernel(const RunSpace& space, const PipelineBuilder& own, const Pipeline& finished)
      : builder(own), pipeline(finished), run(space) {}

  const PipelineBuilder& builder;
  Pipeline pipeline;
  DeviceMemory values;
  PipelineRun run;
  std::unique_ptr<StringRows> strings;  ///< of the table that is run over
};

Status enqueue_over(const RunSpace& space, const query::Execution& execution,
                    const PipelineBuilder& builder, const LoadedTable& table,
                    const std::uint32_t* rows_before, StringRows& strings, PipelineRun& run,
                    KernelMeter& meter) {
  PRESSO_ASSIGN(const LeafTables leaves,
                builder.leaf_tables(table, query::physical_of(execution.scan.columns)));
  PRESSO_ASSIGN(const TableConditions conditions, builder.conditions_over(table));
  if (!conditions.strings.empty()) {
    const DeviceStep step(space.device(), "automata");
    PRESSO_TRY(strings.prepare({&table}, conditions.strings, conditions.few_are_left));
  }
  run.set_conditions(conditions.steps, strings, rows_before);
  PRESSO_TRY(run.prepare(table, table.blocks(), leaves, builder.code_tables(table)));
  PRESSO_TRY(meter.begin());
  if (!conditions.strings.empty()) {
    const DeviceStep step(space.device(), "strings");
    PRESSO_TRY(strings.enqueue(rows_before));
  }
  const DeviceStep step(space.device(), "pipeline");
  PRESSO_TRY(run.enqueue());
  return meter.add(builder, conditions, run, table);
}

KernelsBefore::KernelsBefore(const RunSpace& space, const query::Execution& execution,
                             const PipelineBuilder& builder)
    : space_(space), execution_(execution) {
  for (const auto& kernel : builder.kernels_before()) {
    kernels_.push_back(std::make_unique<Kernel>(space, kernel->builder, kernel->pipeline));
  }
}

KernelsBefore::~KernelsBefore() = default;

Status KernelsBefore::begin() {
  for (const auto& kernel : kernels_) {
    PRESSO_ASSIGN(kernel->values, place_values(space_, kernel->builder, kernel->pipeline));
    PRESSO_TRY(kernel->run.begin(kernel->pipeline, true));
  }
  return {};
}

Status KernelsBefore::enqueue(const LoadedTable& table, KernelMeter& meter) {
  const std::uint32_t* rows = nullptr;
  for (const auto& kernel : kernels_) {
    kernel->strings = std::make_unique<StringRows>(space_);
    PRESSO_TRY(enqueue_over(space_, execution_, kernel->builder, table, rows, *kernel->strings,
                            kernel->run, meter));
    rows = kernel->run.row_bits();
  }
  return {};
}

const std::uint32_t* KernelsBefore::rows() const {
  return kernels_.empty() ? nullptr : kernels_.back()->run.row_bits();
}

Status KernelsBefore::finish() {
  for (const auto& kernel : kernels_) {
    PRESSO_TRY(kernel->strings->check());
    kernel->strings.reset();
  }
  return {};
}

}  // namespace presso::gpu
