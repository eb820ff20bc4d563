// SPDX-License-Identifier: MIT
// Implements StringKernels (string_kernels.h) on a CUDA device, which it makes current for each
// call: it passes calls on to the libraries that launch the kernels, and has the kernel of
// row_bits.cuh itself.
#include "decompress/columns/gpu/columns_on_gpu.h"
#include "decompress/gpu/runtime/current_device.h"
#include "decompress/gpu/runtime/kernel_launch.h"
#include "query/gpu/kernels/number_strings.h"
#include "query/gpu/kernels/row_bits.cuh"
#include "query/gpu/kernels/string_kernels.h"

namespace presso::gpu {
namespace {

__global__ void __launch_bounds__(kPlaceBitsThreads) place_bits_kernel(RowBits of) {
  place_bits_body(of);
}

__global__ void __launch_bounds__(kPlaceBitsThreads) take_bits_kernel(RowBits of) {
  take_bits_body(of);
}

class CudaStringKernels final : public StringKernels {
 public:
  explicit CudaStringKernels(int device) : device_(device) {}

  Status decode_counts(const IntegerBatch& batch, bool verify, Stream stream) override {
    const CurrentDevice current(device_);
    return decode_integer_blocks(batch, {.verify = verify, .narrow = true, .wide = false}, stream);
  }
  Status decode_lengths(const IntegerBatch& batch, bool verify, Stream stream) override {
    const CurrentDevice current(device_);
    return decode_integer_blocks(batch, {.verify = verify, .narrow = false, .wide = true}, stream);
  }
  Status decode_text(const BatchArguments& batch, Stream stream) override {
    const CurrentDevice current(device_);
    return decode_batch(batch, {}, stream);
  }
  std::uint64_t temporary_bytes(std::uint32_t blocks, std::uint64_t plain_bytes) override {
    return gpu::temporary_bytes(blocks, plain_bytes, {});
  }
  Status find(const StringBatch& batch, const StringOptions& options, Stream stream) override {
    const CurrentDevice current(device_);
    return find_strings(batch, options, stream);
  }
  Status test_text(const NumberBatch& rows, std::span<const TextTest> tests,
                   Stream stream) override {
    const CurrentDevice current(device_);
    return gpu::test_text(rows, tests, stream);
  }
  Status place_bits(const RowBits& bits, Stream stream) override {
    const CurrentDevice current(device_);
    if (bits.count == 0) return {};
    place_bits_kernel<<<bits.count, kPlaceBitsThreads, 0, stream>>>(bits);
    return check(cudaGetLastError(), "place_bits_kernel");
  }
  Status take_bits(const RowBits& bits, Stream stream) override {
    const CurrentDevice current(device_);
    if (bits.source_count == 0) return {};
    take_bits_kernel<<<bits.source_count, kPlaceBitsThreads, 0, stream>>>(bits);
    return check(cudaGetLastError(), "take_bits_kernel");
  }
  Status test_left(const LeftRows& rows, Stream stream) override {
    const CurrentDevice current(device_);
    return test_left_rows(rows, stream);
  }
  Status place_steps(const StepBatch& batch, Stream stream) override {
    const CurrentDevice current(device_);
    return gpu::place_steps(batch, stream);
  }
  Status number_rows(const NumberBatch& batch, bool verify, Stream stream) override {
    const CurrentDevice current(device_);
    return number_strings(batch, verify, stream);
  }
  Status number_entries(const EntryBatch& batch, Stream stream) override {
    const CurrentDevice current(device_);
    return gpu::number_entries(batch, stream);
  }
  Status number_slices(const SliceBatch& batch, Stream stream) override {
    const CurrentDevice current(device_);
    return gpu::number_slices(batch, stream);
  }
  Status list_strings(const StringList& list, Stream stream) override {
    const CurrentDevice current(device_);
    return gpu::list_strings(list, stream);
  }

 private:
  int device_;
};

}  // namespace

std::shared_ptr<StringKernels> cuda_string_kernels(int device) {
  return std::make_shared<CudaStringKernels>(device);
}

}  // namespace presso::gpu
