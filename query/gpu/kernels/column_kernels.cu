// SPDX-License-Identifier: MIT
#include "query/gpu/kernels/column_kernels.h"

#include "query/gpu/kernels/pipeline.cuh"

namespace presso::gpu {
namespace {

constexpr u32 kColumnThreads = 256;

template <bool kIsPlain>
__global__ void __launch_bounds__(kColumnThreads, 4)
    count_rows_kernel(__grid_constant__ const Pipeline of,
                      __grid_constant__ const PipelineShape shape, u64*) {
  count_rows_body<kIsPlain>(of, shape);
}

template <bool kIsFirst>
__global__ void __launch_bounds__(kColumnThreads, 3)
    sum_columns_kernel(__grid_constant__ const Pipeline of,
                       __grid_constant__ const PipelineShape shape, u64*) {
  sum_columns_body<kIsFirst>(of, shape);
}

}  // namespace

PipelineKernel* column_kernel_of(const Pipeline& pipeline) {
  if (pipeline.place == GroupPlace::kNone) {
    return is_plain_count(pipeline) ? count_rows_kernel<true> : count_rows_kernel<false>;
  }
  return pipeline.rows_before == nullptr ? sum_columns_kernel<true> : sum_columns_kernel<false>;
}

}  // namespace presso::gpu
