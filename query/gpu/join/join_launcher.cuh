// SPDX-License-Identifier: MIT
// Launches the kernels of joins on a stream: the Launcher that join_steps.h and lookup_steps.h
// want. For CUDA files only; the emulator has a launcher of its own. Tested by
// tests/gpu/joins_on_device_test.cpp.
#pragma once

#include <atomic>

#include "decompress/gpu/runtime/kernel_launch.h"
#include "query/gpu/join/join_steps.h"

namespace presso::gpu {

/// The kernel of a body. Body::kBlocks thread blocks are to fit on a multiprocessor, which limits
/// registers.
template <class Body>
__global__ void __launch_bounds__(Body::kThreads, Body::kBlocks)
    join_kernel(const __grid_constant__ typename Body::Arguments arguments) {
  Body::run(arguments);
}

/// Returns how many thread blocks of a kernel run at once on the device. The answer is remembered
/// for the last device and size of shared memory, as a join has a dozen launches. The function is
/// static, because each CUDA file has kernels of its own.
template <class Body>
static Result<std::uint32_t> resident_blocks(std::uint32_t shared_bytes) {
  static std::atomic<std::uint64_t> known{0};
  int device = 0;
  PRESSO_TRY(check(cudaGetDevice(&device), Body::kName));
  const std::uint64_t asked = std::uint64_t{shared_bytes} << 8 | static_cast<std::uint8_t>(device);
  const std::uint64_t last = known.load(std::memory_order_relaxed);
  if (last >> 24 == asked && (last & 0xFFFFFF) != 0) {
    return static_cast<std::uint32_t>(last & 0xFFFFFF);
  }
  PRESSO_TRY(allow_most_shared_memory(join_kernel<Body>, Body::kName));
  int blocks = 0;
  PRESSO_TRY(check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                       &blocks, join_kernel<Body>, static_cast<int>(Body::kThreads), shared_bytes),
                   Body::kName));
  if (blocks == 0)
    return make_error(ErrorCode::kNoDevice, std::string(Body::kName) + ": too large");
  PRESSO_ASSIGN(const int processors, device_attribute(cudaDevAttrMultiProcessorCount));
  const auto all = static_cast<std::uint32_t>(blocks * processors);
  known.store(asked << 24 | all, std::memory_order_relaxed);
  return all;
}

/// Launches on one stream; cheap to make.
class JoinLauncher {
 public:
  explicit JoinLauncher(cudaStream_t stream) : stream_(stream) {}

  /// Enqueues a memset.
  Status fill(void* at, int byte, std::uint64_t bytes) {
    if (bytes == 0) return {};
    return check(cudaMemsetAsync(at, byte, bytes, stream_), "clearing memory of a join");
  }

  /// Launches `blocks` thread blocks, or fewer if the body does not need the whole grid and not all
  /// would run at once.
  template <class Body>
  Status run(std::uint64_t blocks, std::uint32_t shared_bytes,
             const typename Body::Arguments& arguments) {
    if (blocks == 0) return {};
    constexpr std::uint64_t kMostBlocks = 0x7FFFFFFF;
    std::uint64_t grid = std::min(blocks, kMostBlocks);
    PRESSO_ASSIGN(const std::uint32_t resident, resident_blocks<Body>(shared_bytes));
    if constexpr (!Body::kWholeGrid) grid = std::min<std::uint64_t>(grid, resident);
    join_kernel<Body>
        <<<static_cast<unsigned>(grid), Body::kThreads, shared_bytes, stream_>>>(arguments);
    return check(cudaGetLastError(), Body::kName);
  }

 private:
  cudaStream_t stream_;
};

}  // namespace presso::gpu
