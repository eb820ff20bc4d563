// SPDX-License-Identifier: MIT
// The kernel that adds up columns of the rows that kernels before it have chosen.
#include "query/gpu/kernels/column_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* column_sum_kernel<false>();

}  // namespace presso::gpu
