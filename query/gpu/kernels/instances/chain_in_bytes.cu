// SPDX-License-Identifier: MIT
// The kernel of pipelines that have a chain (ChainStep in pipeline.h: sums of products of columns,
// grouped by columns) and at most 8 groups, whose values are cut into bytes and added up by tensor
// cores in registers (byte_sums.cuh). Only for counts and for sums of values whose range is known
// and which take at most 15 bytes together. The code is in chain.cuh. One kernel is compiled in
// each file, because nvcc uses one core for a file; table_kernels.cu chooses.
#include "query/gpu/kernels/chain_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* chain_kernel<GroupPlace::kBytes>();

}  // namespace presso::gpu
