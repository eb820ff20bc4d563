// SPDX-License-Identifier: MIT
// The kernels for tables with rows of 16-bit entries in shared memory (SharedRows in
// line_engines.cuh).
#include "scan/gpu/lines/line_kernels.cuh"

namespace presso::gpu {

template struct LineKernels<SharedRows>;

}  // namespace presso::gpu
