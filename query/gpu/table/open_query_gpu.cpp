// SPDX-License-Identifier: MIT
// open_query_gpu(): opens a CUDA device for queries, with the caller's limits of memory. Up to 4
// GiB, or a sixteenth of the device's memory if that is less, and 64 MiB of pinned memory are kept
// from one query to the next, since allocation takes milliseconds. Errors: those of opening the
// device.
#include <algorithm>

#include "decompress/gpu/runtime/cuda_device.h"
#include "presso/gpu_devices.h"
#include "presso/query_gpu.h"
#include "query/gpu/code/cuda_compiler.h"
#include "query/gpu/table/query_on_gpu.h"

namespace presso::gpu {

Result<std::shared_ptr<QueryDevice>> open_query_gpu(const QueryGpuOptions& options) {
  PRESSO_ASSIGN(auto device, open_cuda_device(options.device));
  PRESSO_ASSIGN(const std::vector<DeviceInfo> devices, list_devices());
  MemoryLimits limits;
  if (options.max_device_bytes != 0) limits.device_bytes = options.max_device_bytes;
  if (options.max_pinned_bytes != 0) limits.pinned_bytes = options.max_pinned_bytes;
  const DeviceInfo& info = devices[static_cast<std::size_t>(options.device)];
  // From one query to the next: to allocate a gigabyte takes milliseconds.
  constexpr std::uint64_t kMostKept = std::uint64_t{4} << 30;
  const MemoryLimits kept{std::min(kMostKept, info.total_memory_bytes / 16),
                          std::uint64_t{64} << 20};
  return std::shared_ptr<QueryDevice>(std::make_shared<QueryOnGpu>(
      std::move(device), cuda_table_kernels(options.device), cuda_string_kernels(options.device),
      limits, kept, info.name, options.device,
      cuda_kernel_compiler(options.device, {.disk_cache = options.code_cache})));
}

}  // namespace presso::gpu
