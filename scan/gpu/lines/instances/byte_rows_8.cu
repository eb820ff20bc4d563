// SPDX-License-Identifier: MIT
// Scans by tables that a byte of text indexes; larger automata.
#include "scan/gpu/lines/line_kernels.cuh"

namespace presso::gpu {

template struct LineKernels<ByteRows<8>>;

}  // namespace presso::gpu
