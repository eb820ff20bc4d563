// SPDX-License-Identifier: MIT
#include "tools/device/gpu.h"

namespace presso::cli {
namespace {

Error no_gpu_code() {
  return make_error(ErrorCode::kUnsupported, "this presso was built without CUDA");
}

}  // namespace

Result<GpuRun> open_gpu(const gpu::GpuOptions&) {
  return no_gpu_code();
}

Result<GpuSearch> open_gpu_search(const gpu::GpuOptions&, const Pattern&) {
  return no_gpu_code();
}

Result<std::vector<gpu::DeviceInfo>> gpu_devices() {
  return no_gpu_code();
}

/// Never the faster one.
GpuCosts gpu_costs() {
  return {};
}

}  // namespace presso::cli
