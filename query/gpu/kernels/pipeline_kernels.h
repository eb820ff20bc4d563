// SPDX-License-Identifier: MIT
// The kernels that run pipelines, one for each case: what a pipeline computes (counts, sums of
// columns, a chain, a program) and where its groups are (GroupPlace in pipeline.h). Each is
// compiled in a file of its own (instances/), since nvcc takes minutes for all of them in one file
// and uses one core for a file. table_kernels.cu chooses among them. Tests:
// tests/queries/one_table.txt.
#pragma once

#include "decompress/gpu/simt/simt.h"
#include "query/gpu/kernels/pipeline_shape.h"

namespace presso::gpu {

/// A kernel that runs a pipeline. `scratch`: scratch_bytes() of device memory.
using PipelineKernel = void(Pipeline of, PipelineShape shape, simt::u64* scratch);

/// For pipelines with a program, by where groups are: kLanes, kTable, or kDevice, which also serves
/// groups in shared memory of a thread block (kBlock) and pipelines that write rows; kParts where
/// groups are made of written rows (group_parts.cuh).
template <GroupPlace kPlace>
PipelineKernel* program_kernel();

/// For pipelines with a chain (chain.cuh): kLanes, kBytes or kBlock.
template <GroupPlace kPlace>
PipelineKernel* chain_kernel();

/// For pipelines that count rows. It takes no scratch memory. kIsPlain: is_plain_count().
template <bool kIsPlain>
PipelineKernel* count_kernel();

/// For pipelines that add up columns. It takes no scratch memory. kIsFirst: no kernel before this
/// one has chosen rows.
template <bool kIsFirst>
PipelineKernel* column_sum_kernel();

}  // namespace presso::gpu
