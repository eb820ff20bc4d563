// SPDX-License-Identifier: MIT
// Implements strings_on_gpu.h: launches the steps of string_steps.h on a stream.
#include "query/gpu/strings/string_launcher.cuh"
#include "query/gpu/strings/strings_on_gpu.h"

namespace presso::gpu {

Status find_strings(const StringBatch& batch, const StringOptions& options, CUstream_st* stream) {
  StringLauncher launcher(stream);
  return enqueue_strings(batch, options, launcher);
}

}  // namespace presso::gpu
