// SPDX-License-Identifier: MIT
// The warp decoder: de; for Byte blocks alone.
#include "decompress/gpu/batch/decoder_kernels.cuh"

namespace presso::gpu {

template Status launch_warp_decoder<DependencyFree, false>(const BlockBatch&, cudaStream_t);

}  // namespace presso::gpu
