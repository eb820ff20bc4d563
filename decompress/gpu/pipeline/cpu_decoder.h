// SPDX-License-Identifier: MIT
// Decodes a whole job on the CPU. Used if GpuOptions::cpu_fallback allows it and the GPU has not
// even memory for one small slot.
#pragma once

#include "presso/decompress_gpu.h"

namespace presso::gpu {

/// Whether the CPU can do the job: not if it has a consumer of batches in device memory, nor if its
/// arguments contradict each other.
bool can_decode_on_cpu(const DecodeJob& job);

/// Decodes the job by decompress_stream() or decompress_range(). Errors are those of
/// Decompressor::run().
Result<DecompressSummary> decode_on_cpu(const DecodeJob& job);

}  // namespace presso::gpu
