// SPDX-License-Identifier: MIT
// Launches the steps of text_steps.h, which test rows of text by automata, as kernels on a stream.
// Included by CUDA files only: text_tests.cu and the laboratory (lab/gpu).
#pragma once

#include "decompress/gpu/runtime/kernel_launch.h"
#include "query/gpu/kernels/number_rows.cuh"
#include "query/gpu/kernels/text_steps.h"
#include "query/gpu/strings/text_walk.cuh"

namespace presso::gpu {
namespace {

constexpr std::uint32_t kTextThreads = 256;
constexpr std::uint32_t kTextFewThreads = 128;

__global__ void __launch_bounds__(kTextThreads) count_tested_text_kernel(NumberBatch batch) {
  count_text_body(batch);
}

__global__ void __launch_bounds__(kTextFewThreads) place_tested_text_kernel(NumberBatch batch) {
  place_text_body(batch);
}

template <class Table>
__global__ void __launch_bounds__(kTextThreads, 4) walk_text_kernel(TextTest test) {
  walk_text_body<Table>(test);
}

__global__ void __launch_bounds__(kTextFewThreads) settle_text_kernel(u32* status, u32 count) {
  settle_body(status, count);
}

class TextLauncher {
 public:
  explicit TextLauncher(cudaStream_t stream) : stream_(stream) {}

  Status clear(const StringBatch& batch) {
    const std::size_t bytes = batch.count * sizeof *batch.status;
    PRESSO_TRY(gpu::check(cudaMemsetAsync(batch.status, 0xFF, bytes, stream_), "status"));
    return gpu::check(cudaMemsetAsync(batch.matches, 0, bytes, stream_), "matches");
  }
  Status text_places(const NumberBatch& batch) {
    if (batch.strings.tiles > 0) {
      const WorkShape shape{kTextThreads, 0, batch.strings.tiles, true};
      PRESSO_TRY(launch_everywhere(count_tested_text_kernel, shape, stream_,
                                   "count_tested_text_kernel", batch));
    }
    place_tested_text_kernel<<<few_blocks(batch.strings.count * kWarpSize), kTextFewThreads, 0,
                               stream_>>>(batch);
    return launched("place_tested_text_kernel");
  }
  Status test_text(const TextTest& test) {
    return test.layout == TextLayout::kClasses ? walk<ByteClassTable>(test)
                                               : walk<WideByteTable>(test);
  }
  Status settle(const StringBatch& batch) {
    settle_text_kernel<<<few_blocks(batch.count), kTextFewThreads, 0, stream_>>>(batch.status,
                                                                                 batch.count);
    return launched("settle_text_kernel");
  }

 private:
  template <class Table>
  Status walk(const TextTest& test) {
    const std::size_t shared = text_shared_bytes(test.rows.table_bytes, kTextThreads / kWarpSize);
    const WorkShape shape{kTextThreads, shared, test.rows.tiles, true};
    return launch_everywhere(walk_text_kernel<Table>, shape, stream_, "walk_text_kernel", test);
  }
  static std::uint32_t few_blocks(std::uint32_t count) { return (count - 1) / kTextFewThreads + 1; }
  static Status launched(const char* kernel) { return gpu::check(cudaGetLastError(), kernel); }

  cudaStream_t stream_;
};

}  // namespace
}  // namespace presso::gpu
