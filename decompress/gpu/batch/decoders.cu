// SPDX-License-Identifier: MIT
// launch_decoders: the steps of decoder_steps.h as kernels on a stream, in the shape that suits the
// device. Threads to data, shared memory and synchronisation are described where the kernels'
// bodies are.
#include "decompress/gpu/batch/decoder_steps.h"
#include "decompress/gpu/runtime/cuda_error.h"

namespace presso::gpu {
namespace {

#ifdef __CUDA_ARCH__
constexpr int kArchitecture = __CUDA_ARCH__ / 10;
#else
constexpr int kArchitecture = 0;  // the host only declares kernels
#endif

template <class Selector>
constexpr WarpDecoderTuning kTuning = Selector::tuning(kArchitecture);
template <class Selector>
constexpr u32 kThreads = kTuning<Selector>.warps* kWarpSize;
template <class Selector>
using PolicyOf = WarpPolicy<kTuning<Selector>.copy_bytes, kTuning<Selector>.copies_in_flight,
                            kTuning<Selector>.match_bytes>;

template <class Resolve, class Selector, bool kBit>
__global__ void __launch_bounds__(kThreads<Selector>, kTuning<Selector>.blocks)
    warp_decoder_kernel(BlockBatch batch) {
  warp_decoder_body<Resolve, PolicyOf<Selector>, kBit>(batch.plans, batch.status, batch.blocks);
}

template <class Selector, bool kBit>
__global__ void __launch_bounds__(kThreads<Selector>)
    list_references_kernel(BlockBatch batch, ReferenceLists lists) {
  list_references_body<PolicyOf<Selector>, kBit>(batch.plans, batch.status, batch.blocks, lists);
}

template <class Selector>
__global__ void __launch_bounds__(kThreads<Selector>)
    resolve_round_kernel(BlockBatch batch, ReferenceLists lists) {
  resolve_round_body<PolicyOf<Selector>>(batch.plans, batch.status, batch.blocks, lists);
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

template <class Tuning>
__global__ void __launch_bounds__(FusedDecoder<Tuning>::kThreads,
                                  Tuning::Relay::kBlocksPerMultiprocessor)
    fused_decoder_kernel(BlockBatch batch) {
  fused_decoder_body<Tuning>(batch.plans, batch.status);
}

/// Of a kernel whose warps take a block each.
struct LaunchShape {
  u32 grid = 0;
  u32 threads = 0;
  u32 shared_bytes = 0;
};

/// As the code was tuned that will run on the current device.
template <class Selector, class... Arguments>
Result<LaunchShape> shape_of(void (*kernel)(Arguments...), u32 blocks) {
  cudaFuncAttributes attributes{};
  PRESSO_TRY(check(cudaFuncGetAttributes(&attributes, kernel), "looking for a kernel"));
  const u32 warps = Selector::tuning(attributes.ptxVersion).warps;
  return LaunchShape{(blocks - 1) / warps + 1, warps * kWarpSize,
                     warps * static_cast<u32>(sizeof(SegmentTable))};
}

class DecoderLauncher {
 public:
  explicit DecoderLauncher(cudaStream_t stream) : stream_(stream) {}

  bool is_small(const BlockBatch& batch) const {
    const int multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
    return multiprocessors > 0 && FewBlocks::suit(batch.blocks, static_cast<u32>(multiprocessors));
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

  template <class Tuning>
  Status fused_decoder(const BlockBatch& batch) {
    constexpr int kShared = FusedDecoder<Tuning>::kSharedBytes;
    const auto kernel = &fused_decoder_kernel<Tuning>;
    PRESSO_TRY(allow_shared(kernel, kShared));
    kernel<<<batch.blocks, FusedDecoder<Tuning>::kThreads, kShared, stream_>>>(batch);
    return check(cudaGetLastError(), "launching fused_decoder_kernel");
  }

  template <class Resolve, bool kBit>
  Status warp_decoder(const BlockBatch& batch) {
    const auto kernel = &warp_decoder_kernel<Resolve, WarpDecoderSelector, kBit>;
    PRESSO_ASSIGN(const LaunchShape shape, shape_of<WarpDecoderSelector>(kernel, batch.blocks));
    kernel<<<shape.grid, shape.threads, shape.shared_bytes, stream_>>>(batch);
    return check(cudaGetLastError(), "launching warp_decoder_kernel");
  }

  template <bool kBit>
  Status list_references(const BlockBatch& batch, const ReferenceLists& lists) {
    const auto kernel = &list_references_kernel<WarpDecoderSelector, kBit>;
    PRESSO_ASSIGN(const LaunchShape shape, shape_of<WarpDecoderSelector>(kernel, batch.blocks));
    kernel<<<shape.grid, shape.threads, shape.shared_bytes, stream_>>>(batch, lists);
    return check(cudaGetLastError(), "launching list_references_kernel");
  }

  /// Only the device knows when all lists are done: a launch then finds nothing to do.
  Status resolve_rounds(const BlockBatch& batch, const ReferenceLists& lists, u32 rounds) {
    const auto kernel = &resolve_round_kernel<WarpDecoderSelector>;
    PRESSO_ASSIGN(const LaunchShape shape, shape_of<WarpDecoderSelector>(kernel, batch.blocks));
    for (; rounds > 0; --rounds) {
      kernel<<<shape.grid, shape.threads, 0, stream_>>>(batch, lists);
      PRESSO_TRY(check(cudaGetLastError(), "launching resolve_round_kernel"));
    }
    return {};
  }

 private:
  /// Of the current device; 0 where it cannot be asked, and the launch that follows says why.
  static int device_attribute(cudaDeviceAttr which) {
    int device = 0, value = 0;
    if (cudaGetDevice(&device) != cudaSuccess) return 0;
    return cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
  }

  /// Kernels may have more than 48 KiB only where they say so, and all of it only with the cache's.
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

Status launch_decoders(const DecodeLaunch& decode, CUstream_st* stream) {
  DecoderLauncher launcher(stream);
  return enqueue_decoders(decode, launcher);
}

}  // namespace presso::gpu
