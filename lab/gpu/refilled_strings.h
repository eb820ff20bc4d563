// SPDX-License-Identifier: MIT
// find_strings() by the kernel whose lanes are refilled (row_refill.cuh). Tested by
// lab/tests/refilled_strings_on_device_test.cpp.
#pragma once

#include "query/gpu/strings/string_batch.h"

struct CUstream_st;

namespace presso::gpu {

/// As find_strings() with tables of kClasses. `threshold`: 1 to 32, lanes take further rows where
/// fewer than so many have one.
Status find_strings_refilled(const StringBatch& batch, bool verify, std::uint32_t threshold,
                             CUstream_st* stream);

}  // namespace presso::gpu
