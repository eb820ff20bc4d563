// SPDX-License-Identifier: MIT
// The kernel of programs whose groups are in device memory and found by their keys.
#include "query/gpu/kernels/program_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* program_kernel<GroupPlace::kTable>();

}  // namespace presso::gpu
