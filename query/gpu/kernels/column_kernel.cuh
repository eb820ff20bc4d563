// SPDX-License-Identifier: MIT
// Defines count_kernel() and column_sum_kernel() of pipeline_kernels.h, the kernels around
// count_rows_body() and sum_columns_body() of pipeline.cuh, for the files of instances/.
#pragma once

#include "query/gpu/kernels/pipeline.cuh"
#include "query/gpu/kernels/pipeline_kernels.h"

namespace presso::gpu {

constexpr u32 kColumnThreads = 256;

template <bool kIsPlain>
static __global__ void __launch_bounds__(kColumnThreads, 4)
    count_rows(__grid_constant__ const Pipeline of, __grid_constant__ const PipelineShape shape,
               u64*) {
  count_rows_body<kIsPlain>(of, shape);
}

template <bool kIsFirst>
static __global__ void __launch_bounds__(kColumnThreads, 3)
    sum_columns(__grid_constant__ const Pipeline of, __grid_constant__ const PipelineShape shape,
                u64*) {
  sum_columns_body<kIsFirst>(of, shape);
}

template <bool kIsPlain>
PipelineKernel* count_kernel() {
  return count_rows<kIsPlain>;
}

template <bool kIsFirst>
PipelineKernel* column_sum_kernel() {
  return sum_columns<kIsFirst>;
}

}  // namespace presso::gpu
