// SPDX-License-Identifier: MIT
// The kernels for tables that do not fit into shared memory (GlobalRows in line_engines.cuh).
#include "scan/gpu/lines/line_kernels.cuh"

namespace presso::gpu {

template struct LineKernels<GlobalRows>;

}  // namespace presso::gpu
