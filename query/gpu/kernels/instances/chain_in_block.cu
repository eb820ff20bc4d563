// SPDX-License-Identifier: MIT
// The kernel of pipelines that have a chain (ChainStep in pipeline.h: sums of products of columns,
// grouped by columns) and too many groups for chain_in_lanes.cu and chain_in_bytes.cu. The warps of
// a thread block share the groups' cells in shared memory, up to 100 KiB, and add to them
// atomically. Pipelines with more groups run a program instead (program_in_device.cu), since that
// has more rows on their way to device memory. The code is in chain.cuh. One kernel is compiled in
// each file, because nvcc uses one core for a file; table_kernels.cu chooses.
#include "query/gpu/kernels/chain_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* chain_kernel<GroupPlace::kBlock>();

}  // namespace presso::gpu
