// SPDX-License-Identifier: MIT
// The Launcher that batch_steps.h asks for, with real kernels on a stream. The kernels here run
// before and after the decoders; their mapping of threads to data, shared memory (none) and
// synchronisation are described at their bodies (plan.cuh, finish.cuh). For CUDA files only:
// batch.cu and the laboratory (lab/gpu) include it.
#pragma once

#include "decompress/gpu/batch/batch_steps.h"
#include "decompress/gpu/batch/finish.cuh"
#include "decompress/gpu/runtime/cuda_error.h"

namespace presso::gpu {
namespace {

constexpr std::uint32_t kPlanThreads = 64;
constexpr std::uint32_t kFinishThreads = 256;

__global__ void __launch_bounds__(kPlanThreads) plan_kernel(PlanArguments arguments) {
  plan_body(arguments);
}

__global__ void __launch_bounds__(kFinishThreads) finish_kernel(BlockBatch batch) {
  finish_body(batch);
}

class BatchLauncher {
 public:
  explicit BatchLauncher(cudaStream_t stream) : stream_(stream) {}

  Status clear(std::uint64_t* d_word) {
    return check(cudaMemsetAsync(d_word, 0, sizeof *d_word, stream_), "clearing a counter");
  }
  Status plan(const PlanArguments& arguments) {
    const std::uint32_t grid = (arguments.batch.blocks - 1) / kPlanThreads + 1;
    plan_kernel<<<grid, kPlanThreads, 0, stream_>>>(arguments);
    return check(cudaGetLastError(), "launching plan_kernel");
  }
  Status decode(const DecodeLaunch& launch) { return launch_decoders(launch, stream_); }
  Status finish(const BlockBatch& batch) {
    finish_kernel<<<batch.blocks, kFinishThreads, 0, stream_>>>(batch);
    return check(cudaGetLastError(), "launching finish_kernel");
  }

 private:
  cudaStream_t stream_;
};

}  // namespace
}  // namespace presso::gpu
