// SPDX-License-Identifier: MIT
// The kernels for tables whose rows a byte of text indexes (ByteRows in line_engines.cuh), for
// automata of up to 32 states.
#include "scan/gpu/lines/line_kernels.cuh"

namespace presso::gpu {

template struct LineKernels<ByteRows<5>>;

}  // namespace presso::gpu
