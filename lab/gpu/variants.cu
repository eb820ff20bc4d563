// SPDX-License-Identifier: MIT
// The variants' kernels on a stream.
#include "decompress/gpu/batch/batch_launcher.cuh"
#include "decompress/gpu/batch/decoder_kernels.cuh"
#include "lab/gpu/variant_steps.h"

namespace presso::gpu::lab {
namespace {

template <bool kBit>
__global__ void __launch_bounds__(WarpDecoderShape::kWarps* kWarpSize)
    list_references_kernel(BlockBatch batch, ReferenceLists lists) {
  list_references_body<ChosenWarpPolicy, kBit>(batch.plans, batch.status, batch.blocks, lists);
}

__global__ void __launch_bounds__(WarpDecoderShape::kWarps* kWarpSize)
    resolve_round_kernel(BlockBatch batch, ReferenceLists lists) {
  resolve_round_body<ChosenWarpPolicy>(batch.plans, batch.status, batch.blocks, lists);
}

template <class Tuning>
__global__ void __launch_bounds__(FusedDecoder<Tuning>::kThreads,
                                  Tuning::Relay::kBlocksPerMultiprocessor)
    fused_decoder_kernel(BlockBatch batch) {
  fused_decoder_body<Tuning>(batch.plans, batch.status);
}

class VariantDecoderLauncher : public DecoderLauncher {
 public:
  using DecoderLauncher::DecoderLauncher;

  template <class Tuning>
  Status fused_decoder(const BlockBatch& batch) {
    constexpr int kShared = FusedDecoder<Tuning>::kSharedBytes;
    const auto kernel = &fused_decoder_kernel<Tuning>;
    PRESSO_TRY(allow_shared(kernel, kShared));
    kernel<<<batch.blocks, FusedDecoder<Tuning>::kThreads, kShared, stream_>>>(batch);
    return check(cudaGetLastError(), "launching fused_decoder_kernel");
  }

  template <bool kBit>
  Status list_references(const BlockBatch& batch, const ReferenceLists& lists) {
    list_references_kernel<kBit>
        <<<warp_grid(batch), kWarpThreads, kWarpShared, stream_>>>(batch, lists);
    return check(cudaGetLastError(), "launching list_references_kernel");
  }

  /// Only the device knows when all lists are finished: a launch then finds nothing to do.
  Status resolve_rounds(const BlockBatch& batch, const ReferenceLists& lists, u32 rounds) {
    for (; rounds > 0; --rounds) {
      resolve_round_kernel<<<warp_grid(batch), kWarpThreads, 0, stream_>>>(batch, lists);
      PRESSO_TRY(check(cudaGetLastError(), "launching resolve_round_kernel"));
    }
    return {};
  }
};

}  // namespace

Status decode_batch(Variant variant, const BatchArguments& arguments, std::uint64_t plain_bytes,
                    const BatchOptions& options, CUstream_st* stream) {
  BatchLauncher batch(stream);
  VariantDecoderLauncher decoders(stream);
  return enqueue_batch(variant, arguments, plain_bytes, options, batch, decoders);
}

}  // namespace presso::gpu::lab
