// SPDX-License-Identifier: MIT
// The command's GPU (tools/device/gpu.h) over the fake device, for a presso that tests run where
// there is no GPU. PRESSO_FAKE_GPU says how it is, in words:
//
//   none         there is no device
//   slow         starting takes an hour, by what gpu_costs() says
//   copy=N       lost at copy N; decode=N: at decode N; small: 1 MiB of device memory
#include <charconv>
#include <cstdlib>
#include <string>

#include "tests/support/fake_device.h"
#include "tests/support/fake_scan_kernels.h"
#include "tools/device/gpu_search.h"

namespace presso::cli {
namespace {

using test::FakeCounts;
using test::FakeFaults;

std::string wanted() {
  const char* value = std::getenv("PRESSO_FAKE_GPU");
  return value != nullptr ? value : "";
}

FakeFaults faults() {
  FakeFaults faults;
  const std::string text = wanted();
  const std::size_t equals = text.find('=');
  if (text == "small") faults.device_memory = 1u << 20;
  if (equals == text.npos) return faults;
  std::size_t number = 0;
  std::from_chars(text.data() + equals + 1, text.data() + text.size(), number);
  (text[0] == 'c' ? faults.copy : faults.decode) = number;
  return faults;
}

Error no_device() {
  return make_error(ErrorCode::kNoDevice, "the test says so");
}

}  // namespace

Result<GpuRun> open_gpu(const gpu::GpuOptions& options) {
  if (wanted() == "none") return no_device();
  gpu::GpuOptions small = options;
  small.slot_plain_bytes = 128u << 10;
  auto device = test::make_fake_device(std::make_shared<FakeCounts>(), faults());
  PRESSO_ASSIGN(gpu::Decompressor opened, gpu::Decompressor::over(std::move(device), small));
  const auto decompressor = std::make_shared<gpu::Decompressor>(std::move(opened));
  return GpuRun([decompressor](const gpu::DecodeJob& job) { return decompressor->run(job); });
}

Result<GpuSearch> open_gpu_search(const gpu::GpuOptions& options, const Pattern& pattern) {
  if (wanted() == "none") return no_device();
  gpu::GpuOptions small = options;
  small.slot_plain_bytes = 128u << 10;
  auto device = test::make_fake_device(std::make_shared<FakeCounts>(), faults());
  gpu::Device& fake = *device.device;
  PRESSO_ASSIGN(gpu::Decompressor opened, gpu::Decompressor::over(std::move(device), small));
  const auto decompressor = std::make_shared<gpu::Decompressor>(std::move(opened));
  return gpu_search_of(
      decompressor, gpu::FileScanner(*decompressor, pattern, test::make_fake_scan_kernels(fake)));
}

Result<std::vector<gpu::DeviceInfo>> gpu_devices() {
  if (wanted() == "none") return no_device();
  gpu::DeviceInfo info;
  info.name = "Fake GPU";
  info.major = 9;
  info.total_memory_bytes = std::uint64_t{64} << 30;
  info.free_memory_bytes = std::uint64_t{63} << 30;
  info.multiprocessors = 132;
  info.l2_bytes = 50u << 20;
  info.clock_khz = 1'980'000;
  info.driver_version = info.runtime_version = 13000;
  return std::vector{info};
}

/// So fast that --device=auto takes it for any file whose content is only checked.
GpuCosts gpu_costs() {
  const double start = wanted() == "slow" ? 3600.0 : 0;
  return {
      .start_seconds = start, .scan_start_seconds = start, .copy_rate = 1e12, .decode_rate = 1e12};
}

}  // namespace presso::cli
