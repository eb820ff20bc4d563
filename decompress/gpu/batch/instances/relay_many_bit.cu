// SPDX-License-Identifier: MIT
// The relay decoder for batches that fill the device, with Bit blocks too.
#include "decompress/gpu/batch/decoder_kernels.cuh"

namespace presso::gpu {

template Status launch_relay_decoder<ManyBlocks::Relay, true>(const BlockBatch&, cudaStream_t);

}  // namespace presso::gpu
