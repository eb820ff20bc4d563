// SPDX-License-Identifier: MIT
// Compares what a batch was decoded to with what it should be, in device memory.
#pragma once

#include <cstdint>

#include "presso/gpu_batch.h"

namespace presso::gpu::bench {

struct CompareArguments {
  const BlockSpan* d_spans = nullptr;
  std::uint32_t blocks = 0;
  const Byte* d_plain = nullptr;     ///< as decoded
  const Byte* d_expected = nullptr;  ///< the first `period` bytes of what it should be
  std::uint64_t period = 0;          ///< the rest repeats them; no block crosses a repetition
  std::uint64_t* d_differences = nullptr;
};

/// Enqueues: adds to *d_differences how many bytes of the blocks differ.
Status launch_compare(const CompareArguments& arguments, CUstream_st* stream);

}  // namespace presso::gpu::bench
