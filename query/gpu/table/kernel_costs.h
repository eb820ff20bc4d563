// SPDX-License-Identifier: MIT
// How many bytes the kernels of a query's plan (device_plan.h) move in device memory, by
// calculation, and how long the device takes for them; printed by --explain=analyze and by
// lab/figures's table_gpu_rate. Tested by tests/simt/query_plans_on_gpu_test.cpp.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "query/gpu/table/pipeline_run.h"

namespace presso::gpu {

/// The costs of one kernel, with those that test its conditions on strings before it, over all
/// loaded tables.
struct KernelCost {
  std::string plan;  ///< its conditions, as plans have them; empty: it has none
  std::uint64_t launches = 0;
  /// Stored bytes of the blocks of the columns whose values or nulls it may ask for, and bitmaps:
  /// at most, since vectors that are done need not be read. What joins look up does not count.
  std::uint64_t bytes_read = 0;
  /// Bitmaps, and once the memory of all groups. Rows that are written do not count.
  std::uint64_t bytes_written = 0;
  double seconds = 0;  ///< 0: the device has no clock

  /// "2&1: 12.3 MB read, 8 kB written, 0.12 ms"
  std::string text() const;
};

/// Those of a plan, in their order.
using KernelCosts = std::vector<KernelCost>;

/// Those of all tables that a query runs over, however often it does.
class QueryCosts {
 public:
  /// The costs of the plan over the execution's table: the one that is read in order, or a build
  /// side's. The reference stays valid.
  KernelCosts& of(const query::Execution& execution);
  /// "on the GPU: kernel 1 of 2, 2&1: ...", a line each; kernels over build sides name their table.
  std::vector<std::string> lines() const;
  double seconds() const;

 private:
  struct Plan {
    std::optional<std::size_t> source;  ///< none: the table that is read in order
    std::string name;
    KernelCosts kernels;
  };
  std::deque<Plan> plans_;
};

/// Measures the kernels of a plan over one loaded table after another.
class KernelMeter {
 public:
  /// Kept by reference. `costs`: is added to; nullptr: nobody wants to know, and nothing is done.
  KernelMeter(const RunSpace& space, KernelCosts* costs) : space_(space), costs_(costs) {}

  bool is_on() const { return costs_ != nullptr; }
  /// The next kernel over a table is about to be enqueued. Errors: kDeviceLost, kDeviceMemory.
  Status begin();
  /// It has been enqueued, over `copies` of the table. Errors: kDeviceLost.
  Status add(const PipelineBuilder& builder, const TableConditions& conditions,
             const PipelineRun& run, const LoadedTable& table, unsigned copies = 1);
  /// Once the device has done all of them. Errors: kDeviceLost.
  Status finish();

 private:
  Status record();

  const RunSpace& space_;
  KernelCosts* costs_;
  std::vector<OwnedEvent> events_;  ///< in front of each kernel, and behind it
  std::size_t recorded_ = 0;
};

}  // namespace presso::gpu
