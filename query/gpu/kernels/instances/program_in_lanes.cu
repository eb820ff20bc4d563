// SPDX-License-Identifier: MIT
// The kernel of pipelines that run a program (PipelineStep in pipeline.h) and have at most 12
// groups. Each lane of a warp has cells of its own for every group in shared memory, up to 16 KiB a
// warp, so that lanes add without atomic operations. The code is in program.cuh and groups.cuh. One
// kernel is compiled in each file, because nvcc uses one core for a file; table_kernels.cu chooses.
#include "query/gpu/kernels/program_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* program_kernel<GroupPlace::kLanes>();

}  // namespace presso::gpu
