// SPDX-License-Identifier: MIT
// Decodes a whole job on the CPU, where the GPU turns out to have no memory for it.
#pragma once

#include "presso/decompress_gpu.h"

namespace presso::gpu {

/// Not one with a consumer of batches in device memory, nor one whose arguments contradict.
bool can_decode_on_cpu(const DecodeJob& job);

/// Errors as of Decompressor::run().
Result<DecompressSummary> decode_on_cpu(const DecodeJob& job);

}  // namespace presso::gpu
