// SPDX-License-Identifier: MIT
// The warp decoder: mrr; for Byte blocks alone.
#include "decompress/gpu/batch/decoder_kernels.cuh"

namespace presso::gpu {

template Status launch_warp_decoder<MultiRound<true>, false>(const BlockBatch&, cudaStream_t);

}  // namespace presso::gpu
