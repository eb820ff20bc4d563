// SPDX-License-Identifier: MIT
// What the command knows of GPUs. One implementation is linked: gpu_cuda.cpp if the build has CUDA,
// gpu_none.cpp if it does not, and, for tests, one over a device that decodes on the CPU. So no
// other file of the command depends on CUDA. Tested by tests/cli/test_device.py. Everything here
// may take long, since the first call of a process starts CUDA.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "presso/decompress_gpu.h"
#include "presso/device_table.h"
#include "presso/gpu_devices.h"
#include "presso/query_compiler.h"
#include "presso/query_gpu.h"
#include "presso/scan_gpu.h"

namespace presso::cli {

/// A GPU that was opened for decoding. It stands for gpu::Decompressor, which builds without CUDA
/// do not have.
class GpuDecoder {
 public:
  virtual ~GpuDecoder() = default;
  virtual Result<DecompressSummary> run(const gpu::DecodeJob& job,
                                        std::optional<ArchiveIndex> index = {}) = 0;
};

/// Opens a GPU for decoding. Errors are those of Decompressor::open(); kUnsupported if this build
/// has no GPU code.
Result<std::unique_ptr<GpuDecoder>> open_gpu(const gpu::GpuOptions& options);

/// Opens a GPU that searches for one pattern, with a gpu::FileScanner. Errors are those of
/// open_gpu().
Result<std::unique_ptr<FileSearch>> open_gpu_search(const gpu::GpuOptions& options,
                                                    const Pattern& pattern);

/// Opens a GPU that answers queries. Errors are those of open_gpu().
Result<std::shared_ptr<QueryDevice>> open_gpu_queries(const gpu::QueryGpuOptions& options);

/// Loads tables into the memory of a device that open_gpu_queries() has given; they stay there for
/// as long as the result lives. Errors are those of gpu::DeviceTable::load(); kUnsupported if this
/// build has no GPU code.
Result<std::unique_ptr<const gpu::DeviceTable>> load_to_gpu(std::shared_ptr<QueryDevice> device,
                                                            const std::vector<Table>& tables);

/// Lists the GPUs, as gpu::list_devices() does; kUnsupported if this build has no GPU code.
Result<std::vector<gpu::DeviceInfo>> gpu_devices();

/// What compiles queries for a GPU, as gpu::query_compiler_info() tells it; kUnsupported if this
/// build has no GPU code.
Result<gpu::QueryCompilerInfo> gpu_query_compiler();

/// Whether a GPU has answered a query of this shape before, and notes that it has
/// (presso/query_compiler.h); false, and nothing, if this build has no GPU code.
bool gpu_knows_query(const std::string& shape);
void note_gpu_query(const std::string& shape);

/// The name of the GPU and its driver under which rates that were measured on them are stored:
/// "NVIDIA H200, driver 570.86.15". Starts CUDA only if the driver's files do not tell. The error
/// says why there is no GPU.
Result<std::string> gpu_identity();

/// That name, but CUDA is never started. An error means that the GPU is not known this way; there
/// may be one.
Result<std::string> gpu_identity_without_start();

}  // namespace presso::cli
