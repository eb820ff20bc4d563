// SPDX-License-Identifier: MIT
// The kernel of pipelines that run a program (PipelineStep in pipeline.h) and find each row's group
// by its key in a hash table in device memory, where the groups' cells are as well
// (GroupPlace::kTable, group_table.cuh). If the table turns out to be too small, the query starts
// again with a larger one. The code is in program.cuh and groups.cuh. One kernel is compiled in
// each file, because nvcc uses one core for a file; table_kernels.cu chooses.
#include "query/gpu/kernels/program_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* program_kernel<GroupPlace::kTable>();

}  // namespace presso::gpu
