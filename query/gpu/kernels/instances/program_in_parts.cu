// SPDX-License-Identifier: MIT
// The kernel of pipelines that run a program (PipelineStep in pipeline.h) and write, for each row,
// its key and what it adds to its group, for very many groups that are found by keys
// (GroupPlace::kParts). Other kernels then make the groups part by part (group_parts.cuh). The code
// is in program.cuh and written_rows.cuh. One kernel is compiled in each file, because nvcc uses
// one core for a file; table_kernels.cu chooses.
#include "query/gpu/kernels/program_kernel.cuh"

namespace presso::gpu {

template PipelineKernel* program_kernel<GroupPlace::kParts>();

}  // namespace presso::gpu
