// SPDX-License-Identifier: MIT
// The relay decoder for batches of few blocks, with Byte blocks alone.
#include "decompress/gpu/batch/decoder_kernels.cuh"

namespace presso::gpu {

template Status launch_relay_decoder<FewBlocks::Relay, false>(const BlockBatch&, cudaStream_t);

}  // namespace presso::gpu
