// SPDX-License-Identifier: MIT
// Pieces of a string column, spread evenly over its bytes, from which tokens are learnt. The
// head of a column would say little about the rest where rows are sorted or come in clusters.
// Pieces of 1 KiB hold neighbouring rows, or parts of rows where those are long. The same
// column always gives the same sample. Tested by
// tests/unit/compress/columns/token_trainer_test.cpp.
#pragma once

#include <cstddef>
#include <vector>

#include "presso/column_data.h"

namespace presso {

/// The strings of a sample, one after another.
struct StringSample {
  std::vector<Byte> text;  ///< with 16 readable bytes after the strings, unless there are none
  std::vector<std::size_t> ends;  ///< where each string ends in the text; no string is empty

  std::size_t bytes() const { return ends.empty() ? 0 : ends.back(); }
};

/// About `bytes` of the column, or all of it if it has no more.
StringSample sample_strings(const ColumnView& strings, std::size_t bytes);

}  // namespace presso
