// SPDX-License-Identifier: MIT
// The flags of commands that decode whole files, on the CPU or on a GPU.
#pragma once

#include <cstdint>
#include <vector>

#include "presso/gpu_batch.h"
#include "tools/cli/flag.h"

namespace presso::cli {

struct DeviceFlags {
  enum class Device { kAuto, kCpu, kGpu };

  Device device = Device::kAuto;
  gpu::Strategy strategy = gpu::Strategy::kAuto;
  std::uint64_t max_device_bytes = 0;  ///< 0: no limit
  std::uint64_t max_pinned_bytes = 0;
};

/// --device --strategy --max-device-memory --max-pinned-memory; `brief`: what the first one does.
std::vector<Flag> device_flags(DeviceFlags& flags,
                               std::string_view brief = "decode on the CPU or on a GPU");

/// The same of commands that ask tables, which have no --strategy of that kind.
std::vector<Flag> query_device_flags(DeviceFlags& flags);

}  // namespace presso::cli
