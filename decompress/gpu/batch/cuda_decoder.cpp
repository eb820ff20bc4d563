// SPDX-License-Identifier: MIT
// The BatchDecoder that calls decode_batch(), and Decompressor::open(), which puts it together with
// a CUDA device.
#include "decompress/gpu/batch/batch_decoder.h"
#include "decompress/gpu/runtime/cuda_device.h"
#include "decompress/gpu/runtime/current_device.h"
#include "presso/decompress_gpu.h"

namespace presso::gpu {
namespace {

class CudaDecoder final : public BatchDecoder {
 public:
  explicit CudaDecoder(int index) : index_(index) {}

  std::size_t temporary_bytes(std::uint32_t blocks, std::uint64_t plain_bytes,
                              const BatchOptions& options) override {
    return gpu::temporary_bytes(blocks, plain_bytes, options);
  }
  Status decode(const BatchArguments& arguments, const BatchOptions& options,
                Stream stream) override {
    const CurrentDevice current(index_);
    return decode_batch(arguments, options, stream);
  }

 private:
  int index_;
};

}  // namespace

Result<Decompressor> Decompressor::open(const GpuOptions& options) {
  PRESSO_ASSIGN(std::unique_ptr<Device> device, open_cuda_device(options.device));
  return over({std::move(device), std::make_unique<CudaDecoder>(options.device)}, options);
}

Result<std::uint64_t> decompress_host(Bytes compressed, MutableBytes into,
                                      const GpuOptions& options, bool verify) {
  PRESSO_ASSIGN(Decompressor decompressor, Decompressor::open(options));
  return decompress_host(decompressor, compressed, into, verify);
}

}  // namespace presso::gpu
