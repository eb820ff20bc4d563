// SPDX-License-Identifier: MIT
// The GPUs of this machine, or the reason why none can be used. Needs no CUDA header. Tested by
// tests/gpu/devices_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "presso/error.h"

namespace presso::gpu {

/// What CUDA reports about a device, at the time of the call.
struct DeviceInfo {
  int index = 0;  ///< what cudaSetDevice takes
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  std::uint64_t total_memory_bytes = 0;
  std::uint64_t free_memory_bytes = 0;  ///< 0 while another process has the device for itself
  int multiprocessors = 0;
  std::uint32_t l2_bytes = 0;
  int clock_khz = 0;        ///< of the multiprocessors, at most
  int driver_version = 0;   ///< CUDA that the driver supports: 1000 * major + 10 * minor
  int runtime_version = 0;  ///< CUDA that presso was built with, in the same form
};

/// Returns "13.0" for 13000.
inline std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Returns all devices in CUDA's order, at least one. Asking for free memory starts CUDA on each of
/// them, which takes a fraction of a second the first time. The calling thread's current device
/// does not change. Errors: kNoDevice, whose `what` says whether a driver is missing, too old, or
/// has no device that this process may use; kDeviceMemory; kDeviceLost.
Result<std::vector<DeviceInfo>> list_devices();

}  // namespace presso::gpu
