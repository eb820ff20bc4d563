// SPDX-License-Identifier: MIT
// Implements text_tests.h: launches the kernels of text_steps.h on a stream.
#include "query/gpu/kernels/text_tests.h"

#include "query/gpu/kernels/text_launcher.cuh"

namespace presso::gpu {

Status test_text(const NumberBatch& rows, std::span<const TextTest> tests, CUstream_st* stream) {
  TextLauncher launcher(stream);
  return enqueue_text_tests(rows, tests, launcher);
}

}  // namespace presso::gpu
