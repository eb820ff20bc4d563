// SPDX-License-Identifier: MIT
// The parts of a GPU's scan of files that need CUDA, apart from the rest so that tests run that
// over a fake device. Tested by tests/gpu/file_scan_on_device_test.cpp.
#include <cuda_runtime_api.h>

#include "decompress/gpu/pipeline/engine.h"
#include "decompress/gpu/runtime/current_device.h"
#include "presso/scan_gpu.h"
#include "scan/gpu/file/batch_kernels.h"

namespace presso::gpu {
namespace {

// The real kernels. CUDA keeps a current device for each thread, and the pipeline's threads come
// from a pool, so each call sets the device and restores what was set before.
class CudaBatchKernels final : public BatchKernels {
 public:
  explicit CudaBatchKernels(int device) : device_(device) {}

  std::size_t temporary_bytes(const EngineView& engine, std::uint64_t text_bytes,
                              const BatchWants& wants) override {
    return batch_scan_temporary_bytes(engine, text_bytes, wants);
  }
  Status enqueue(const BatchScanRequest& request, Stream stream) override {
    const CurrentDevice current(device_);
    return scan_batch(request, stream);
  }

 private:
  int device_;
};

}  // namespace

std::shared_ptr<BatchKernels> cuda_batch_kernels(int device) {
  return std::make_shared<CudaBatchKernels>(device);
}

/// The public constructor; it is defined here because the fake device's builds lack CUDA's kernels.
FileScanner::FileScanner(Decompressor& decompressor, Pattern pattern, TextEngine engine)
    : FileScanner(decompressor, std::move(pattern),
                  cuda_batch_kernels(decompressor.engine_->options().device), engine) {}

}  // namespace presso::gpu
