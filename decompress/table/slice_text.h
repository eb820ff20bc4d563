// SPDX-License-Identifier: MIT
// The forms in which ColumnSlice (column_slice.h) hands out strings: as text, or as the codes of
// tokens that were not replaced by their text. Views only; the buffers belong to the slice.
#pragma once

#include <cstdint>

#include "presso/bytes.h"

namespace presso {

/// The text of some rows, one after another: row i is bytes [offsets[i], offsets[i + 1]) of
/// `text`, which begins with the first row (offsets[0] is 0). Nulls are empty. Buffer::kSlack
/// bytes can be read after the text.
struct SliceText {
  Bytes text;
  const std::int64_t* offsets = nullptr;
  std::uint32_t rows = 0;
};

/// The tokens of some rows (FORMAT.md 17): row i has the codes [begins[i], begins[i + 1]).
struct SliceTokens {
  const std::uint16_t* codes = nullptr;
  const std::uint32_t* begins = nullptr;
  std::uint32_t rows = 0;
};

}  // namespace presso
