// SPDX-License-Identifier: MIT
// The seam between the host's side of a GPU scan and its kernels (search/batch_scan.h): builds with
// CUDA enqueue the real ones, tests run the same host code over a fake device that has no CUDA.
// Shared by all slots of a pipeline, so calls come from several threads; an implementation holds no
// state that a call changes. Test: tests/unit/scan/gpu/gpu_scan_test.cpp.
#pragma once

#include <memory>

#include "decompress/gpu/runtime/device.h"
#include "scan/gpu/search/batch_scan.h"

namespace presso::gpu {

class BatchKernels {
 public:
  virtual ~BatchKernels() = default;
  /// The device memory, in bytes, that enqueue() needs to work in for a text of `text_bytes`.
  virtual std::size_t temporary_bytes(const EngineView& engine, std::uint64_t text_bytes,
                                      const BatchWants& wants) = 0;
  /// Enqueues the search of one batch and returns without waiting. The request's device memory
  /// stays the caller's and has to live until the stream is through. Errors as scan_batch().
  virtual Status enqueue(const BatchScanRequest& request, Stream stream) = 0;
};

/// The kernels of the given device, numbered as list_devices() numbers them. Defined only where the
/// build has CUDA.
std::shared_ptr<BatchKernels> cuda_batch_kernels(int device);

}  // namespace presso::gpu
