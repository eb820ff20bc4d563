// SPDX-License-Identifier: MIT
// The kernel of chains whose groups are in shared memory, for each lane its own.
#include "query/gpu/kernels/chain_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* chain_kernel<GroupPlace::kLanes>();

}  // namespace presso::gpu
