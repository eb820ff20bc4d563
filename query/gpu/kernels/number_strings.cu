// SPDX-License-Identifier: MIT
// Implements number_strings.h: the kernels around the bodies of number_rows.cuh and
// list_strings.cuh, and their launches. Used by string_kernels.cu.
#include "query/gpu/kernels/number_strings.h"

#include "decompress/gpu/runtime/kernel_launch.h"
#include "query/gpu/kernels/list_strings.cuh"
#include "query/gpu/kernels/number_rows.cuh"
#include "query/gpu/kernels/number_steps.h"

namespace presso::gpu {
namespace {

constexpr std::uint32_t kThreads = kNumberWarps * kWarpSize;
constexpr std::uint32_t kFewThreads = 128;

__global__ void __launch_bounds__(kCheckWarps* kWarpSize) check_payloads_kernel(StringBatch batch) {
  check_payloads_body(batch);
}

__global__ void __launch_bounds__(kStringTileThreads) place_tiles_kernel(StringBatch batch) {
  place_row_tiles_body(batch);
}

__global__ void __launch_bounds__(kThreads) count_text_kernel(NumberBatch batch) {
  count_text_body(batch);
}

__global__ void __launch_bounds__(kFewThreads) place_text_kernel(NumberBatch batch) {
  place_text_body(batch);
}

template <class Policy>
__global__ void __launch_bounds__(kThreads, Policy::kBlocks)
    number_rows_kernel(__grid_constant__ const NumberBatch batch) {
  number_rows_body<Policy>(batch);
}

__global__ void __launch_bounds__(kFewThreads) check_bytes_kernel(NumberBatch batch) {
  check_bytes_body(batch);
}

__global__ void __launch_bounds__(kThreads) number_entries_kernel(EntryBatch batch) {
  number_entries_body(batch);
}

__global__ void __launch_bounds__(kIntegerWarps* kWarpSize) finish_slices_kernel(SliceBatch batch) {
  finish_slices_body(batch);
}

__global__ void __launch_bounds__(kThreads) list_strings_kernel(StringList list) {
  list_strings_body(list);
}

__global__ void __launch_bounds__(kFewThreads) settle_kernel(u32* status, u32 count) {
  settle_body(status, count);
}

class NumberLauncher {
 public:
  explicit NumberLauncher(cudaStream_t stream) : stream_(stream) {}

  Status clear(const StringBatch& batch) {
    const std::size_t bytes = batch.count * sizeof *batch.status;
    PRESSO_TRY(gpu::check(cudaMemsetAsync(batch.status, 0xFF, bytes, stream_), "status"));
    return gpu::check(cudaMemsetAsync(batch.matches, 0, bytes, stream_), "bytes of rows");
  }
  Status check(const StringBatch& batch) {
    check_payloads_kernel<<<batch.count, kCheckWarps * kWarpSize, sizeof(PayloadCheckShared),
                            stream_>>>(batch);
    return launched("check_payloads_kernel");
  }
  Status places(const StringBatch& batch) {
    place_tiles_kernel<<<batch.count, kStringTileThreads, 0, stream_>>>(batch);
    return launched("place_tiles_kernel");
  }
  Status text_places(const NumberBatch& batch) {
    if (batch.strings.tiles > 0) {
      const WorkShape shape{kThreads, 0, batch.strings.tiles, true};
      PRESSO_TRY(launch_everywhere(count_text_kernel, shape, stream_, "count_text_kernel", batch));
    }
    place_text_kernel<<<few_blocks(batch.strings.count * kWarpSize), kFewThreads, 0, stream_>>>(
        batch);
    return launched("place_text_kernel");
  }
  Status rows(const NumberBatch& batch) {
    const WorkShape shape{kThreads, 0, batch.strings.tiles, true};
    const auto launch = [&](auto kernel) {
      return launch_everywhere(kernel, shape, stream_, "number_rows_kernel", batch);
    };
    if (batch.has_text) {
      return batch.adds ? launch(number_rows_kernel<RowNumbering<true, true>>)
                        : launch(number_rows_kernel<RowNumbering<true, false>>);
    }
    return batch.adds ? launch(number_rows_kernel<RowNumbering<false, true>>)
                      : launch(number_rows_kernel<RowNumbering<false, false>>);
  }
  Status bytes(const NumberBatch& batch) {
    check_bytes_kernel<<<few_blocks(batch.strings.count), kFewThreads, 0, stream_>>>(batch);
    return launched("check_bytes_kernel");
  }
  Status settle(const StringBatch& batch) {
    settle_kernel<<<few_blocks(batch.count), kFewThreads, 0, stream_>>>(batch.status, batch.count);
    return launched("settle_kernel");
  }

 private:
  static std::uint32_t few_blocks(std::uint32_t count) { return (count - 1) / kFewThreads + 1; }
  static Status launched(const char* kernel) { return gpu::check(cudaGetLastError(), kernel); }

  cudaStream_t stream_;
};

}  // namespace

Status number_strings(const NumberBatch& batch, bool verify, CUstream_st* stream) {
  NumberLauncher launcher(stream);
  return enqueue_numbers(batch, verify, launcher);
}

Status number_entries(const EntryBatch& batch, CUstream_st* stream) {
  if (batch.count == 0) return {};
  const WorkShape shape{kThreads, 0, batch.count / kWarpSize + 1, true};
  return launch_everywhere(number_entries_kernel, shape, stream, "number_entries_kernel", batch);
}

Status list_strings(const StringList& list, CUstream_st* stream) {
  if (list.count == 0) return {};
  const WorkShape shape{kThreads, 0, list.count / kWarpSize + 1, true};
  return launch_everywhere(list_strings_kernel, shape, stream, "list_strings_kernel", list);
}

Status number_slices(const SliceBatch& batch, CUstream_st* stream) {
  if (batch.count == 0) return {};
  finish_slices_kernel<<<batch.count * kIntegerParts, kIntegerWarps * kWarpSize,
                         sizeof(IntegerShared<u32>), stream>>>(batch);
  return check(cudaGetLastError(), "finish_slices_kernel");
}

}  // namespace presso::gpu
