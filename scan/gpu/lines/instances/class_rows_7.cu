// SPDX-License-Identifier: MIT
// Scans by tables with one byte an entry, found by the class of a byte; small automata.
#include "scan/gpu/lines/line_kernels.cuh"

namespace presso::gpu {

template struct LineKernels<ByteClassRows<7>>;

}  // namespace presso::gpu
