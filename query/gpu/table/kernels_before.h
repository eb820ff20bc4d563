// SPDX-License-Identifier: MIT
// Kernels that test some conditions of a query before the kernel that does the rest
// (device_plan.h). Each writes a bitmap of the rows that it leaves of a loaded table to device
// memory, which the next kernel takes as its first condition. Tested by
// tests/simt/query_plans_on_gpu_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "query/gpu/table/kernel_costs.h"
#include "query/gpu/table/pipeline_run.h"

namespace presso::gpu {

/// A kernel's conditions on strings and, behind them, the kernel over a loaded table. Enqueues
/// both. `rows_before`: as PipelineRun::set_conditions(). All are kept by reference until the
/// device has done it and `strings`, which are of this table alone, have been checked. Errors:
/// those of StringRows and PipelineRun; kUnsupported.
Status enqueue_over(const RunSpace& space, const query::Execution& execution,
                    const PipelineBuilder& builder, const LoadedTable& table,
                    const std::uint32_t* rows_before, StringRows& strings, PipelineRun& run,
                    KernelMeter& meter);

class KernelsBefore {
 public:
  /// Those of `builder`. All are kept by reference.
  KernelsBefore(const RunSpace& space, const query::Execution& execution,
                const PipelineBuilder& builder);
  ~KernelsBefore();
  KernelsBefore(const KernelsBefore&) = delete;
  KernelsBefore& operator=(const KernelsBefore&) = delete;

  /// Once, before the first table. Errors: kDeviceMemory, kOutOfMemory, kDeviceLost.
  Status begin();
  /// Enqueues all of them, one after another. Nothing of the table before may be under way any
  /// more. Errors: those of enqueue_over().
  Status enqueue(const LoadedTable& table, KernelMeter& meter);
  /// The rows that the last of them has left, in device memory; nullptr: there is none.
  const std::uint32_t* rows() const;
  /// Once they are done: gives back what their conditions on strings took, but not rows(). The
  /// first error of a block of strings, as the CPU reports it.
  Status finish();

 private:
  struct Kernel;

  const RunSpace& space_;
  const query::Execution& execution_;
  std::vector<std::unique_ptr<Kernel>> kernels_;
};

}  // namespace presso::gpu
