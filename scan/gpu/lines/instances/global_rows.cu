// SPDX-License-Identifier: MIT
// Scans by tables that do not fit into shared memory.
#include "scan/gpu/lines/line_kernels.cuh"

namespace presso::gpu {

template struct LineKernels<GlobalRows>;

}  // namespace presso::gpu
