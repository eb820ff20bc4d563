// SPDX-License-Identifier: MIT
// The kernel of programs whose groups are in device memory, and of those that write rows.
#include "query/gpu/kernels/program_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* program_kernel<GroupPlace::kDevice>();

}  // namespace presso::gpu
