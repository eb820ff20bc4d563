// SPDX-License-Identifier: MIT
// The warp decoder: the second wave in turn, for what faster kernels leave; for Byte blocks alone.
#include "decompress/gpu/batch/decoder_kernels.cuh"

namespace presso::gpu {

template Status launch_warp_decoder<InTurn, false>(const BlockBatch&, cudaStream_t);

}  // namespace presso::gpu
