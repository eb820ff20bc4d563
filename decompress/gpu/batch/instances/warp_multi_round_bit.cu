// SPDX-License-Identifier: MIT
// The warp decoder with the strategy `mrr` (resolve.cuh), for batches that may have Bit blocks.
#include "decompress/gpu/batch/decoder_kernels.cuh"

namespace presso::gpu {

template Status launch_warp_decoder<MultiRound<true>, true>(const BlockBatch&, cudaStream_t);

}  // namespace presso::gpu
