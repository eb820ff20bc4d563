// SPDX-License-Identifier: MIT
// Decoding blocks of tables in device memory: what whoever holds such blocks calls. Nothing waits,
// allocates or synchronises; all is enqueued on the stream. The public interface for tables on GPUs
// will stand on this. Tests: tests/gpu/columns_on_device_test.cpp.
#pragma once

#include "decompress/columns/gpu/column_batch.h"

struct CUstream_st;

namespace presso::gpu {

struct ColumnOptions {
  bool verify = true;  ///< compare payloads with their checksums
  bool narrow = true;  ///< integers: there may be blocks of bools and values of up to 4 bytes
  bool wide = true;    ///< and of 8 and 16 bytes
};

/// Then status words are ErrorCodes, those that the CPU's decoders give after the header:
/// kContentChecksum, kBadHeader, kBadPayloadSize. The text of a faulty block is unspecified.
Status decode_integer_blocks(const IntegerBatch& batch, const ColumnOptions& options,
                             CUstream_st* stream);

}  // namespace presso::gpu
