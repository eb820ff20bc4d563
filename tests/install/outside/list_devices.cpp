// SPDX-License-Identifier: MIT
// An installed GPU library links and answers, with or without a device.
#include <presso/decompress_gpu.h>
#include <presso/gpu_devices.h>

#include <cstdio>

int main() {
  const auto devices = presso::gpu::list_devices();
  if (!devices.ok()) {
    std::printf("%s\n", devices.error().message().c_str());
    return devices.error().code == presso::ErrorCode::kNoDevice ? 0 : 1;
  }
  for (const auto& device : *devices) std::printf("%d: %s\n", device.index, device.name.c_str());
  const auto decompressor = presso::gpu::Decompressor::open();
  std::printf("%s\n", decompressor.ok() ? "opened" : decompressor.error().message().c_str());
  return decompressor.ok() ? 0 : 1;
}
