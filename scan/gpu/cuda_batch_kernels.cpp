// SPDX-License-Identifier: MIT
#include "presso/scan_gpu.h"
#include "scan/gpu/batch_kernels.h"

namespace presso::gpu {
namespace {

class CudaBatchKernels final : public BatchKernels {
 public:
  std::size_t temporary_bytes(std::uint64_t text_bytes, const BatchWants& wants) override {
    return batch_scan_temporary_bytes(text_bytes, wants);
  }
  Status enqueue(const BatchScanRequest& request, Stream stream) override {
    return scan_batch(request, stream);
  }
};

}  // namespace

std::shared_ptr<BatchKernels> cuda_batch_kernels() {
  return std::make_shared<CudaBatchKernels>();
}

FileScanner::FileScanner(Decompressor& decompressor, Pattern pattern)
    : FileScanner(decompressor, std::move(pattern), cuda_batch_kernels()) {}

}  // namespace presso::gpu
