// SPDX-License-Identifier: MIT
// Runs the tests of queries in the emulator on a real GPU (watched_query_device.cpp). Ends with
// status 77 where there is none.
#include <gtest/gtest.h>

#include <cstdio>

#include "decompress/gpu/runtime/cuda_device.h"

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  const auto device = presso::gpu::open_cuda_device(0);
  if (device.ok()) return RUN_ALL_TESTS();
  std::printf("[  SKIPPED ] %s\n", device.error().message().c_str());
  return 77;
}
