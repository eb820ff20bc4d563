// SPDX-License-Identifier: MIT
// The kernels of chains (chain.cuh), which are compiled beside those of programs.
#pragma once

#include "decompress/gpu/simt/simt.h"
#include "query/gpu/kernels/pipeline_shape.h"

namespace presso::gpu {

/// What runs a pipeline. `scratch`: scratch_bytes() of device memory.
using PipelineKernel = void(Pipeline of, PipelineShape shape, simt::u64* scratch);

/// For pipelines that have a chain, by where the cells of their groups are.
PipelineKernel* chain_kernel_of(GroupPlace place);

}  // namespace presso::gpu
