// SPDX-License-Identifier: MIT
// decode_and_count: the steps of fused_steps.h as kernels on a stream. Threads to data, shared
// memory and synchronisation are described where the kernels' bodies are (fused_scan.cuh).
#include "scan/gpu/fused_scan.h"

#include "decompress/gpu/batch/decoder_launch.h"
#include "decompress/gpu/runtime/kernel_launch.h"
#include "scan/gpu/fused_scan.cuh"
#include "scan/gpu/fused_steps.h"
#include "scan/gpu/tile_chain_launch.h"

namespace presso::gpu {
namespace {

using Relay = ManyBlocks::Relay;
constexpr u32 kLeftThreads = 128;

template <bool kBit>
__global__ void __launch_bounds__(Relay::kThreads, Relay::kBlocksPerMultiprocessor)
    fused_relay_kernel(BlockBatch batch, const __grid_constant__ FusedScanArguments fused) {
  fused_relay_body<Relay, kBit>(batch, fused);
}

__global__ void __launch_bounds__(kLeftThreads)
    left_blocks_kernel(const __grid_constant__ FusedScanArguments fused) {
  left_blocks_body(fused);
}

__global__ void add_lines_kernel(const __grid_constant__ FusedScanArguments fused) {
  add_lines_body(fused);
}

class FusedRelayStep final : public RelayStep {
 public:
  explicit FusedRelayStep(const FusedScanArguments& fused) : fused_(fused) {}

  Status launch(const BlockBatch& batch, bool bit_blocks, CUstream_st* stream) override {
    constexpr int kShared = GramSink<Relay>::kSharedBytes;
    // Three thread blocks, of 1 KiB more each, have 228 KiB together.
    static_assert(kShared <= (228 << 10) / 3 - 1024);
    const auto kernel = bit_blocks ? &fused_relay_kernel<true> : &fused_relay_kernel<false>;
    PRESSO_TRY(
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared),
              "asking for shared memory"));
    PRESSO_TRY(check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                          cudaSharedmemCarveoutMaxShared),
                     "asking for shared memory"));
    kernel<<<batch.blocks, Relay::kThreads, kShared, stream>>>(batch, fused_);
    return check(cudaGetLastError(), "launching fused_relay_kernel");
  }

 private:
  const FusedScanArguments& fused_;
};

class FusedLauncher {
 public:
  explicit FusedLauncher(cudaStream_t stream) : stream_(stream) {}

  Status clear(void* d_memory, std::size_t bytes) {
    return check(cudaMemsetAsync(d_memory, 0, bytes, stream_), "clearing");
  }
  Status decode(const FusedScanRequest& request, const FusedScanArguments& fused) {
    FusedRelayStep relay(fused);
    return decode_batch_with(request.batch, request.options, relay, stream_);
  }
  Status left_blocks(const FusedScanArguments& fused) {
    return launch_everywhere(left_blocks_kernel, {kLeftThreads, kClassMapBytes, fused.blocks},
                             stream_, "launching left_blocks_kernel", fused);
  }
  Status chain(const LineScanArguments& scan) { return launch_global_tile_chain(scan, stream_); }
  Status add_lines(const FusedScanArguments& fused) {
    add_lines_kernel<<<1, kWarpSize, 0, stream_>>>(fused);
    return check(cudaGetLastError(), "launching add_lines_kernel");
  }

 private:
  cudaStream_t stream_;
};

/// The state behind no blocks is that before them.
Status pass_state_on(const FusedScanRequest& request, cudaStream_t stream) {
  if (request.d_state_out == nullptr) return {};
  if (request.d_state_in == nullptr) {
    return make_error(ErrorCode::kInvalidArgument, "the first piece of a text is empty");
  }
  return check(cudaMemcpyAsync(request.d_state_out, request.d_state_in, sizeof(u32),
                               cudaMemcpyDeviceToDevice, stream),
               "passing a state on");
}

}  // namespace

std::size_t fused_scan_temporary_bytes(std::uint32_t blocks) {
  return FusedScanMemory(blocks).bytes;
}

Status decode_and_count(const FusedScanRequest& request, CUstream_st* stream) {
  if (request.batch.blocks == 0) return pass_state_on(request, stream);
  FusedLauncher launcher(stream);
  return enqueue_fused_scan(request, launcher);
}

}  // namespace presso::gpu
