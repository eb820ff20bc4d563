// SPDX-License-Identifier: MIT
// How the strings of a column are represented in a row group: by a dictionary where few are
// different; else by tokens, which are decoded several times as fast as bytes of the Bit coding,
// unless that is more than a tenth smaller. Sizes are measured on a sample, never guessed from
// types.
#pragma once

#include <optional>

#include "compress/columns/token_encoder.h"
#include "compress/encode/block_encoder.h"
#include "compress/table/write/string_dictionary.h"

namespace presso {

/// At most one of the two; neither: bytes.
struct StringChoice {
  std::optional<StringDictionary> dictionary;
  std::optional<TokenDictionary> tokens;
};

/// For TableOptions::quick: a dictionary where each entry stands for many rows, else bytes. No
/// trial.
StringChoice choose_strings_quickly(const ColumnView& strings);

StringChoice choose_strings(const ColumnView& strings, BlockEncoder& bytes_encoder);

}  // namespace presso
