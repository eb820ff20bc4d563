// SPDX-License-Identifier: MIT
// Learns the tokens of a string column, the dictionary of coding 5 (FORMAT.md 17.1,
// token_dictionary.h). Tokens that grow by joining neighbours are the idea of OnPair (Pisa, 2025).
// Each round parses a sample with the present tokens, counts tokens and pairs of neighbours, and
// keeps the 3,840 that would be used most, a pair as a new token. Tokens that lose their text to
// longer ones disappear again, which a single pass that only adds tokens cannot do. Most rounds
// look at an eighth of the sample: they settle which short tokens there should be. Counts decide,
// not the bytes covered: a token saves one code each time it is used, whatever its length (by bytes
// covered, l_comment takes 6 % more). Cost: 12 to 35 ms a column, 4 MB of memory. Text of high
// entropy gains little; the caller compares estimates before it takes the coding. Tested by
// tests/unit/compress/columns/token_trainer_test.cpp.
#pragma once

#include <cstdint>

#include "format/columns/token_dictionary.h"
#include "presso/column_data.h"

namespace presso {

/// Learns from 512 KiB to 1 MiB of the strings, spread over all of them; from all where there
/// are fewer. The same strings give the same tokens. Tokens that would save less than they take
/// are left out.
TokenDictionary train_tokens(const ColumnView& strings);

/// The predicted size of a column in coding 5 (tokens), in bytes.
struct TokenEstimate {
  std::uint64_t dictionary_bytes = 0;
  std::uint64_t code_bytes = 0;
  std::uint64_t count_bytes = 0;  ///< counts of codes, packed as integers

  std::uint64_t total() const { return dictionary_bytes + code_bytes + count_bytes; }
};

/// An estimate for all of `strings`, from about 128 KiB of them; takes about 1 ms.
TokenEstimate estimate_tokens(const ColumnView& strings, const TokenDictionary& dictionary);

}  // namespace presso
