// SPDX-License-Identifier: MIT
// test_text() by the kernel whose lanes are refilled (text_refill.cuh). Tested by
// lab/tests/refilled_text_on_device_test.cpp.
#pragma once

#include <span>

#include "query/gpu/kernels/text_tests.h"

struct CUstream_st;

namespace presso::gpu {

/// As test_text(). `threshold`: 1 to 32, lanes take further rows where fewer than so many have one.
Status test_text_refilled(const NumberBatch& rows, std::span<const TextTest> tests,
                          std::uint32_t threshold, CUstream_st* stream);

}  // namespace presso::gpu
