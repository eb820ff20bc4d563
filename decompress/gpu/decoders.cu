// SPDX-License-Identifier: MIT
// launch_decoders: which kernels a strategy is. Threads to data, shared memory and synchronisation
// are described where the kernels' bodies are.
#include "decompress/gpu/cuda_error.h"
#include "decompress/gpu/decoder_launch.h"
#include "decompress/gpu/multi_kernel.cuh"
#include "decompress/gpu/policies.h"
#include "decompress/gpu/warp_decoder.cuh"

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

template <class Resolve, class Selector>
__global__ void __launch_bounds__(kThreads<Selector>) warp_decoder_kernel(BlockBatch batch) {
  warp_decoder_body<Resolve, PolicyOf<Selector>>(batch.plans, batch.status, batch.blocks);
}

template <class Selector>
__global__ void __launch_bounds__(kThreads<Selector>)
    list_references_kernel(BlockBatch batch, ReferenceLists lists) {
  list_references_body<PolicyOf<Selector>>(batch.plans, batch.status, batch.blocks, lists);
}

template <class Selector>
__global__ void __launch_bounds__(kThreads<Selector>)
    resolve_round_kernel(BlockBatch batch, ReferenceLists lists) {
  resolve_round_body<PolicyOf<Selector>>(batch.plans, batch.status, batch.blocks, lists);
}

/// A kernel whose warps take a block each.
template <class Kernel>
struct WarpLaunch {
  Kernel* kernel;
  u32 grid = 0;
  u32 threads = 0;
  u32 shared_bytes = 0;
};

/// The launch shape of the code that will run on the current device.
template <class Selector, class Kernel>
Status shape_for(u32 blocks, WarpLaunch<Kernel>& launch) {
  cudaFuncAttributes attributes{};
  PRESSO_TRY(check(cudaFuncGetAttributes(&attributes, launch.kernel), "looking for a kernel"));
  const WarpDecoderTuning tuning = Selector::tuning(attributes.ptxVersion);
  launch.grid = (blocks - 1) / tuning.warps + 1;
  launch.threads = tuning.warps * kWarpSize;
  launch.shared_bytes = tuning.warps * static_cast<u32>(sizeof(SegmentTable));
  return {};
}

template <class Resolve>
Status launch_warp_decoder(const BlockBatch& batch, cudaStream_t stream) {
  WarpLaunch launch{&warp_decoder_kernel<Resolve, WarpDecoderSelector>};
  PRESSO_TRY(shape_for<WarpDecoderSelector>(batch.blocks, launch));
  launch.kernel<<<launch.grid, launch.threads, launch.shared_bytes, stream>>>(batch);
  return check(cudaGetLastError(), "launching warp_decoder_kernel");
}

Status launch_list_references(const BlockBatch& batch, const ReferenceLists& lists,
                              cudaStream_t stream) {
  WarpLaunch launch{&list_references_kernel<WarpDecoderSelector>};
  PRESSO_TRY(shape_for<WarpDecoderSelector>(batch.blocks, launch));
  launch.kernel<<<launch.grid, launch.threads, launch.shared_bytes, stream>>>(batch, lists);
  return check(cudaGetLastError(), "launching list_references_kernel");
}

/// A list that is done costs an empty launch; only the device knows.
Status launch_rounds(const DecodeLaunch& decode, const ReferenceLists& lists, cudaStream_t stream) {
  WarpLaunch launch{&resolve_round_kernel<WarpDecoderSelector>};
  PRESSO_TRY(shape_for<WarpDecoderSelector>(decode.batch.blocks, launch));
  for (u32 round = round_launches(decode.largest_plain_bytes); round > 0; --round) {
    launch.kernel<<<launch.grid, launch.threads, 0, stream>>>(decode.batch, lists);
    PRESSO_TRY(check(cudaGetLastError(), "launching resolve_round_kernel"));
  }
  return {};
}

Status launch_multi_round_kernels(const DecodeLaunch& decode, cudaStream_t stream) {
  const ReferenceLists lists{decode.d_references, decode.d_reference_begins,
                             decode.d_reference_ends, decode.references_a_block};
  PRESSO_TRY(launch_list_references(decode.batch, lists, stream));
  PRESSO_TRY(launch_rounds(decode, lists, stream));
  return launch_warp_decoder<MultiRound<true>>(decode.batch, stream);  // what is left
}

/// Kernels for some blocks come first and leave what they decline in state kPlanned; the warp
/// decoder takes every block that is left.
Status launch_fastest(const DecodeLaunch& decode, cudaStream_t stream) {
  return launch_warp_decoder<InTurn>(decode.batch, stream);
}

}  // namespace

Status launch_decoders(const DecodeLaunch& decode, CUstream_st* stream) {
  switch (decode.strategy) {
    case Strategy::kAuto:
      return launch_fastest(decode, stream);
    case Strategy::kSequential:
      return launch_warp_decoder<Sequential>(decode.batch, stream);
    case Strategy::kMultiRound:
      return launch_warp_decoder<MultiRound<true>>(decode.batch, stream);
    case Strategy::kMultiRoundKernels:
      return launch_multi_round_kernels(decode, stream);
    case Strategy::kDependencyFree:
      return launch_warp_decoder<DependencyFree>(decode.batch, stream);
  }
  return make_error(ErrorCode::kInvalidArgument, "there is no such strategy");
}

}  // namespace presso::gpu
