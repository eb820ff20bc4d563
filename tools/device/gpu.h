// SPDX-License-Identifier: MIT
// What the command knows of GPUs. One implementation is linked: gpu_cuda.cpp where the build has
// CUDA, gpu_none.cpp where it has not, and for tests one over a device that decodes on the CPU.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "presso/decompress_gpu.h"
#include "presso/device_table.h"
#include "presso/gpu_devices.h"
#include "presso/query_gpu.h"
#include "presso/scan_gpu.h"

namespace presso::cli {

/// A GPU that was opened for decoding: gpu::Decompressor, which builds without CUDA do not have.
class GpuDecoder {
 public:
  virtual ~GpuDecoder() = default;
  virtual Result<DecompressSummary> run(const gpu::DecodeJob& job,
                                        std::optional<ArchiveIndex> index = {}) = 0;
};

/// Errors as Decompressor::open(); kUnsupported where this build has no GPU code.
Result<std::unique_ptr<GpuDecoder>> open_gpu(const gpu::GpuOptions& options);

/// A GPU that searches for one pattern: a gpu::FileScanner. Errors as open_gpu().
Result<std::unique_ptr<FileSearch>> open_gpu_search(const gpu::GpuOptions& options,
                                                    const Pattern& pattern);

/// A GPU that answers queries. Errors as open_gpu().
Result<std::shared_ptr<QueryDevice>> open_gpu_queries(const gpu::QueryGpuOptions& options);

/// Tables are in the memory of a device that open_gpu_queries() has given, for as long as what this
/// gives lives. Errors as gpu::DeviceTable::load(); kUnsupported where this build has no GPU code.
Result<std::unique_ptr<const gpu::DeviceTable>> load_to_gpu(std::shared_ptr<QueryDevice> device,
                                                            const std::vector<Table>& tables);

/// As gpu::list_devices(); kUnsupported where this build has no GPU code.
Result<std::vector<gpu::DeviceInfo>> gpu_devices();

/// The GPU and its driver, as rates measured on them are stored: "NVIDIA H200, driver 570.86.15".
/// Does not start CUDA where the driver's files tell. The error says why there is no GPU.
Result<std::string> gpu_identity();

/// The same, but never starts CUDA: the error says why the GPU is not known, there may be one.
Result<std::string> gpu_identity_without_start();

}  // namespace presso::cli
