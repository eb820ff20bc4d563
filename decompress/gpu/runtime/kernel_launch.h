// SPDX-License-Identifier: MIT
// Launches kernels with as many thread blocks as the GPU runs at once, for kernels whose blocks
// share out the work among themselves. For CUDA files only.
#pragma once

#include <algorithm>

#include "decompress/gpu/runtime/cuda_error.h"
#include "decompress/gpu/simt/simt.h"

namespace presso::gpu {

/// An attribute of the calling thread's current device.
inline Result<int> device_attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  PRESSO_TRY(check(cudaGetDevice(&device), "looking for a GPU"));
  PRESSO_TRY(check(cudaDeviceGetAttribute(&value, which, device), "looking at a GPU"));
  return value;
}

/// What a kernel needs of each thread block, and how much work there is.
struct WorkShape {
  std::uint32_t threads = 256;
  std::size_t shared_bytes = 0;
  std::uint64_t most_warps = 1;  ///< that have something to do
  bool wants_cache = false;      ///< no more shared memory is set aside than blocks take
};

/// Sets aside what `blocks` blocks take of a multiprocessor's shared memory, each with 1 KiB of
/// CUDA's own; what is left caches.
template <class Kernel>
Status leave_cache(Kernel kernel, int blocks, std::size_t shared_bytes, const char* doing) {
  PRESSO_ASSIGN(const int most, device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  const std::size_t taken = static_cast<std::size_t>(blocks) * (shared_bytes + 1024);
  const std::size_t percent =
      std::min<std::size_t>(100 * taken / static_cast<std::size_t>(most) + 1, 100);
  return check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                    static_cast<int>(percent)),
               doing);
}

/// Lets a kernel have all shared memory that a block may have. The limit belongs to the kernel, not
/// to the launch: one that followed each launch's size could be lowered by another thread between
/// this thread's setting it and its launch.
template <class Kernel>
Status allow_most_shared_memory(Kernel kernel, const char* doing) {
  cudaFuncAttributes attributes{};
  PRESSO_TRY(check(cudaFuncGetAttributes(&attributes, kernel), doing));
  PRESSO_ASSIGN(const int most, device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  return check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    most - static_cast<int>(attributes.sharedSizeBytes)),
               doing);
}

/// How many blocks of a multiprocessor run at once. What leave_cache() set aside at an earlier
/// launch of the kernel, with other needs, does not count.
template <class Kernel>
Result<int> blocks_at_once(Kernel kernel, std::uint32_t threads, std::size_t shared_bytes,
                           const char* doing) {
  PRESSO_TRY(allow_most_shared_memory(kernel, doing));
  PRESSO_TRY(check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                        cudaSharedmemCarveoutMaxShared),
                   doing));
  int blocks = 0;
  PRESSO_TRY(check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                       &blocks, kernel, static_cast<int>(threads), shared_bytes),
                   doing));
  return blocks;
}

/// Enqueues `kernel(arguments...)` over as many blocks as the device runs at once.
template <class... Arguments>
Status launch_everywhere(void (*kernel)(Arguments...), const WorkShape& shape, cudaStream_t stream,
                         const char* doing, const std::type_identity_t<Arguments>&... arguments) {
  PRESSO_ASSIGN(const int blocks, blocks_at_once(kernel, shape.threads, shape.shared_bytes, doing));
  if (blocks == 0) return make_error(ErrorCode::kNoDevice, std::string(doing) + ": too large");
  if (shape.wants_cache) PRESSO_TRY(leave_cache(kernel, blocks, shape.shared_bytes, doing));
  PRESSO_ASSIGN(const int processors, device_attribute(cudaDevAttrMultiProcessorCount));
  const std::uint64_t warps = shape.threads / simt::kWarpSize;
  const std::uint64_t useful = (shape.most_warps + warps - 1) / warps;
  const auto grid = static_cast<unsigned>(
      std::min<std::uint64_t>(useful, static_cast<std::uint64_t>(blocks) * processors));
  kernel<<<grid, shape.threads, shape.shared_bytes, stream>>>(arguments...);
  return check(cudaGetLastError(), doing);
}

}  // namespace presso::gpu
