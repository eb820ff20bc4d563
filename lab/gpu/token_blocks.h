// SPDX-License-Identifier: MIT
// Decoding blocks of tokens to text in device memory. Nothing waits or allocates; all is enqueued
// on the stream. Tests: lab/tests/token_columns_on_device_test.cpp.
#pragma once

#include "decompress/columns/gpu/columns_on_gpu.h"
#include "lab/gpu/token_batch.h"

namespace presso::gpu {

/// As decode_integer_blocks(); kContentChecksum, kBadPayloadSize, kBadLength, kBadOffset. Counts of
/// codes must be in row_ends before, on the same stream. The text of a faulty block is unspecified.
Status decode_token_blocks(const TokenBatch& batch, const ColumnOptions& options,
                           CUstream_st* stream);

}  // namespace presso::gpu
