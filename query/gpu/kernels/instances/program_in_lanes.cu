// SPDX-License-Identifier: MIT
// The kernel of programs whose groups are in shared memory, for each lane its own.
#include "query/gpu/kernels/program_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* program_kernel<GroupPlace::kLanes>();

}  // namespace presso::gpu
