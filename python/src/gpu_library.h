// SPDX-License-Identifier: MIT
// presso's code for GPUs, which is a library of its own (python/gpu_package/plugin.h).
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "presso/lines.h"
#include "python/gpu_package/plugin.h"

namespace presso::python {

/// The library's functions. It stays loaded as long as the process lives.
using GpuApi = const presso_gpu_api*;

/// Loads the library at this path, once. Errors: kUnsupported where it cannot be loaded or is not
/// for this version.
Result<GpuApi> open_gpu_library(const std::string& path);

/// What the library is given of a file, which stays the caller's.
presso_gpu_file gpu_file_of(const RandomAccess& file);

/// What a call of the library returns: an error where that is not 0.
Status called(int returned, const presso_gpu_error& error);

/// A pattern that is searched for on a GPU.
struct GpuPattern {
  GpuApi api;
  int device = 0;
  std::vector<std::string> texts;
  presso_gpu_pattern flags = {};  ///< without the texts
};

/// Searches one file after another for one pattern. The GPU is opened for the first one.
class GpuSearch {
 public:
  /// Kept by reference.
  explicit GpuSearch(const GpuPattern& pattern) : pattern_(pattern) {}
  ~GpuSearch();
  GpuSearch(const GpuSearch&) = delete;
  GpuSearch& operator=(const GpuSearch&) = delete;

  /// As presso::scan(). Errors: likewise, and kNoDevice, kDeviceMemory, kDeviceLost.
  Result<ScanSummary> scan(const RandomAccess& file, const ScanOptions& options,
                           const LineCallback& on_line);
  /// Why the CPU has searched the last file; empty: it has not.
  const std::string& why_cpu() const { return why_cpu_; }

 private:
  Status open();

  const GpuPattern& pattern_;
  presso_gpu_search* search_ = nullptr;
  std::string why_cpu_;
};

void bind_gpu_library(nanobind::module_& module);

}  // namespace presso::python
