// SPDX-License-Identifier: MIT
// An interface to the kernels of batch_scan.h, so that the host's side of scanning runs where
// there is no CUDA, in tests over a fake device.
#pragma once

#include <memory>

#include "decompress/gpu/runtime/device.h"
#include "scan/gpu/search/batch_scan.h"

namespace presso::gpu {

class BatchKernels {
 public:
  virtual ~BatchKernels() = default;
  virtual std::size_t temporary_bytes(const EngineView& engine, std::uint64_t text_bytes,
                                      const BatchWants& wants) = 0;
  virtual Status enqueue(const BatchScanRequest& request, Stream stream) = 0;
};

/// scan_batch() on a device, as list_devices() counts; where the build has CUDA.
std::shared_ptr<BatchKernels> cuda_batch_kernels(int device);

}  // namespace presso::gpu
