// SPDX-License-Identifier: MIT
// The kernels for tables whose rows a byte of text indexes (ByteRows in line_engines.cuh), for
// larger automata.
#include "scan/gpu/lines/line_kernels.cuh"

namespace presso::gpu {

template struct LineKernels<ByteRows<8>>;

}  // namespace presso::gpu
