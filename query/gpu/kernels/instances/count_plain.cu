// SPDX-License-Identifier: MIT
// The kernel that only counts rows, where no kernel before it has left any out.
#include "query/gpu/kernels/column_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* count_kernel<true>();

}  // namespace presso::gpu
