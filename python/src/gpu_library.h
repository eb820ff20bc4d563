// SPDX-License-Identifier: MIT
// Loads presso's code for GPUs, which is a library of its own (python/gpu_package/plugin.h), and
// searches with it. Only C passes between the two. Tested by python/tests/test_gpu.py. It declines
// a library of another version, even if the structs are the same.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "presso/lines.h"
#include "python/gpu_package/plugin.h"

namespace presso::python {

/// The functions of the library, which stays loaded as long as the process lives.
using GpuApi = const presso_gpu_api*;

/// Loads the library at this path, once. Error kUnsupported: it cannot be loaded or is not for this
/// version of presso.
Result<GpuApi> open_gpu_library(const std::string& path);

/// A file as the library takes it; the file stays the caller's and must outlive its use.
presso_gpu_file gpu_file_of(const RandomAccess& file);

/// Turns what a call of the library returned into a status.
Status called(int returned, const presso_gpu_error& error);

/// A pattern that is searched for on a GPU.
struct GpuPattern {
  GpuApi api;
  int device = 0;
  std::vector<std::string> texts;
  presso_gpu_pattern flags = {};  ///< without the texts
};

/// Searches one file after another for one pattern. The GPU is opened for the first file. Used by
/// one thread.
class GpuSearch {
 public:
  /// Keeps `pattern` by reference.
  explicit GpuSearch(const GpuPattern& pattern) : pattern_(pattern) {}
  ~GpuSearch();
  GpuSearch(const GpuSearch&) = delete;
  GpuSearch& operator=(const GpuSearch&) = delete;

  /// Searches a file as presso::scan() does. Errors are those of presso::scan(), and kNoDevice,
  /// kDeviceMemory and kDeviceLost.
  Result<ScanSummary> scan(const RandomAccess& file, const ScanOptions& options,
                           const LineCallback& on_line);
  /// Why the CPU has searched the last file; empty if the GPU did.
  const std::string& why_cpu() const { return why_cpu_; }

 private:
  /// Opens the GPU and compiles the pattern, once.
  Status open();

  const GpuPattern& pattern_;
  presso_gpu_search* search_ = nullptr;
  std::string why_cpu_;
};

void bind_gpu_library(nanobind::module_& module);

}  // namespace presso::python
