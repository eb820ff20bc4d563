// SPDX-License-Identifier: MIT
// Decodes blocks of integers of a table (coding 4), payloads and results in device memory. The
// loader of tables for queries on GPUs calls it. Nothing here waits, allocates or synchronises; all
// work is enqueued on the stream. Tested by tests/gpu/columns_on_device_test.cpp.
#pragma once

#include "decompress/columns/gpu/column_batch.h"

struct CUstream_st;

namespace presso::gpu {

struct ColumnOptions {
  bool verify = true;  ///< compare payloads with their checksums
  /// Whether to launch the kernel for bools and for values of up to 4 bytes, and the one for values
  /// of 8 and 16 bytes. Without its kernel a block is not decoded, and its status tells no error.
  bool narrow = true;
  bool wide = true;
};

/// Enqueues the kernels that check and decode a batch. Once they are done, status words are
/// ErrorCodes, those that a CPU's decoder gives for a block whose header could be parsed: kOk,
/// kContentChecksum, kBadHeader, kBadPayloadSize. The host parses headers before (column_batch.h).
/// The values of a faulty block are unspecified.
Status decode_integer_blocks(const IntegerBatch& batch, const ColumnOptions& options,
                             CUstream_st* stream);

}  // namespace presso::gpu
