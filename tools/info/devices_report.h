// SPDX-License-Identifier: MIT
// The GPUs of this machine for people: presso info --devices and presso --version -v.
#pragma once

#include <string>
#include <vector>

#include "tools/device/gpu.h"

namespace presso::cli {

using Devices = Result<std::vector<gpu::DeviceInfo>>;

/// A table, or a line that says why there are none.
std::string devices_text(const Devices& devices);

/// "NVIDIA H200 (9.0)" of each, or why there are none.
std::string devices_line(const Devices& devices);

}  // namespace presso::cli
