// SPDX-License-Identifier: MIT
// Rows of text, one after another in device memory, that are tested by an automaton over bytes.
// Trivially copyable, host and device. Tests: tests/simt/text_suite.cpp.
#pragma once

#include <cstdint>

#include "query/gpu/strings/string_batch.h"
#include "query/gpu/strings/text_table.h"

namespace presso::gpu {

/// Blocks of `rows` are row groups here: the payload's bytes are their text, a multiple of 16 in
/// device memory, `codes` how many bytes it has, `counts` those of each row. The 16 bytes that the
/// last one is in may be read. All have the same table.
struct TextTest {
  StringBatch rows;
  TextLayout layout = TextLayout::kClasses;
  std::uint32_t least_bytes = 0;                 ///< TextTable::least_bytes
  std::uint32_t most_bytes = ~std::uint32_t{0};  ///< likewise
};

}  // namespace presso::gpu
