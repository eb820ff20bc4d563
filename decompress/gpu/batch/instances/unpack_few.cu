// SPDX-License-Identifier: MIT
// The kernels that come before decoders (bit_unpack.cuh, survey.cuh), for batches of few blocks.
#include "decompress/gpu/batch/decoder_kernels.cuh"

namespace presso::gpu {

template Status launch_unpack<FewBlocks, Unpacking::kManyLanes>(const BlockBatch&, bool,
                                                                cudaStream_t);
template Status launch_unpack<FewBlocks, Unpacking::kLargeTables>(const BlockBatch&, bool,
                                                                  cudaStream_t);
template Status launch_survey<FewBlocks>(const BlockBatch&, cudaStream_t);

}  // namespace presso::gpu
