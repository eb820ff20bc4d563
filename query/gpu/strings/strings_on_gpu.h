// SPDX-License-Identifier: MIT
// Tests the strings of token columns in device memory as they are stored: the entry point for
// callers that hold such blocks (query/gpu/table). Nothing waits, allocates or synchronises;
// everything is enqueued on the stream. Tables come from string_table.h. Tested by
// tests/gpu/strings_on_device_test.cpp.
#pragma once

#include "query/gpu/strings/left_rows.h"
#include "query/gpu/strings/string_batch.h"

struct CUstream_st;

namespace presso::gpu {

/// How a batch is tested.
struct StringOptions {
  bool verify = true;                            ///< compare payloads with their checksums first
  StringLayout layout = StringLayout::kClasses;  ///< the layout of the tables of all blocks
};

/// Sets bit i of a block's `bits` if the string of row i matches and clears it otherwise, up to the
/// end of the last word; `matches` becomes the number of set bits. A null has no codes and counts
/// as an empty string: the caller handles nulls and negation. Status words then are ErrorCodes, as
/// the CPU's decoder sets them, except that plain sizes are not checked: kContentChecksum,
/// kBadPayloadSize, kBadLength, kBadOffset. The bits of a faulty block are unspecified. The
/// returned Status only says whether everything could be enqueued.
Status find_strings(const StringBatch& batch, const StringOptions& options, CUstream_st* stream);

/// Tests single rows of tokens, those with a bit in `rows.left`: sets the bits in `rows.to` of rows
/// that pass, and clears the rest. Status words are those of find_strings(), but only the codes of
/// these rows are looked at.
Status test_left_rows(const LeftRows& rows, CUstream_st* stream);

/// Finds where the codes of each 32 rows of row groups begin.
Status place_steps(const StepBatch& batch, CUstream_st* stream);

}  // namespace presso::gpu
