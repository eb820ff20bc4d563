// SPDX-License-Identifier: MIT
// A thread block takes a block of the batch, a thread every 256th byte of it; no shared memory, no
// synchronisation. As plain as can be, since it judges the decoders; it is not timed.
#include "lab/programs/decompress_gpu/compare.h"

#include "decompress/gpu/runtime/cuda_error.h"
#include "decompress/gpu/simt/simt.h"

namespace presso::gpu::bench {
namespace {

constexpr std::uint32_t kThreads = 256;

__global__ void __launch_bounds__(kThreads) compare_kernel(CompareArguments arguments) {
  const BlockSpan span = arguments.d_spans[simt::block_index()];
  const Byte* const plain = arguments.d_plain + span.plain_offset;
  const Byte* const expected = arguments.d_expected + span.plain_offset % arguments.period;
  std::uint64_t differences = 0;
  for (std::uint32_t at = simt::thread_in_block(); at < span.plain_bytes; at += kThreads) {
    if (plain[at] != expected[at]) ++differences;
  }
  if (differences > 0) simt::atomic_add(arguments.d_differences, differences);
}

}  // namespace

Status launch_compare(const CompareArguments& arguments, CUstream_st* stream) {
  compare_kernel<<<arguments.blocks, kThreads, 0, stream>>>(arguments);
  return check(cudaGetLastError(), "launching compare_kernel");
}

}  // namespace presso::gpu::bench
