// SPDX-License-Identifier: MIT
// The steps of decoder_steps.h as kernels on a stream, in the shape that suits the device. Threads
// to data, shared memory and synchronisation are described where the kernels' bodies are. CUDA
// files only: included by decoders.cu, and by the laboratory's variants (lab/gpu).
#pragma once

#include "decompress/gpu/batch/decoder_steps.h"
#include "decompress/gpu/runtime/kernel_launch.h"

namespace presso::gpu {
namespace {

template <class Resolve, bool kBit>
__global__ void __launch_bounds__(WarpDecoderShape::kWarps* kWarpSize, WarpDecoderShape::kBlocks)
    warp_decoder_kernel(BlockBatch batch) {
  warp_decoder_body<Resolve, ChosenWarpPolicy, kBit>(batch.plans, batch.status, batch.blocks);
}

template <class Tuning, Unpacking kWhich>
__global__ void __launch_bounds__(Unpacker<Tuning, kWhich>::kThreads,
                                  Unpacker<Tuning, kWhich>::kTuning.blocks)
    unpack_kernel(BlockBatch batch) {
  unpack_body<Tuning, kWhich>(batch.plans, batch.status);
}

template <class Tuning>
__global__ void __launch_bounds__(Tuning::kSurveyWarps* kWarpSize, Tuning::kSurveyBlocks)
    survey_kernel(BlockBatch batch) {
  survey_body<Tuning>(batch.plans, batch.status);
}

template <class Policy, bool kBit>
__global__ void __launch_bounds__(Policy::kThreads, Policy::kBlocksPerMultiprocessor)
    relay_decoder_kernel(BlockBatch batch) {
  relay_decoder_body<Policy, kBit>(batch.plans, batch.status);
}

class DecoderLauncher {
 public:
  explicit DecoderLauncher(cudaStream_t stream) : stream_(stream) {}

  /// Not small where the device cannot be asked; the launch that follows says why it cannot.
  bool is_small(const BlockBatch& batch) const {
    const Result<int> multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
    return multiprocessors.ok() && *multiprocessors > 0 &&
           FewBlocks::suit(batch.blocks, static_cast<u32>(*multiprocessors));
  }

  template <class Tuning, Unpacking kWhich, bool kBeside>
  Status unpack(const BlockBatch& batch) {
    constexpr int kShared = sizeof(typename Unpacker<Tuning, kWhich>::Shared);
    const auto kernel = &unpack_kernel<Tuning, kWhich>;
    PRESSO_TRY(allow_shared(kernel, kShared));
    cudaFuncAttributes attributes{};
    PRESSO_TRY(check(cudaFuncGetAttributes(&attributes, kernel), "looking for a kernel"));
    const bool beside_last = kBeside && attributes.ptxVersion >= 90;  // its code can wait
    cudaLaunchAttribute beside{};
    beside.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    beside.val.programmaticStreamSerializationAllowed = 1;
    const cudaLaunchConfig_t config{batch.blocks, Unpacker<Tuning, kWhich>::kThreads,
                                    kShared,      stream_,
                                    &beside,      beside_last ? 1u : 0u};
    return check(cudaLaunchKernelEx(&config, kernel, batch), "launching unpack_kernel");
  }

  template <class Tuning>
  Status survey(const BlockBatch& batch) {
    constexpr u32 kThreads = Tuning::kSurveyWarps * kWarpSize;
    constexpr std::size_t kShared = sizeof(typename Survey<Tuning>::Shared);
    survey_kernel<Tuning><<<batch.blocks, kThreads, kShared, stream_>>>(batch);
    return check(cudaGetLastError(), "launching survey_kernel");
  }

  template <class Tuning, bool kBit>
  Status relay_decoder(const BlockBatch& batch) {
    using Policy = typename Tuning::Relay;
    constexpr int kShared = sizeof(RelayShared<Policy>);
    const auto kernel = &relay_decoder_kernel<Policy, kBit>;
    PRESSO_TRY(allow_shared(kernel, kShared));
    kernel<<<batch.blocks, Policy::kThreads, kShared, stream_>>>(batch);
    return check(cudaGetLastError(), "launching relay_decoder_kernel");
  }

  template <class Resolve, bool kBit>
  Status warp_decoder(const BlockBatch& batch) {
    warp_decoder_kernel<Resolve, kBit>
        <<<warp_grid(batch), kWarpThreads, kWarpShared, stream_>>>(batch);
    return check(cudaGetLastError(), "launching warp_decoder_kernel");
  }

 protected:
  /// For kernels whose warps take a block of the file each.
  static constexpr u32 kWarpThreads = WarpDecoderShape::kWarps * kWarpSize;
  static constexpr std::size_t kWarpShared = WarpDecoderShape::kWarps * sizeof(SegmentTable);
  static u32 warp_grid(const BlockBatch& batch) {
    return (batch.blocks - 1) / WarpDecoderShape::kWarps + 1;
  }

  /// A kernel may have more than 48 KiB of shared memory only if it says so, and all of it only if
  /// the cache gets none.
  static Status allow_shared(void (*kernel)(BlockBatch), int bytes) {
    PRESSO_TRY(
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
              "asking for shared memory"));
    return check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                      cudaSharedmemCarveoutMaxShared),
                 "asking for shared memory");
  }

  cudaStream_t stream_;
};

}  // namespace
}  // namespace presso::gpu
