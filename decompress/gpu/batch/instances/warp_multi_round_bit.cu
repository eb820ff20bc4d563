// SPDX-License-Identifier: MIT
// The warp decoder: mrr; for batches that have Bit blocks.
#include "decompress/gpu/batch/decoder_kernels.cuh"

namespace presso::gpu {

template Status launch_warp_decoder<MultiRound<true>, true>(const BlockBatch&, cudaStream_t);

}  // namespace presso::gpu
