// SPDX-License-Identifier: MIT
// Defines chain_kernel() of pipeline_kernels.h, the kernel around run_chain_body() of chain.cuh,
// for the files of instances/.
#pragma once

#include "query/gpu/kernels/chain.cuh"
#include "query/gpu/kernels/pipeline_kernels.h"

namespace presso::gpu {

template <GroupPlace kPlace>
static __global__ void __launch_bounds__(kPipelineWarps* kWarpSize, 4)
    run_chain(__grid_constant__ const Pipeline of, __grid_constant__ const PipelineShape shape,
              u64* scratch) {
  run_chain_body<kPlace>(of, shape, scratch);
}

template <GroupPlace kPlace>
PipelineKernel* chain_kernel() {
  return run_chain<kPlace>;
}

}  // namespace presso::gpu
