// SPDX-License-Identifier: MIT
// DeviceJoiner::open(), apart from the rest so that only this file needs CUDA. A joiner keeps up to
// 1 GiB of device memory and 64 KiB of pinned memory between joins.
#include "decompress/gpu/runtime/cuda_device.h"
#include "query/gpu/join/join_workplace.h"

namespace presso::gpu {

Result<DeviceJoiner> DeviceJoiner::open(const JoinGpuOptions& options) {
  PRESSO_ASSIGN(auto device, open_cuda_device(options.device));
  MemoryLimits limits;
  if (options.max_device_bytes != 0) limits.device_bytes = options.max_device_bytes;
  constexpr MemoryLimits kKept{std::uint64_t{1} << 30, std::uint64_t{1} << 16};
  return without_bad_alloc([&]() -> Result<DeviceJoiner> {
    return DeviceJoiner(std::move(device), cuda_join_kernels(options.device), limits, kKept,
                        options.device);
  });
}

}  // namespace presso::gpu
