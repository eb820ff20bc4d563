// SPDX-License-Identifier: MIT
// The kernel that tests conditions and adds up whole columns, without groups and without a program
// (GroupPlace::kColumns in pipeline.h), where no kernel before it has left rows out. The code is
// sum_columns_body() in pipeline.cuh. One kernel is compiled in each file, because nvcc uses one
// core for a file; table_kernels.cu chooses.
#include "query/gpu/kernels/column_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* column_sum_kernel<true>();

}  // namespace presso::gpu
