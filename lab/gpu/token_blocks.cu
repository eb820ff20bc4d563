// SPDX-License-Identifier: MIT
// decode_token_blocks: its kernels on a stream. Threads to data, shared memory and synchronisation
// are described where their bodies are.
#include "lab/gpu/token_blocks.h"

#include "decompress/gpu/runtime/kernel_launch.h"
#include "lab/gpu/token_decoder.cuh"
#include "lab/gpu/token_steps.h"
#include "lab/gpu/token_survey.cuh"

namespace presso::gpu {
namespace {

constexpr std::uint32_t kSettleThreads = 128;
constexpr std::uint32_t kVectorsOfSurvey = 2;  ///< of a warp, at least

__global__ void __launch_bounds__(kCheckWarps* kWarpSize) check_tokens_kernel(TokenBatch batch) {
  check_payloads_body(batch);
}

__global__ void __launch_bounds__(kSettleThreads) settle_tokens_kernel(u32* status, u32 count) {
  settle_body(status, count);
}

__global__ void __launch_bounds__(kSurveyTokenThreads) survey_tokens_kernel(TokenBatch batch) {
  survey_tokens_body(batch);
}

__global__ void __launch_bounds__(kPlacesThreads, 2) place_tokens_kernel(TokenBatch batch) {
  place_tokens_body(batch);
}

__global__ void __launch_bounds__(kTokenWarps* kWarpSize, 2) tokens_kernel(TokenBatch batch) {
  decode_tokens_body(batch);
}

class TokenLauncher {
 public:
  explicit TokenLauncher(cudaStream_t stream) : stream_(stream) {}

  Status clear(u32* status, u32 count) {
    return gpu::check(cudaMemsetAsync(status, 0xFF, count * sizeof *status, stream_), "status");
  }
  Status check(const TokenBatch& batch) {
    check_tokens_kernel<<<batch.count, kCheckWarps * kWarpSize, sizeof(PayloadCheckShared),
                          stream_>>>(batch);
    return launched("check_tokens_kernel");
  }
  Status survey(const TokenBatch& batch) {
    const WorkShape shape{kSurveyTokenThreads, sizeof(TokenSurveyShared),
                          (batch.vectors - 1) / kVectorsOfSurvey + 1, true};
    return launch_everywhere(survey_tokens_kernel, shape, stream_, "survey_tokens_kernel", batch);
  }
  Status places(const TokenBatch& batch) {
    place_tokens_kernel<<<batch.count, kPlacesThreads, sizeof(TokenPlacesShared), stream_>>>(batch);
    return launched("place_tokens_kernel");
  }
  Status tokens(const TokenBatch& batch) {
    const WorkShape shape{kTokenWarps * kWarpSize, sizeof(TokenDecoderShared), batch.vectors};
    return launch_everywhere(tokens_kernel, shape, stream_, "tokens_kernel", batch);
  }
  Status settle(u32* status, u32 count) {
    settle_tokens_kernel<<<(count - 1) / kSettleThreads + 1, kSettleThreads, 0, stream_>>>(status,
                                                                                           count);
    return launched("settle_tokens_kernel");
  }

 private:
  static Status launched(const char* kernel) { return gpu::check(cudaGetLastError(), kernel); }

  cudaStream_t stream_;
};

}  // namespace

Status decode_token_blocks(const TokenBatch& batch, const ColumnOptions& options,
                           CUstream_st* stream) {
  TokenLauncher launcher(stream);
  return enqueue_tokens(batch, options, launcher);
}

}  // namespace presso::gpu
