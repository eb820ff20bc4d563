// SPDX-License-Identifier: MIT
// The kernel that tests conditions and counts the rows that fulfil them, where it also writes a
// bitmap of these rows, or reads one that a kernel before it has written (is_plain_count() in
// pipeline.h is false). No group is made and no value is computed. The code is count_rows_body() in
// pipeline.cuh. One kernel is compiled in each file, because nvcc uses one core for a file;
// table_kernels.cu chooses.
#include "query/gpu/kernels/column_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* count_kernel<false>();

}  // namespace presso::gpu
