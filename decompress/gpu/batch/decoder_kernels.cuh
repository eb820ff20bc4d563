// SPDX-License-Identifier: MIT
// The kernels of the decoders and their launches (decoder_launcher.cuh), for the files that
// instantiate them (instances/). Threads to data, shared memory and synchronisation are described
// where the kernels' bodies are.
#pragma once

#include "decompress/gpu/batch/decoder_launcher.cuh"

namespace presso::gpu {

/// A kernel may have more than 48 KiB of shared memory only if it says so, and all of it only if
/// the cache gets none.
inline Status allow_shared(void (*kernel)(BlockBatch), int bytes) {
  PRESSO_TRY(check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                   "asking for shared memory"));
  return check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                    cudaSharedmemCarveoutMaxShared),
               "asking for shared memory");
}

/// Threads of a thread block of the warp decoder, each warp of which decodes a block of the file.
inline constexpr u32 kWarpThreads = WarpDecoderShape::kWarps * kWarpSize;
inline constexpr std::size_t kWarpShared = WarpDecoderShape::kWarps * sizeof(SegmentTable);
inline u32 warp_grid(const BlockBatch& batch) {
  return (batch.blocks - 1) / WarpDecoderShape::kWarps + 1;
}

template <class Resolve, bool kBit>
static __global__ void __launch_bounds__(kWarpThreads, WarpDecoderShape::kBlocks)
    warp_decoder_kernel(BlockBatch batch) {
  warp_decoder_body<Resolve, ChosenWarpPolicy, kBit>(batch.plans, batch.status, batch.blocks);
}

template <class Tuning, Unpacking kWhich>
static __global__ void __launch_bounds__(Unpacker<Tuning, kWhich>::kThreads,
                                         Unpacker<Tuning, kWhich>::kTuning.blocks)
    unpack_kernel(BlockBatch batch) {
  unpack_body<Tuning, kWhich>(batch.plans, batch.status);
}

template <class Tuning>
static __global__ void __launch_bounds__(Tuning::kSurveyWarps* kWarpSize, Tuning::kSurveyBlocks)
    survey_kernel(BlockBatch batch) {
  survey_body<Tuning>(batch.plans, batch.status);
}

template <class Policy, bool kBit>
static __global__ void __launch_bounds__(Policy::kThreads, Policy::kBlocksPerMultiprocessor)
    relay_decoder_kernel(BlockBatch batch) {
  relay_decoder_body<Policy, kBit>(batch.plans, batch.status);
}

template <class Tuning, Unpacking kWhich>
Status launch_unpack(const BlockBatch& batch, bool beside_last, cudaStream_t stream) {
  constexpr int kShared = sizeof(typename Unpacker<Tuning, kWhich>::Shared);
  const auto kernel = &unpack_kernel<Tuning, kWhich>;
  PRESSO_TRY(allow_shared(kernel, kShared));
  cudaFuncAttributes attributes{};
  PRESSO_TRY(check(cudaFuncGetAttributes(&attributes, kernel), "looking for a kernel"));
  const bool may_overlap = beside_last && attributes.ptxVersion >= 90;  // its code can wait
  cudaLaunchAttribute beside{};
  beside.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  beside.val.programmaticStreamSerializationAllowed = 1;
  const cudaLaunchConfig_t config{batch.blocks, Unpacker<Tuning, kWhich>::kThreads,
                                  kShared,      stream,
                                  &beside,      may_overlap ? 1u : 0u};
  return check(cudaLaunchKernelEx(&config, kernel, batch), "launching unpack_kernel");
}

template <class Tuning>
Status launch_survey(const BlockBatch& batch, cudaStream_t stream) {
  constexpr u32 kThreads = Tuning::kSurveyWarps * kWarpSize;
  constexpr std::size_t kShared = sizeof(typename Survey<Tuning>::Shared);
  survey_kernel<Tuning><<<batch.blocks, kThreads, kShared, stream>>>(batch);
  return check(cudaGetLastError(), "launching survey_kernel");
}

template <class Policy, bool kBit>
Status launch_relay_decoder(const BlockBatch& batch, cudaStream_t stream) {
  constexpr int kShared = sizeof(RelayShared<Policy>);
  const auto kernel = &relay_decoder_kernel<Policy, kBit>;
  PRESSO_TRY(allow_shared(kernel, kShared));
  kernel<<<batch.blocks, Policy::kThreads, kShared, stream>>>(batch);
  return check(cudaGetLastError(), "launching relay_decoder_kernel");
}

template <class Resolve, bool kBit>
Status launch_warp_decoder(const BlockBatch& batch, cudaStream_t stream) {
  warp_decoder_kernel<Resolve, kBit>
      <<<warp_grid(batch), kWarpThreads, kWarpShared, stream>>>(batch);
  return check(cudaGetLastError(), "launching warp_decoder_kernel");
}

}  // namespace presso::gpu
