// SPDX-License-Identifier: MIT
// The warp decoder that copies matches which depend on their own group one after another (InTurn in
// resolve.cuh), for blocks that faster kernels leave; for batches that may have Bit blocks.
#include "decompress/gpu/batch/decoder_kernels.cuh"

namespace presso::gpu {

template Status launch_warp_decoder<InTurn, true>(const BlockBatch&, cudaStream_t);

}  // namespace presso::gpu
