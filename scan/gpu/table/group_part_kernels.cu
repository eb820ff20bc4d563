// SPDX-License-Identifier: MIT
#include "scan/gpu/table/group_part_kernels.h"

#include "scan/gpu/join/join_launcher.cuh"
#include "scan/gpu/table/group_part_steps.h"
#include "scan/gpu/table/pipeline.cuh"

namespace presso::gpu {
namespace {

__global__ void __launch_bounds__(kPipelineWarps* kWarpSize, 3)
    part_rows(__grid_constant__ const Pipeline of, __grid_constant__ const PipelineShape shape,
              u64* scratch) {
  run_pipeline_body<GroupPlace::kParts>(of, shape, scratch);
}

}  // namespace

PipelineKernel* part_rows_kernel() {
  return part_rows;
}

GroupPartLimits group_part_limits() {
  // Two thread blocks of a multiprocessor have tables: 227 KiB, of which CUDA takes one each.
  constexpr std::uint32_t kTableBytes = 104 << 10;
  // Counted in shared memory, a word each.
  constexpr std::uint32_t kMostBits = 15;
  // Half a millisecond or so of one thread block, while others have nothing left to do.
  constexpr std::uint32_t kMostPartRows = 1 << 18;
  return {kTableBytes, kMostBits, kMostPartRows};
}

Status sum_group_parts(const PartedRows& parts, Stream stream) {
  JoinLauncher launcher(stream);
  return enqueue_group_parts<GroupPartThreads>(parts, launcher);
}

}  // namespace presso::gpu
