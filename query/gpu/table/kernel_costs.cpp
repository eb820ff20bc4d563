// SPDX-License-Identifier: MIT
// Implements kernel_costs.h: adds up the stored bytes of the blocks, and the bytes of bitmaps, that
// a kernel may read or write, and measures time by events on the stream. Blocks that a kernel skips
// are counted too, so figures are upper bounds.
#include "query/gpu/table/kernel_costs.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "query/gpu/table/slice_blocks.h"
#include "query/plan/join_plan.h"
#include "query/run/explain.h"

namespace presso::gpu {
namespace {

std::uint64_t stored_bytes(const LoadedTable& table, std::size_t column, BlocksOf of) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < table.groups().size(); ++i) {
    bytes += cost_of(*table.groups()[i].reader, column, slices_of(table, i), of).bytes;
  }
  return bytes;
}

/// The bytes of a bitmap with one bit for each row, as kernels read and write it: in whole vectors.
std::uint64_t bitmap_bytes(const LoadedTable& table) {
  std::uint64_t vectors = 0;
  for (const LoadedSlice& slice : table.slices()) {
    vectors += (slice.rows + kVectorRows - 1) / kVectorRows;
  }
  return vectors * kVectorRows / 8;
}

/// A program that only tests conditions has one group, without cells.
bool has_cells(const Pipeline& pipeline) {
  return pipeline.place != GroupPlace::kRows && (pipeline.cells != 0 || pipeline.has_groups);
}

}  // namespace

std::string KernelCost::text() const {
  std::string all = plan.empty() ? "no condition" : plan;
  all += ": " + query::bytes_text(static_cast<double>(bytes_read)) + " read, " +
         query::bytes_text(static_cast<double>(bytes_written)) + " written";
  if (seconds > 0) {
    char time[48];
    std::snprintf(time, sizeof time, ", %.3g ms", seconds * 1e3);
    all += time;
  }
  return all;
}

KernelCosts& QueryCosts::of(const query::Execution& execution) {
  std::optional<std::size_t> source;
  if (!execution.is_whole) source = execution.tree->root;
  const auto known = std::find_if(plans_.begin(), plans_.end(),
                                  [&](const Plan& plan) { return plan.source == source; });
  if (known != plans_.end()) return known->kernels;
  std::string name = source ? execution.query.joins->sources[*source].name : "";
  return plans_.emplace_back(Plan{source, std::move(name), {}}).kernels;
}

std::vector<std::string> QueryCosts::lines() const {
  std::vector<std::string> lines;
  for (const Plan& plan : plans_) {
    for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
      lines.push_back("on the GPU: kernel " + std::to_string(i + 1) + " of " +
                      std::to_string(plan.kernels.size()) +
                      (plan.source ? " over " + plan.name : "") + ", " + plan.kernels[i].text());
    }
  }
  return lines;
}

double QueryCosts::seconds() const {
  double seconds = 0;
  for (const Plan& plan : plans_) {
    for (const KernelCost& cost : plan.kernels) seconds += cost.seconds;
  }
  return seconds;
}

Status KernelMeter::record() {
  if (recorded_ == events_.size()) {
    Device& device = space_.device();
    PRESSO_ASSIGN(const Event event, device.create_timed_event());
    events_.emplace_back(device, event);
  }
  return space_.device().record(events_[recorded_++].get(), space_.stream);
}

Status KernelMeter::begin() {
  return is_on() ? record() : Status();
}

Status KernelMeter::add(const PipelineBuilder& builder, const TableConditions& conditions,
                        const PipelineRun& run, const LoadedTable& table, unsigned copies) {
  if (!is_on()) return {};
  const std::size_t number = recorded_ / 2;
  if (costs_->size() == number) costs_->push_back({.plan = builder.plan()});
  KernelCost& cost = (*costs_)[number];
  const Pipeline& pipeline = run.pipeline();
  ColumnsRead columns = columns_read(pipeline);
  for (const StringLeaf& leaf : conditions.strings) columns.values |= 1u << leaf.column;
  std::uint64_t read = 0;
  for (std::size_t i = 0; i < builder.columns().size(); ++i) {
    const bool is_read = (columns.values >> i & 1) != 0;
    if (!is_read && (columns.nulls >> i & 1) == 0) continue;
    read += stored_bytes(table, builder.columns()[i],
                         is_read ? BlocksOf::kValues : BlocksOf::kValidity);
  }
  std::set<Byte> bitmaps;
  for (const ConditionStep& step : conditions.steps) {
    if (step.kind == ConditionStep::Kind::kRows) bitmaps.insert(step.leaf);
  }
  std::uint64_t written = conditions.strings.size() + (run.row_bits() != nullptr ? 1 : 0);
  written *= bitmap_bytes(table);
  read += bitmaps.size() * bitmap_bytes(table);
  cost.bytes_read += read * copies;
  cost.bytes_written += written * copies;
  if (cost.launches++ == 0 && has_cells(pipeline)) {
    cost.bytes_written += group_bytes(pipeline);
  }
  return record();
}

Status KernelMeter::finish() {
  for (std::size_t i = 0; i < recorded_; i += 2) {
    PRESSO_ASSIGN(const double seconds,
                  space_.device().seconds_between(events_[i].get(), events_[i + 1].get()));
    (*costs_)[i / 2].seconds += seconds;
  }
  recorded_ = 0;
  return {};
}

}  // namespace presso::gpu
