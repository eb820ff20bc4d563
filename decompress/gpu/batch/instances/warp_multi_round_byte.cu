// SPDX-License-Identifier: MIT
// The warp decoder with the strategy `mrr` (resolve.cuh), for batches of Byte blocks alone.
#include "decompress/gpu/batch/decoder_kernels.cuh"

namespace presso::gpu {

template Status launch_warp_decoder<MultiRound<true>, false>(const BlockBatch&, cudaStream_t);

}  // namespace presso::gpu
