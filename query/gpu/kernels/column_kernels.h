// SPDX-License-Identifier: MIT
// The kernels of pipelines without a program: counts, and sums of columns.
#pragma once

#include "query/gpu/kernels/chain_kernels.h"

namespace presso::gpu {

/// For pipelines whose place is kNone or kColumns. They take no scratch memory.
PipelineKernel* column_kernel_of(const Pipeline& pipeline);

}  // namespace presso::gpu
