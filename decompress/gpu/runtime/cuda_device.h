// SPDX-License-Identifier: MIT
// The implementation of Device (device.h) over CUDA.
#pragma once

#include <memory>

#include "decompress/gpu/runtime/device.h"

namespace presso::gpu {

/// Starts CUDA on device `index`, as list_devices() counts, if this process has not yet. Errors:
/// kNoDevice, kDeviceMemory, kDeviceLost; kInvalidArgument where there is no such device.
Result<std::unique_ptr<Device>> open_cuda_device(int index);

}  // namespace presso::gpu
