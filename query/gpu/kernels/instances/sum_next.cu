// SPDX-License-Identifier: MIT
// The kernel that tests conditions and adds up whole columns, without groups and without a program
// (GroupPlace::kColumns in pipeline.h), for the rows that a kernel before it has left in a bitmap.
// The code is sum_columns_body() in pipeline.cuh. One kernel is compiled in each file, because nvcc
// uses one core for a file; table_kernels.cu chooses.
#include "query/gpu/kernels/column_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* column_sum_kernel<false>();

}  // namespace presso::gpu
