// SPDX-License-Identifier: MIT
// Shows the GPUs of this machine to people, for presso info --devices and presso --version -v.
// Tested by tests/cli/test_device.py. Free memory is that of the moment, as other programs use the
// GPU too.
#pragma once

#include <string>
#include <vector>

#include "tools/device/gpu.h"

namespace presso::cli {

/// The GPUs, or the error that says why there are none.
using Devices = Result<std::vector<gpu::DeviceInfo>>;

/// A table of the GPUs with the properties that matter to presso, or a line that says why there are
/// none.
std::string devices_text(const Devices& devices);

/// Two lines: what compiles queries for a GPU, and what is kept of that.
std::string query_compiler_text(const gpu::QueryCompilerInfo& info);

/// The name and compute capability of each GPU in one line, "NVIDIA H200 (9.0)", or why there are
/// none.
std::string devices_line(const Devices& devices);

}  // namespace presso::cli
