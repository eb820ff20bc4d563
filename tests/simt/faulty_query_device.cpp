// SPDX-License-Identifier: MIT
// What devices of tests share, whether the emulator is beneath (emulated_query_device.cpp) or a
// real GPU (tests/gpu/watched_query_device.cpp).
#include <algorithm>

#include "query/gpu/table/query_on_gpu.h"
#include "tests/simt/emulated_compiler.h"
#include "tests/simt/emulated_query_device.h"

namespace presso::test {

Status EmulatedFaults::next_allocation(std::size_t bytes) {
  if (allocations++ < allocation && live_bytes + bytes <= device_bytes) return {};
  return make_error(ErrorCode::kDeviceMemory, "as the test wants it");
}

Status EmulatedFaults::next_pinned_allocation(std::size_t bytes) {
  if (pinned_allocations++ >= pinned_allocation || bytes > most_pinned) {
    return make_error(ErrorCode::kOutOfMemory, "as the test wants it");
  }
  pinned_bytes += bytes;
  most_pinned_bytes = std::max(most_pinned_bytes, pinned_bytes);
  return {};
}

std::shared_ptr<QueryDevice> make_emulated_query_device(std::shared_ptr<EmulatedFaults> faults,
                                                        std::uint32_t seed,
                                                        const gpu::MemoryLimits& limits) {
  // Where nobody counts it, some memory is kept from a query to the next.
  const bool keeps = faults == nullptr;
  const gpu::MemoryLimits kept{keeps ? std::uint64_t{1} << 20 : 0, keeps ? 1u << 16 : 0};
  if (faults == nullptr) faults = std::make_shared<EmulatedFaults>();
  return std::make_shared<gpu::QueryOnGpu>(
      make_host_device(faults), make_emulated_table_kernels(faults, seed),
      make_emulated_string_kernels(faults, seed + 1), limits, kept, "the emulator", 0,
      make_emulated_compiler(faults, seed + 2));
}

}  // namespace presso::test
