// SPDX-License-Identifier: MIT
// The kernel of chains that add up the bytes of values in registers.
#include "query/gpu/kernels/chain_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* chain_kernel<GroupPlace::kBytes>();

}  // namespace presso::gpu
