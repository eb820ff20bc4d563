// SPDX-License-Identifier: MIT
// The kernel of programs that write their rows, of which groups are made part by part.
#include "query/gpu/kernels/program_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* program_kernel<GroupPlace::kParts>();

}  // namespace presso::gpu
