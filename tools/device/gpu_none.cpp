// SPDX-License-Identifier: MIT
// gpu.h for builds without CUDA: every function fails with kUnsupported. --device=auto takes this
// for a machine without a GPU, and --device=gpu reports it. Tested by tests/cli/test_device.py.
#include "tools/device/gpu.h"

namespace presso::cli {
namespace {

Error no_gpu_code() {
  return make_error(ErrorCode::kUnsupported, "this presso was built without CUDA");
}

}  // namespace

Result<std::unique_ptr<GpuDecoder>> open_gpu(const gpu::GpuOptions&) {
  return no_gpu_code();
}

Result<std::unique_ptr<FileSearch>> open_gpu_search(const gpu::GpuOptions&, const Pattern&) {
  return no_gpu_code();
}

Result<std::shared_ptr<QueryDevice>> open_gpu_queries(const gpu::QueryGpuOptions&) {
  return no_gpu_code();
}

Result<std::unique_ptr<const gpu::DeviceTable>> load_to_gpu(std::shared_ptr<QueryDevice>,
                                                            const std::vector<Table>&) {
  return no_gpu_code();
}

Result<std::vector<gpu::DeviceInfo>> gpu_devices() {
  return no_gpu_code();
}

Result<gpu::QueryCompilerInfo> gpu_query_compiler() {
  return no_gpu_code();
}

bool gpu_knows_query(const std::string&) {
  return false;
}

void note_gpu_query(const std::string&) {}

Result<std::string> gpu_identity() {
  return no_gpu_code();
}

Result<std::string> gpu_identity_without_start() {
  return no_gpu_code();
}

}  // namespace presso::cli
