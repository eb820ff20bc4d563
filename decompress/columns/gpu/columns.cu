// SPDX-License-Identifier: MIT
// decode_integer_blocks(): launches the kernels of column_steps.h on a stream. How threads map to
// data, shared memory and synchronisation are described at the kernels' bodies (payload_check.cuh,
// integer_decoder.cuh).
#include "decompress/columns/gpu/column_steps.h"
#include "decompress/columns/gpu/integer_decoder.cuh"
#include "decompress/gpu/runtime/kernel_launch.h"

namespace presso::gpu {
namespace {

constexpr std::uint32_t kSettleThreads = 128;

template <class Batch>
__global__ void __launch_bounds__(kCheckWarps* kWarpSize) check_kernel(Batch batch) {
  check_payloads_body(batch);
}

__global__ void __launch_bounds__(kSettleThreads) settle_kernel(u32* status, u32 count) {
  settle_body(status, count);
}

template <class Word>
__global__ void __launch_bounds__(kIntegerWarps* kWarpSize) integers_kernel(IntegerBatch batch) {
  decode_integers_body<Word>(batch);
}

class ColumnLauncher {
 public:
  explicit ColumnLauncher(cudaStream_t stream) : stream_(stream) {}

  Status clear(u32* status, u32 count) {
    return check_call(cudaMemsetAsync(status, 0xFF, count * sizeof *status, stream_), "status");
  }
  template <class Batch>
  Status check(const Batch& batch) {
    check_kernel<<<batch.count, kCheckWarps * kWarpSize, sizeof(PayloadCheckShared), stream_>>>(
        batch);
    return launched("check_kernel");
  }
  template <class Word>
  Status integers(const IntegerBatch& batch) {
    constexpr std::size_t kShared = sizeof(IntegerShared<Word>);
    PRESSO_TRY(allow_most_shared_memory(integers_kernel<Word>, "integers_kernel"));
    integers_kernel<Word>
        <<<batch.count * kIntegerParts, kIntegerWarps * kWarpSize, kShared, stream_>>>(batch);
    return launched("integers_kernel");
  }
  Status settle(u32* status, u32 count) {
    settle_kernel<<<(count - 1) / kSettleThreads + 1, kSettleThreads, 0, stream_>>>(status, count);
    return launched("settle_kernel");
  }

 private:
  static Status check_call(cudaError_t code, const char* doing) { return gpu::check(code, doing); }
  static Status launched(const char* kernel) { return check_call(cudaGetLastError(), kernel); }

  cudaStream_t stream_;
};

}  // namespace

Status decode_integer_blocks(const IntegerBatch& batch, const ColumnOptions& options,
                             CUstream_st* stream) {
  ColumnLauncher launcher(stream);
  return enqueue_integers(batch, options, launcher);
}

}  // namespace presso::gpu
