// SPDX-License-Identifier: MIT
// The kernels that come before decoders (bit_unpack.cuh, survey.cuh), for batches that fill the
// device.
#include "decompress/gpu/batch/decoder_kernels.cuh"

namespace presso::gpu {

template Status launch_unpack<ManyBlocks, Unpacking::kManyLanes>(const BlockBatch&, bool,
                                                                 cudaStream_t);
template Status launch_unpack<ManyBlocks, Unpacking::kFewLanes>(const BlockBatch&, bool,
                                                                cudaStream_t);
template Status launch_unpack<ManyBlocks, Unpacking::kLargeTables>(const BlockBatch&, bool,
                                                                   cudaStream_t);
template Status launch_survey<ManyBlocks>(const BlockBatch&, cudaStream_t);

}  // namespace presso::gpu
