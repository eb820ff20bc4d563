// SPDX-License-Identifier: MIT
// Conditions on dictionary columns: the entries are tested on the CPU, and a kernel looks up the
// bit of each row's code. Host code. Tested by tests/unit/scan/gpu/string_table_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "presso/bytes.h"
#include "scan/strings/string_test.h"

namespace presso::gpu {

/// Bit i % 32 of word i / 32 says whether entry i matches, which is bytes [offsets[i],
/// offsets[i + 1]) of `bytes`; bits behind the last entry are 0. row_words(entries) words
/// (string_batch.h).
std::vector<std::uint32_t> entry_bits(const query::StringTest& test, Bytes bytes,
                                      const std::int64_t* offsets, std::uint32_t entries);

}  // namespace presso::gpu
