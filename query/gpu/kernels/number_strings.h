// SPDX-License-Identifier: MIT
// Enqueues the kernels that give strings numbers (string_index.h) on the current device, without
// waiting: equal strings get one number, so that string columns can be joined and grouped by
// number. Tests: tests/queries/strings.txt, over the emulator.
#pragma once

#include "presso/error.h"
#include "query/gpu/kernels/string_index.h"

struct CUstream_st;

namespace presso::gpu {

/// Numbers rows; then status words are ErrorCodes. `verify`: compare payloads of tokens with their
/// checksums. Errors: kDeviceLost.
Status number_strings(const NumberBatch& batch, bool verify, CUstream_st* stream);
/// Numbers the entries of dictionaries. Error: kDeviceLost.
Status number_entries(const EntryBatch& batch, CUstream_st* stream);
/// Numbers the rows of slices, once rows and entries have their numbers. Error: kDeviceLost.
Status number_slices(const SliceBatch& batch, CUstream_st* stream);
/// Lengths or bytes of strings that have numbers. Errors: the same.
Status list_strings(const StringList& list, CUstream_st* stream);

}  // namespace presso::gpu
