// SPDX-License-Identifier: MIT
#include "lab/gpu/refilled_strings.h"

#include "lab/gpu/row_refill.cuh"
#include "query/gpu/strings/string_launcher.cuh"

namespace presso::gpu {
namespace {

__global__ void __launch_bounds__(kWalkThreads, 4)
    refill_rows_kernel(StringBatch batch, u32 threshold) {
  refill_rows_body<ClassWalk>(batch, threshold);
}

class RefillLauncher : public StringLauncher {
 public:
  RefillLauncher(std::uint32_t threshold, cudaStream_t stream)
      : StringLauncher(stream), threshold_(threshold), stream_(stream) {}

  Status test(const StringBatch& batch, const StringOptions& /*options*/) {
    const std::size_t shared =
        refill_shared_bytes<ClassWalk>(batch.table_bytes, kWalkThreads / kWarpSize);
    const WorkShape shape{kWalkThreads, shared, batch.tiles, true};
    return launch_everywhere(refill_rows_kernel, shape, stream_, "refill_rows_kernel", batch,
                             threshold_);
  }

 private:
  std::uint32_t threshold_;
  cudaStream_t stream_;
};

}  // namespace

Status find_strings_refilled(const StringBatch& batch, bool verify, std::uint32_t threshold,
                             CUstream_st* stream) {
  RefillLauncher launcher(threshold, stream);
  return enqueue_strings(batch, {verify, StringLayout::kClasses}, launcher);
}

}  // namespace presso::gpu
