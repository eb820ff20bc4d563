// SPDX-License-Identifier: MIT
// The warp decoder that copies matches which depend on their own group one after another (InTurn in
// resolve.cuh), for blocks that faster kernels leave; for batches of Byte blocks alone.
#include "decompress/gpu/batch/decoder_kernels.cuh"

namespace presso::gpu {

template Status launch_warp_decoder<InTurn, false>(const BlockBatch&, cudaStream_t);

}  // namespace presso::gpu
