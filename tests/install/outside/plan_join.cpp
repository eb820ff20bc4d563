// SPDX-License-Identifier: MIT
// Plans a join of columns in device memory, which needs no GPU.
#include <presso/device_join.h>

#include <cstdio>

int main() {
  alignas(16) static const std::uint64_t keys[8] = {};
  presso::gpu::JoinInput input;
  input.build.d_keys = keys;
  input.build.count = 8;
  input.probe = input.build;
  const auto join = presso::gpu::DeviceJoin::plan(input);
  if (!join.ok()) return 1;
  std::printf("%llu bytes\n", static_cast<unsigned long long>(join->temporary_bytes()));
  return join->strategy() == presso::gpu::DeviceJoinAlgorithm::kTable ? 0 : 1;
}
