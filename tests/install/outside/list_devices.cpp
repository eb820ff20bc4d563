// SPDX-License-Identifier: MIT
// An installed GPU library links and answers, with or without a device.
#include <presso/gpu_devices.h>

#include <cstdio>

int main() {
  const auto devices = presso::gpu::list_devices();
  if (!devices.ok()) {
    std::printf("%s\n", devices.error().message().c_str());
    return devices.error().code == presso::ErrorCode::kNoDevice ? 0 : 1;
  }
  for (const auto& device : *devices) std::printf("%d: %s\n", device.index, device.name.c_str());
  return 0;
}
