// SPDX-License-Identifier: MIT
// Builds the tables for the longest match, in one pass over the dictionary in its order.
#include "compress/columns/token_matcher.h"

#include <algorithm>

namespace presso {

// Entry 0 stands for no token, so code i has entry i + 1. `first_` at first counts the tokens by
// their first two bytes; then counts become sums.
TokenMatcher::TokenMatcher(const TokenDictionary& dictionary)
    : keys_(dictionary.size() + 1),
      prefixes_(dictionary.size() + 1),
      codes_((dictionary.size() + 1) * kMaxTokenBytes),
      first_((1u << 16) + 1) {
  for (std::uint32_t code = 0; code < dictionary.size(); ++code) {
    keys_[code + 1] = load_token_key(dictionary.slot(code));
    ++first_[static_cast<std::size_t>(keys_[code + 1] >> 112) + 1];
    add_prefixes(dictionary, code);
  }
  for (std::size_t pair = 1; pair < first_.size(); ++pair) {
    first_[pair] = static_cast<std::uint16_t>(first_[pair] + first_[pair - 1]);
  }
}

/// The prefixes of a token that are tokens: itself, and those of the token before it, as far as the
/// two are equal.
void TokenMatcher::add_prefixes(const TokenDictionary& dictionary, std::uint32_t code) {
  const std::uint32_t length = dictionary.length(code);
  const std::uint32_t entry = code + 1;
  if (code > 0) {
    const std::uint32_t shared =
        std::min<std::uint32_t>(shared_bytes(keys_[entry] ^ keys_[entry - 1]),
                                std::min(length, dictionary.length(code - 1)));
    prefixes_[entry] = static_cast<std::uint16_t>(prefixes_[entry - 1] & ((1u << shared) - 1));
    std::copy_n(codes_.begin() + (entry - 1) * kMaxTokenBytes, shared,
                codes_.begin() + entry * kMaxTokenBytes);
  }
  prefixes_[entry] = static_cast<std::uint16_t>(prefixes_[entry] | 1u << (length - 1));
  codes_[entry * kMaxTokenBytes + length - 1] = static_cast<std::uint16_t>(code);
}

}  // namespace presso
