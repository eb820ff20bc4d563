// SPDX-License-Identifier: MIT
#include "lab/gpu/refilled_text.h"

#include "lab/gpu/text_refill.cuh"
#include "query/gpu/kernels/text_launcher.cuh"

namespace presso::gpu {
namespace {

template <class Table>
__global__ void __launch_bounds__(kTextThreads, 4)
    refill_text_kernel(TextTest test, u32 threshold) {
  refill_text_body<Table>(test, threshold);
}

class TextRefillLauncher : public TextLauncher {
 public:
  TextRefillLauncher(std::uint32_t threshold, cudaStream_t stream)
      : TextLauncher(stream), threshold_(threshold), stream_(stream) {}

  Status test_text(const TextTest& test) {
    return test.layout == TextLayout::kClasses ? refill<ByteClassTable>(test)
                                               : refill<WideByteTable>(test);
  }

 private:
  template <class Table>
  Status refill(const TextTest& test) {
    const std::size_t shared =
        refilled_text_shared_bytes(test.rows.table_bytes, kTextThreads / kWarpSize);
    const WorkShape shape{kTextThreads, shared, test.rows.tiles, true};
    return launch_everywhere(refill_text_kernel<Table>, shape, stream_, "refill_text_kernel", test,
                             threshold_);
  }

  std::uint32_t threshold_;
  cudaStream_t stream_;
};

}  // namespace

Status test_text_refilled(const NumberBatch& rows, std::span<const TextTest> tests,
                          std::uint32_t threshold, CUstream_st* stream) {
  TextRefillLauncher launcher(threshold, stream);
  return enqueue_text_tests(rows, tests, launcher);
}

}  // namespace presso::gpu
