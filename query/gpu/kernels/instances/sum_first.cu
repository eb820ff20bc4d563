// SPDX-License-Identifier: MIT
// The kernel that adds up columns where no kernel before it has chosen rows.
#include "query/gpu/kernels/column_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* column_sum_kernel<true>();

}  // namespace presso::gpu
