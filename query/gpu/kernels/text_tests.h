// SPDX-License-Identifier: MIT
// Enqueues the kernels that test rows of text (query/gpu/strings/text_walk.cuh) on the current
// device. They do not wait. Tested by tests/queries/tokens.txt.
#pragma once

#include <span>

#include "presso/error.h"
#include "query/gpu/kernels/string_index.h"
#include "query/gpu/strings/text_batch.h"

struct CUstream_st;

namespace presso::gpu {

/// Finds out where rows of text begin, once for all tests, and does these: sets bit i of a block's
/// `bits` where the string of row i matches, clears it where not, bits behind the last row too. A
/// null has no bytes and counts as an empty string: nulls, and negation, are the caller's. Then
/// status words, those of `rows`, are ErrorCodes: kBadLength where lengths do not add up to the
/// text, of which nothing is looked at then.
///
/// `rows`: of text; what it says of indexes is not looked at. The blocks of each test are those of
/// `rows` but for their tables and bits, its status words and matches those of `rows`.
/// Errors: kDeviceLost.
Status test_text(const NumberBatch& rows, std::span<const TextTest> tests, CUstream_st* stream);

}  // namespace presso::gpu
