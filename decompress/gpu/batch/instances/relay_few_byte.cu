// SPDX-License-Identifier: MIT
// The relay decoder (relay_decoder.cuh) for batches of few blocks, all of them Byte blocks.
#include "decompress/gpu/batch/decoder_kernels.cuh"

namespace presso::gpu {

template Status launch_relay_decoder<FewBlocks::Relay, false>(const BlockBatch&, cudaStream_t);

}  // namespace presso::gpu
