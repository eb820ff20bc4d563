// SPDX-License-Identifier: MIT
// Implements strings_on_gpu.h, which tests strings that are stored as tokens: launches the steps of
// string_steps.h on a stream.
#include "query/gpu/strings/string_launcher.cuh"
#include "query/gpu/strings/strings_on_gpu.h"

namespace presso::gpu {

Status find_strings(const StringBatch& batch, const StringOptions& options, CUstream_st* stream) {
  StringLauncher launcher(stream);
  return enqueue_strings(batch, options, launcher);
}

Status test_left_rows(const LeftRows& rows, CUstream_st* stream) {
  StringLauncher launcher(stream);
  return enqueue_left_rows(rows, launcher);
}

Status place_steps(const StepBatch& batch, CUstream_st* stream) {
  return StringLauncher(stream).steps(batch);
}

}  // namespace presso::gpu
