// SPDX-License-Identifier: MIT
// The kernel that only tests conditions and counts the rows that fulfil them: no bitmap is written,
// and no kernel before it has left rows out (is_plain_count() in pipeline.h). The code is
// count_rows_body() in pipeline.cuh. One kernel is compiled in each file, because nvcc uses one
// core for a file; table_kernels.cu chooses.
#include "query/gpu/kernels/column_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* count_kernel<true>();

}  // namespace presso::gpu
