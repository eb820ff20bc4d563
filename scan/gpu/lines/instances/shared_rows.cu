// SPDX-License-Identifier: MIT
// Scans by tables of classes of bytes in shared memory.
#include "scan/gpu/lines/line_kernels.cuh"

namespace presso::gpu {

template struct LineKernels<SharedRows>;

}  // namespace presso::gpu
