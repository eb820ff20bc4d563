// SPDX-License-Identifier: MIT
// Device properties by single attributes: the big property structure changes between toolkits
// (13.0 dropped the clock rate), and the attributes cost microseconds.
#include <cuda_runtime_api.h>

#include "decompress/gpu/runtime/cuda_error.h"
#include "decompress/gpu/runtime/current_device.h"
#include "presso/gpu_devices.h"

namespace presso::gpu {
namespace {

/// The driver is asked first: without one, CUDA calls it too old.
Result<int> usable_driver_version(int runtime_version) {
  int version = 0;
  PRESSO_TRY(check(cudaDriverGetVersion(&version), "asking for the driver"));
  if (version == 0) return make_error(ErrorCode::kNoDevice, "no NVIDIA driver is installed");
  if (version / 1000 < runtime_version / 1000) {
    return make_error(ErrorCode::kNoDevice,
                      "the driver is too old: it knows CUDA " + cuda_version_text(version) +
                          ", presso was built with " + cuda_version_text(runtime_version));
  }
  return version;
}

/// Does not start CUDA on the device.
Result<int> attribute(int device, cudaDeviceAttr which) {
  int value = 0;
  PRESSO_TRY(check(cudaDeviceGetAttribute(&value, which, device), "asking for device properties"));
  return value;
}

/// Compute capability, multiprocessors, cache and clock.
Status read_attributes(DeviceInfo& info) {
  const auto read = [&](cudaDeviceAttr which, auto& to) -> Status {
    PRESSO_ASSIGN(const int value, attribute(info.index, which));
    to = static_cast<std::remove_reference_t<decltype(to)>>(value);
    return {};
  };
  PRESSO_TRY(read(cudaDevAttrComputeCapabilityMajor, info.major));
  PRESSO_TRY(read(cudaDevAttrComputeCapabilityMinor, info.minor));
  PRESSO_TRY(read(cudaDevAttrMultiProcessorCount, info.multiprocessors));
  PRESSO_TRY(read(cudaDevAttrL2CacheSize, info.l2_bytes));
  return read(cudaDevAttrClockRate, info.clock_khz);
}

/// A device that another process has for itself is listed, with no free memory.
Status read_memory(DeviceInfo& info) {
  std::size_t free_bytes = 0, total_bytes = 0;
  cudaError_t status = cudaSetDevice(info.index);
  if (status == cudaSuccess) status = cudaMemGetInfo(&free_bytes, &total_bytes);
  if (status == cudaErrorDevicesUnavailable) {
    static_cast<void>(cudaGetLastError());
    return {};
  }
  PRESSO_TRY(check(status, "starting device " + std::to_string(info.index)));
  info.free_memory_bytes = free_bytes;
  return {};
}

/// Starts CUDA on the device, since free memory cannot be asked for otherwise.
Result<DeviceInfo> read_device(int index) {
  DeviceInfo info;
  info.index = index;
  cudaDeviceProp properties{};
  PRESSO_TRY(check(cudaGetDeviceProperties(&properties, index), "asking for device properties"));
  info.name = properties.name;
  info.total_memory_bytes = properties.totalGlobalMem;
  PRESSO_TRY(read_attributes(info));
  PRESSO_TRY(read_memory(info));
  return info;
}

}  // namespace

// Told apart for the user: no driver, a driver older than the runtime, and no device.
Result<UsableDevices> usable_devices() {
  UsableDevices usable;
  PRESSO_TRY(check(cudaRuntimeGetVersion(&usable.runtime_version), "asking for the CUDA runtime"));
  PRESSO_ASSIGN(usable.driver_version, usable_driver_version(usable.runtime_version));
  PRESSO_TRY(check(cudaGetDeviceCount(&usable.count), "looking for devices"));
  if (usable.count == 0) return make_error(ErrorCode::kNoDevice, "the driver knows no device");
  return usable;
}

// All or nothing: one device that cannot be asked is an error of the list.
Result<std::vector<DeviceInfo>> list_devices() {
  PRESSO_ASSIGN(const UsableDevices usable, usable_devices());
  const CurrentDevice unchanged;
  std::vector<DeviceInfo> devices;
  for (int index = 0; index < usable.count; ++index) {
    PRESSO_ASSIGN(DeviceInfo info, read_device(index));
    info.driver_version = usable.driver_version;
    info.runtime_version = usable.runtime_version;
    devices.push_back(std::move(info));
  }
  return devices;
}

}  // namespace presso::gpu
