// SPDX-License-Identifier: MIT
// decode_batch: the steps of batch_steps.h as kernels on a stream. The kernels here are those
// around the decoders; threads to data, shared memory (none) and synchronisation are described
// where their bodies are.
#include <algorithm>

#include "decompress/gpu/batch_steps.h"
#include "decompress/gpu/cuda_error.h"
#include "decompress/gpu/diagnose.cuh"
#include "decompress/gpu/raw.cuh"

namespace presso::gpu {
namespace {

constexpr std::uint32_t kBlocksOfThreads = 64;  ///< threads of kernels with a thread a block
constexpr std::uint32_t kCopyThreads = 256;     ///< of kernels with a thread block a block
constexpr std::uint32_t kMaxGrid = 1u << 20;    ///< these go round

__global__ void __launch_bounds__(kBlocksOfThreads) plan_kernel(PlanArguments arguments) {
  plan_body(arguments);
}

__global__ void __launch_bounds__(kCopyThreads) raw_kernel(BlockBatch batch, bool verify) {
  raw_body(batch, verify);
}

__global__ void __launch_bounds__(kBlocksOfThreads) diagnose_kernel(BlockBatch batch) {
  diagnose_body(batch);
}

__global__ void __launch_bounds__(kCopyThreads) verify_kernel(BlockBatch batch) {
  verify_body(batch);
}

class KernelLauncher {
 public:
  explicit KernelLauncher(cudaStream_t stream) : stream_(stream) {}

  Status clear(std::uint64_t* d_word) {
    return check(cudaMemsetAsync(d_word, 0, sizeof *d_word, stream_), "clearing a counter");
  }
  Status plan(const PlanArguments& arguments) {
    plan_kernel<<<grid_of_threads(arguments.batch.blocks), kBlocksOfThreads, 0, stream_>>>(
        arguments);
    return check(cudaGetLastError(), "launching plan_kernel");
  }
  Status decode(const DecodeLaunch& launch) { return launch_decoders(launch, stream_); }
  Status raw(const BlockBatch& batch, bool verify) {
    raw_kernel<<<std::min(batch.blocks, kMaxGrid), kCopyThreads, 0, stream_>>>(batch, verify);
    return check(cudaGetLastError(), "launching raw_kernel");
  }
  Status diagnose(const BlockBatch& batch) {
    diagnose_kernel<<<grid_of_threads(batch.blocks), kBlocksOfThreads, 0, stream_>>>(batch);
    return check(cudaGetLastError(), "launching diagnose_kernel");
  }
  Status verify(const BlockBatch& batch) {
    verify_kernel<<<std::min(batch.blocks, kMaxGrid), kCopyThreads, 0, stream_>>>(batch);
    return check(cudaGetLastError(), "launching verify_kernel");
  }

 private:
  static std::uint32_t grid_of_threads(std::uint32_t blocks) {
    return (blocks - 1) / kBlocksOfThreads + 1;
  }

  cudaStream_t stream_;
};

}  // namespace

std::size_t temporary_bytes(std::uint32_t blocks, std::uint64_t plain_bytes,
                            const BatchOptions& options) {
  return BatchMemory(blocks, options).bytes(BatchMemory::segments_of_batch(blocks, plain_bytes));
}

Status decode_batch(const BatchArguments& arguments, const BatchOptions& options,
                    CUstream_st* stream) {
  KernelLauncher launcher(stream);
  return enqueue_batch(arguments, options, launcher);
}

}  // namespace presso::gpu
