// SPDX-License-Identifier: MIT
// Chooses how the strings of a column are represented in a row group: by a dictionary if few are
// different, unless another representation is much smaller; otherwise by tokens
// (token_dictionary.h), which decode several times as fast as bytes of the Bit coding, unless bytes
// are more than a tenth smaller. Sizes are predicted from the column and from a sample that is
// encoded. Cost: building the dictionary, encoding up to 512 KiB, and mostly training tokens (12 to
// 35 ms).
#pragma once

#include <optional>

#include "compress/columns/token_encoder.h"
#include "compress/encode/block_encoder.h"
#include "format/columns/string_dictionary.h"

namespace presso {

/// At most one of the two is set; if neither is, the strings are stored as bytes.
struct StringChoice {
  std::optional<StringDictionary> dictionary;
  std::optional<TokenDictionary> tokens;
};

/// For TableOptions::quick: a dictionary if its entries stand for many rows each, otherwise bytes.
/// Nothing is encoded to find out.
StringChoice choose_strings_quickly(const ColumnView& strings);

/// Tries the representations on a sample of the column; `bytes_encoder` is used for the trial.
/// Without `prefers_fast` the smallest is taken, however slowly queries read it.
StringChoice choose_strings(const ColumnView& strings, BlockEncoder& bytes_encoder,
                            bool prefers_fast = true);

}  // namespace presso
