// SPDX-License-Identifier: MIT
// The kernel of pipelines that have a chain (ChainStep in pipeline.h: sums of products of columns,
// grouped by columns) and at most 12 groups, where chain_in_bytes.cu does not serve
// (place_of_groups() in pipeline_shape.cpp). Each lane of a warp has cells of its own for every
// group in shared memory, up to 16 KiB a warp, so that lanes add without atomic operations. The
// code is in chain.cuh. One kernel is compiled in each file, because nvcc uses one core for a file;
// table_kernels.cu chooses.
#include "query/gpu/kernels/chain_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* chain_kernel<GroupPlace::kLanes>();

}  // namespace presso::gpu
