// SPDX-License-Identifier: MIT
// Learns the tokens of a string column (FORMAT.md 17.1; the idea of tokens that grow by joining
// neighbours is that of OnPair, Pisa 2025). Rounds: parse a sample with the tokens there are, count
// tokens and pairs of neighbours, and keep the 3,840 that would be used most, a pair as a new
// token. Tokens that lose their text to longer ones disappear again, which one pass that only adds
// tokens cannot do. Most rounds look at an eighth of the sample: they settle what short tokens
// there are. Counts, not bytes covered, decide: a token saves one code each time it is used,
// whatever its length (by bytes covered l_comment takes 6 % more).
// Cost: 12 to 35 ms a column, 4 MB of memory. Finds little in text of high entropy; the caller
// compares estimates.
// Tested by tests/unit/compress/columns/token_trainer_test.cpp.
#pragma once

#include <cstdint>

#include "format/columns/token_dictionary.h"
#include "presso/column_data.h"

namespace presso {

/// From 512 KiB to 1 MiB of the strings, spread over all of them (all where there are fewer). The
/// same strings give the same tokens.
/// Tokens that would save less than they take themselves are left out.
TokenDictionary train_tokens(const ColumnView& strings);

/// What a column would take in coding 5 (tokens).
struct TokenEstimate {
  std::uint64_t dictionary_bytes = 0;
  std::uint64_t code_bytes = 0;
  std::uint64_t count_bytes = 0;  ///< counts of codes, packed as integers

  std::uint64_t total() const { return dictionary_bytes + code_bytes + count_bytes; }
};

/// For all of `strings`, from about 128 KiB of them: about 1 ms.
TokenEstimate estimate_tokens(const ColumnView& strings, const TokenDictionary& dictionary);

}  // namespace presso
