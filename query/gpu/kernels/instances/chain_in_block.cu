// SPDX-License-Identifier: MIT
// The kernel of chains whose groups are in the shared memory of a thread block.
#include "query/gpu/kernels/chain_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* chain_kernel<GroupPlace::kBlock>();

}  // namespace presso::gpu
