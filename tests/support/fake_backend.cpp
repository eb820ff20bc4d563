// SPDX-License-Identifier: MIT
// The command's GPU (tools/device/gpu.h) over the fake device, for a presso that tests run where
// there is no GPU. PRESSO_FAKE_GPU says how it is, in words:
//
//   none         there is no device
//   copy=N       lost at copy N; decode=N: at decode N; small: 1 MiB of device memory
//   launch=      lost in a query, at its third kernel; small: 4 KiB
//   no-compiler  of queries, as where NVRTC is not installed
//
// How fast it is, tests say in the user's store of measurements (tools/device/measurement_store.h).
#include <charconv>
#include <cstdlib>
#include <string>

#include "query/gpu/code/kernel_compiler.h"
#include "query/gpu/code/nvrtc_library.h"
#include "query/gpu/table/query_on_gpu.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/support/fake_device.h"
#include "tests/support/fake_scan_kernels.h"
#include "tools/device/owned_gpu.h"

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

class MissingCompiler final : public gpu::KernelCompiler {
 public:
  Result<std::shared_ptr<gpu::CompiledKernels>> compile(const std::string&) override {
    return gpu::NvrtcLibrary::open({"/nowhere/libnvrtc.so.13"}).error();
  }
};

}  // namespace

Result<std::unique_ptr<GpuDecoder>> open_gpu(const gpu::GpuOptions& options) {
  if (wanted() == "none") return no_device();
  gpu::GpuOptions small = options;
  small.slot_plain_bytes = 128u << 10;
  auto device = test::make_fake_device(std::make_shared<FakeCounts>(), faults());
  PRESSO_ASSIGN(gpu::Decompressor opened, gpu::Decompressor::over(std::move(device), small));
  return std::unique_ptr<GpuDecoder>(std::make_unique<OwnedDecoder>(std::move(opened)));
}

Result<std::unique_ptr<FileSearch>> open_gpu_search(const gpu::GpuOptions& options,
                                                    const Pattern& pattern) {
  if (wanted() == "none") return no_device();
  gpu::GpuOptions small = options;
  small.slot_plain_bytes = 128u << 10;
  auto device = test::make_fake_device(std::make_shared<FakeCounts>(), faults());
  gpu::Device& fake = *device.device;
  PRESSO_ASSIGN(gpu::Decompressor opened, gpu::Decompressor::over(std::move(device), small));
  const auto make_scanner = [&](gpu::Decompressor& decompressor) {
    return gpu::FileScanner(decompressor, pattern, test::make_fake_scan_kernels(fake));
  };
  return std::unique_ptr<FileSearch>(
      std::make_unique<OwnedSearch>(std::move(opened), make_scanner));
}

/// The kernels of queries run in the emulator.
Result<std::shared_ptr<QueryDevice>> open_gpu_queries(const gpu::QueryGpuOptions& options) {
  if (wanted() == "none") return no_device();
  auto faults = std::make_shared<test::EmulatedFaults>();
  if (options.max_device_bytes != 0) faults->device_bytes = options.max_device_bytes;
  if (wanted() == "small") faults->device_bytes = 1u << 12;
  if (wanted().starts_with("launch=")) faults->launch = 2;
  if (wanted() == "no-compiler") {
    return std::shared_ptr<QueryDevice>(std::make_shared<gpu::QueryOnGpu>(
        test::make_host_device(faults), test::make_emulated_table_kernels(faults),
        test::make_emulated_string_kernels(faults), gpu::MemoryLimits{}, gpu::MemoryLimits{},
        "the emulator", 0, std::make_shared<MissingCompiler>()));
  }
  return test::make_emulated_query_device(std::move(faults));
}

Result<std::unique_ptr<const gpu::DeviceTable>> load_to_gpu(std::shared_ptr<QueryDevice> device,
                                                            const std::vector<Table>& tables) {
  PRESSO_ASSIGN(gpu::DeviceTable loaded, gpu::DeviceTable::load(std::move(device), tables));
  return std::make_unique<const gpu::DeviceTable>(std::move(loaded));
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

Result<gpu::QueryCompilerInfo> gpu_query_compiler() {
  return gpu::query_compiler_info();
}

bool gpu_knows_query(const std::string& shape) {
  const Result<std::string> identity = gpu_identity_without_start();
  return identity.ok() && gpu::was_compiled(shape, *identity);
}

void note_gpu_query(const std::string& shape) {
  const Result<std::string> identity = gpu_identity_without_start();
  if (identity.ok()) gpu::note_compiled(shape, *identity);
}

Result<std::string> gpu_identity() {
  return std::string("Fake GPU, driver 1.0");
}

Result<std::string> gpu_identity_without_start() {
  return gpu_identity();
}

}  // namespace presso::cli
