// SPDX-License-Identifier: MIT
// What kernels take to test rows of text: their bytes one after another in device memory, and an
// automaton over bytes. Trivially copyable, host and device. Tested by tests/simt/text_suite.cpp.
#pragma once

#include <cstdint>

#include "query/gpu/strings/string_batch.h"
#include "query/gpu/strings/text_table.h"

namespace presso::gpu {

/// The blocks of `rows` are row groups here. The payload's bytes are their text, at a multiple of
/// 16 in device memory; `codes` is the number of bytes, `counts` has the bytes of each row. Kernels
/// may read the whole 16 bytes that hold the last byte. All row groups have the same table.
struct TextTest {
  StringBatch rows;
  TextLayout layout = TextLayout::kClasses;
  std::uint32_t least_bytes = 0;                 ///< TextTable::least_bytes
  std::uint32_t most_bytes = ~std::uint32_t{0};  ///< TextTable::most_bytes
};

}  // namespace presso::gpu
