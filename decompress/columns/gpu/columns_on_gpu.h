// SPDX-License-Identifier: MIT
// Decodes blocks of tables in device memory. Callers are the loader of tables for queries on
// GPUs, and the demo of the library. Nothing here waits, allocates or synchronises; all work is
// enqueued on the stream. Tested by tests/gpu/columns_on_device_test.cpp.
#pragma once

#include "decompress/columns/gpu/column_batch.h"

struct CUstream_st;

namespace presso::gpu {

struct ColumnOptions {
  bool verify = true;  ///< compare payloads with their checksums
  bool narrow = true;  ///< integers: there may be blocks of bools and of values up to 4 bytes
  bool wide = true;    ///< integers: there may be blocks of values of 8 and 16 bytes
};

/// When the stream has come to the end of this, status words are ErrorCodes, the same that the
/// CPU's decoders give after the header: kContentChecksum, kBadHeader, kBadPayloadSize. The
/// values of a faulty block are unspecified.
Status decode_integer_blocks(const IntegerBatch& batch, const ColumnOptions& options,
                             CUstream_st* stream);

}  // namespace presso::gpu
