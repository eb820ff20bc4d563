// SPDX-License-Identifier: MIT
// gpu.h by way of CUDA. Opening a GPU takes about half a second, most of it for CUDA's context.
// Errors of CUDA are passed on as they are. The driver's folder is on Linux alone. Tested on a GPU
// by tests/gpu/run.sh.
#include <memory>

#include "tools/device/device_rates.h"
#include "tools/device/owned_gpu.h"

namespace presso::cli {
namespace {

constexpr const char* kDriverFolder = "/proc/driver/nvidia";

}  // namespace

Result<std::unique_ptr<GpuDecoder>> open_gpu(const gpu::GpuOptions& options) {
  PRESSO_ASSIGN(gpu::Decompressor opened, gpu::Decompressor::open(options));
  return std::unique_ptr<GpuDecoder>(std::make_unique<OwnedDecoder>(std::move(opened)));
}

Result<std::unique_ptr<FileSearch>> open_gpu_search(const gpu::GpuOptions& options,
                                                    const Pattern& pattern) {
  PRESSO_ASSIGN(gpu::Decompressor opened, gpu::Decompressor::open(options));
  const auto make_scanner = [&pattern](gpu::Decompressor& decompressor) {
    return gpu::FileScanner(decompressor, pattern);
  };
  return std::unique_ptr<FileSearch>(
      std::make_unique<OwnedSearch>(std::move(opened), make_scanner));
}

Result<std::shared_ptr<QueryDevice>> open_gpu_queries(const gpu::QueryGpuOptions& options) {
  return gpu::open_query_gpu(options);
}

Result<std::unique_ptr<const gpu::DeviceTable>> load_to_gpu(std::shared_ptr<QueryDevice> device,
                                                            const std::vector<Table>& tables) {
  PRESSO_ASSIGN(gpu::DeviceTable loaded, gpu::DeviceTable::load(std::move(device), tables));
  return std::make_unique<const gpu::DeviceTable>(std::move(loaded));
}

Result<std::vector<gpu::DeviceInfo>> gpu_devices() {
  return gpu::list_devices();
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

/// Asks CUDA if the driver shows no files, as in Windows' Linux and in some containers.
Result<std::string> gpu_identity() {
  std::string identity = gpu_identity_of(kDriverFolder);
  if (!identity.empty()) return identity;
  PRESSO_ASSIGN(const std::vector<gpu::DeviceInfo> devices, gpu::list_devices());
  const gpu::DeviceInfo& first = devices.front();
  return first.name + ", CUDA " + gpu::cuda_version_text(first.driver_version);
}

Result<std::string> gpu_identity_without_start() {
  std::string identity = gpu_identity_of(kDriverFolder);
  if (identity.empty()) {
    return make_error(ErrorCode::kNoDevice,
                      "there are no files of NVIDIA's driver, so there is no GPU");
  }
  return identity;
}

}  // namespace presso::cli
