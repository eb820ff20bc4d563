// SPDX-License-Identifier: MIT
// Strings as unpacked token codes, the longest token at every place, for tests and benchmarks of
// what reads codes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compress/columns/token_matcher.h"
#include "format/columns/token_dictionary.h"
#include "presso/bytes.h"

namespace presso::test {

struct TokenCodes {
  std::vector<std::uint16_t> codes;
  std::vector<std::uint32_t> begins;  ///< row i has the codes [begins[i], begins[i + 1])
};

/// Row i is bytes [offsets[i], offsets[i + 1]) of `text`.
inline TokenCodes token_codes(const TokenDictionary& dictionary, const Byte* text,
                              const std::int64_t* offsets, std::uint32_t rows) {
  const TokenMatcher matcher(dictionary);
  TokenCodes made;
  made.begins.push_back(0);
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (auto at = offsets[row]; at < offsets[row + 1];) {
      const auto left = static_cast<std::size_t>(offsets[row + 1] - at);
      Byte next[kMaxTokenBytes] = {};
      std::copy_n(text + at, std::min<std::size_t>(left, kMaxTokenBytes), next);
      const TokenMatcher::Match match = matcher.longest(load_token_key(next), left);
      made.codes.push_back(static_cast<std::uint16_t>(match.code));
      at += match.length;
    }
    made.begins.push_back(static_cast<std::uint32_t>(made.codes.size()));
  }
  return made;
}

}  // namespace presso::test
