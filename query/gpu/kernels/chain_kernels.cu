// SPDX-License-Identifier: MIT
#include "query/gpu/kernels/chain_kernels.h"

#include "query/gpu/kernels/chain.cuh"

namespace presso::gpu {
namespace {

template <GroupPlace kPlace>
__global__ void __launch_bounds__(kPipelineWarps* kWarpSize, 4)
    chain_kernel(__grid_constant__ const Pipeline of, __grid_constant__ const PipelineShape shape,
                 u64* scratch) {
  run_chain_body<kPlace>(of, shape, scratch);
}

}  // namespace

PipelineKernel* chain_kernel_of(GroupPlace place) {
  if (place == GroupPlace::kLanes) return chain_kernel<GroupPlace::kLanes>;
  return place == GroupPlace::kBytes ? chain_kernel<GroupPlace::kBytes>
                                     : chain_kernel<GroupPlace::kBlock>;
}

}  // namespace presso::gpu
