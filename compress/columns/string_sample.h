// SPDX-License-Identifier: MIT
// Pieces of a string column, spread evenly over its bytes: what tokens are learnt from. The head of
// a column says little about the rest where rows are sorted or come in clusters. Pieces of 1 KiB
// hold neighbouring rows, or parts of rows where those are long; the same column always gives the
// same sample.
// Tested by tests/unit/compress/columns/token_trainer_test.cpp.
#pragma once

#include <cstddef>
#include <vector>

#include "presso/column_data.h"

namespace presso {

struct StringSample {
  std::vector<Byte> text;         ///< 16 bytes more than the strings have, if there are any
  std::vector<std::size_t> ends;  ///< of each string in the text; none is empty

  std::size_t bytes() const { return ends.empty() ? 0 : ends.back(); }
};

/// About `bytes` of the column, or all of it where it has no more.
StringSample sample_strings(const ColumnView& strings, std::size_t bytes);

}  // namespace presso
