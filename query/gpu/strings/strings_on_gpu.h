// SPDX-License-Identifier: MIT
// Tests the strings of token columns in device memory as they are stored: the entry point for
// callers that hold such blocks (query/gpu/table). Nothing waits, allocates or synchronises;
// everything is enqueued on the stream. Tables come from string_table.h. Tested by
// tests/gpu/strings_on_device_test.cpp.
#pragma once

#include "query/gpu/strings/string_batch.h"

struct CUstream_st;

namespace presso::gpu {

/// How a batch is tested.
struct StringOptions {
  bool verify = true;                            ///< compare payloads with their checksums first
  StringLayout layout = StringLayout::kClasses;  ///< the layout of the tables of all blocks
};

/// Sets bit i of a block's `bits` where the string of row i matches, clears it where not, bits
/// behind the last row too; `matches` becomes the number of bits that are set. A null has no codes
/// and counts as an empty string: nulls, and negation, are the caller's. Then status words are
/// ErrorCodes, those of the CPU's decoder, except that nothing is known of plain sizes:
/// kContentChecksum, kBadPayloadSize, kBadLength, kBadOffset. What is said of the rows of a faulty
/// block is unspecified.
Status find_strings(const StringBatch& batch, const StringOptions& options, CUstream_st* stream);

}  // namespace presso::gpu
