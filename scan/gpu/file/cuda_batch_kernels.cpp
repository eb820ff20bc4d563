// SPDX-License-Identifier: MIT
#include <cuda_runtime_api.h>

#include "decompress/gpu/pipeline/engine.h"
#include "decompress/gpu/runtime/current_device.h"
#include "presso/scan_gpu.h"
#include "scan/gpu/file/batch_kernels.h"

namespace presso::gpu {
namespace {

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

FileScanner::FileScanner(Decompressor& decompressor, Pattern pattern, TextEngine engine)
    : FileScanner(decompressor, std::move(pattern),
                  cuda_batch_kernels(decompressor.engine_->options().device), engine) {}

}  // namespace presso::gpu
