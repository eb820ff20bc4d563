// SPDX-License-Identifier: MIT
// The kernels for tables whose rows the class of a byte indexes (ByteClassRows in
// line_engines.cuh), for larger automata.
#include "scan/gpu/lines/line_kernels.cuh"

namespace presso::gpu {

template struct LineKernels<ByteClassRows<8>>;

}  // namespace presso::gpu
