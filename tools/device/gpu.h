// SPDX-License-Identifier: MIT
// What the command knows of GPUs. One implementation is linked: gpu_cuda.cpp where the build has
// CUDA, gpu_none.cpp where it has not, and for tests one over a device that decodes on the CPU.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "presso/decompress_gpu.h"
#include "presso/gpu_devices.h"
#include "presso/scan_gpu.h"

namespace presso::cli {

/// Decodes a job on the GPU that was opened.
using GpuRun = std::function<Result<DecompressSummary>(const gpu::DecodeJob&)>;

/// Errors as Decompressor::open(); kUnsupported where this build has no GPU code.
Result<GpuRun> open_gpu(const gpu::GpuOptions& options);

/// A GPU that searches for one pattern: the calls of gpu::FileScanner.
struct GpuSearch {
  std::function<Result<ScanSummary>(const RandomAccess&, const ScanOptions&, const LineCallback&)>
      scan;
  std::function<std::optional<std::string>(const ScanOptions&, bool has_callback)> why_not;
  std::function<bool()> used_gpu;
  std::string description;
};

/// Errors as open_gpu().
Result<GpuSearch> open_gpu_search(const gpu::GpuOptions& options, const Pattern& pattern);

/// As gpu::list_devices(); kUnsupported where this build has no GPU code.
Result<std::vector<gpu::DeviceInfo>> gpu_devices();

/// What decoding on a GPU costs, for the choice of --device=auto (device_choice.h).
struct GpuCosts {
  double start_seconds = 0;       ///< until the first block can be sent
  double scan_start_seconds = 0;  ///< the same for searching
  double copy_rate = 0;           ///< bytes a second, each way
  double decode_rate = 0;         ///< plain bytes a second
};

GpuCosts gpu_costs();

}  // namespace presso::cli
