// SPDX-License-Identifier: MIT
// The warp decoder: the second wave in turn, for what faster kernels leave; for batches that have
// Bit blocks.
#include "decompress/gpu/batch/decoder_kernels.cuh"

namespace presso::gpu {

template Status launch_warp_decoder<InTurn, true>(const BlockBatch&, cudaStream_t);

}  // namespace presso::gpu
