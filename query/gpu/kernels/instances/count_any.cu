// SPDX-License-Identifier: MIT
// The kernel that counts rows and writes their bits, or goes on after another kernel.
#include "query/gpu/kernels/column_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* count_kernel<false>();

}  // namespace presso::gpu
