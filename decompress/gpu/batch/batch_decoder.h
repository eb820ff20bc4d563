// SPDX-License-Identifier: MIT
// The decoder of a batch (blocks that go through the GPU together) as the pipeline sees it: an
// interface, so that the pipeline (decompress/gpu/pipeline) compiles without CUDA and tests run it
// over a decoder on the CPU (tests/support/fake_device.h). batch/cuda_decoder.cpp has the real one.
#pragma once

#include <memory>

#include "decompress/gpu/runtime/device.h"
#include "presso/gpu_batch.h"

namespace presso::gpu {

/// temporary_bytes() and decode_batch() of presso/gpu_batch.h, for one device. Thread-safe.
class BatchDecoder {
 public:
  virtual ~BatchDecoder() = default;

  virtual std::size_t temporary_bytes(std::uint32_t blocks, std::uint64_t plain_bytes,
                                      const BatchOptions& options) = 0;
  virtual Status decode(const BatchArguments& arguments, const BatchOptions& options,
                        Stream stream) = 0;
};

/// A device and its decoder. The decoder may use the device, so it is destroyed first.
struct DecodingDevice {
  std::unique_ptr<Device> device;
  std::unique_ptr<BatchDecoder> decoder;
};

}  // namespace presso::gpu
