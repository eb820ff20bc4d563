// SPDX-License-Identifier: MIT
// The relay decoder (relay_decoder.cuh) for batches that fill the device, all of them Byte blocks.
#include "decompress/gpu/batch/decoder_kernels.cuh"

namespace presso::gpu {

template Status launch_relay_decoder<ManyBlocks::Relay, false>(const BlockBatch&, cudaStream_t);

}  // namespace presso::gpu
