// SPDX-License-Identifier: MIT
// The flags about devices, of all commands that decode, search or query files. Tested by
// tests/cli/test_device.py.
#pragma once

#include <cstdint>
#include <vector>

#include "presso/gpu_batch.h"
#include "tools/cli/flag.h"

namespace presso::cli {

/// What the flags were set to.
struct DeviceFlags {
  enum class Device { kAuto, kCpu, kGpu };

  Device device = Device::kAuto;
  gpu::Strategy strategy = gpu::Strategy::kAuto;
  std::uint64_t max_device_bytes = 0;  ///< 0: no limit
  std::uint64_t max_pinned_bytes = 0;
  bool code_cache = true;  ///< of queries: whether compiled code is kept from one to the next
};

/// The flags --device --strategy --max-device-memory --max-pinned-memory; `brief` describes the
/// first one.
std::vector<Flag> device_flags(DeviceFlags& flags,
                               std::string_view brief = "decode on the CPU or on a GPU");

/// These flags for commands that query tables: without --strategy, and with --no-code-cache.
std::vector<Flag> query_device_flags(DeviceFlags& flags);

}  // namespace presso::cli
