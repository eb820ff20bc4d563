// SPDX-License-Identifier: MIT
// Defines program_kernel() of pipeline_kernels.h, the kernel around run_pipeline_body() of
// pipeline.cuh, for the files of instances/.
#pragma once

#include "query/gpu/kernels/pipeline.cuh"
#include "query/gpu/kernels/pipeline_kernels.h"

namespace presso::gpu {

template <GroupPlace kPlace>
static __global__ void __launch_bounds__(kPipelineWarps* kWarpSize, 3)
    run_program(__grid_constant__ const Pipeline of, __grid_constant__ const PipelineShape shape,
                u64* scratch) {
  run_pipeline_body<kPlace>(of, shape, scratch);
}

template <GroupPlace kPlace>
PipelineKernel* program_kernel() {
  return run_program<kPlace>;
}

}  // namespace presso::gpu
