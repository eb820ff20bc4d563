// SPDX-License-Identifier: MIT
// The kernel of pipelines that run a program (PipelineStep in pipeline.h) and add rows to groups
// that are numbered: their cells are in shared memory of a thread block, up to 100 KiB
// (GroupPlace::kBlock), or else in device memory (kDevice), which the L2 cache holds up to some
// millions of groups. Threads add atomically. It is also the kernel of programs that write rows in
// place of grouping them (kRows). The code is in program.cuh and groups.cuh. One kernel is compiled
// in each file, because nvcc uses one core for a file; table_kernels.cu chooses.
#include "query/gpu/kernels/program_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* program_kernel<GroupPlace::kDevice>();

}  // namespace presso::gpu
