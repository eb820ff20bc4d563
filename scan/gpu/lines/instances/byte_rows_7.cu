// SPDX-License-Identifier: MIT
// Scans by tables that a byte of text indexes; automata of up to 128 states.
#include "scan/gpu/lines/line_kernels.cuh"

namespace presso::gpu {

template struct LineKernels<ByteRows<7>>;

}  // namespace presso::gpu
