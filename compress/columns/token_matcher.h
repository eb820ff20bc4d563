// SPDX-License-Identifier: MIT
// Finds the longest token that a text begins with (FORMAT.md 17.2), for encoder and trainer. Tokens
// are numbered in bytewise order, so every token that begins the text is a prefix of the last token
// that is not greater than the text. That one is found by binary search among the tokens with the
// text's first two bytes. The bytes that it shares with the text, and the set of its prefixes that
// are tokens, give the length. Compared with a hash lookup for each length, this needs no probing,
// and no text makes it slow: 12 steps at most, 24 to 30 ns a token. What lost: steps without
// branches (masks instead) are 20 % slower, with a third byte in the index 8 to 18 %, because
// guesses that are mostly right let the next token begin early. A hash of 8-byte prefixes was not
// tried. Memory: 330 KB, of which ordinary text touches a small part. Threads may share a matcher.
// Tested by tests/unit/compress/columns/token_encoder_test.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "format/columns/token_dictionary.h"

namespace presso {

/// The tables of one dictionary. Immutable.
class TokenMatcher {
 public:
  explicit TokenMatcher(const TokenDictionary& dictionary);

  /// A code and the bytes that it stands for; every text matches at least its first byte.
  struct Match {
    std::uint32_t code;
    std::uint32_t length;
  };

  /// `text`: the next 16 bytes, of which `left` (at least 1) belong to the string; the others
  /// may be anything.
  Match longest(TokenKey text, std::uint64_t left) const {
    const auto pair = static_cast<std::size_t>(text >> 112);
    std::uint32_t steps = first_[pair + 1] - first_[pair];
    // The last token that is not greater than the text is *at or one of the `steps` after it. If
    // the text is less than all tokens with its first two bytes, only its first byte can be a
    // token, which is a prefix of the one before them.
    const TokenKey* at = keys_.data() + first_[pair];
    while (steps > 0) {
      const std::uint32_t half = (steps + 1) / 2;
      at = at[half] <= text ? at + half : at;
      steps -= half;
    }
    const auto last = static_cast<std::size_t>(at - keys_.data());
    const auto shared =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(shared_bytes(*at ^ text), left));
    const auto prefixes = prefixes_[last] & ((1u << shared) - 1);
    const auto length = static_cast<std::uint32_t>(std::bit_width(prefixes));
    return {codes_[last * kMaxTokenBytes + length - 1], length};
  }

 private:
  static std::uint32_t shared_bytes(TokenKey difference) {
    const auto high = static_cast<std::uint64_t>(difference >> 64);
    const auto low = static_cast<std::uint64_t>(difference);
    const int bits = high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(low);
    return static_cast<std::uint32_t>(bits) / 8;
  }

  void add_prefixes(const TokenDictionary& dictionary, std::uint32_t code);

  /// Token c is entry c + 1; entry 0 is never a match.
  std::vector<TokenKey> keys_;
  /// For each entry, bit l - 1 is set if its first l bytes are a token.
  std::vector<std::uint16_t> prefixes_;
  /// At [entry, l - 1] the code of the token that the first l bytes of the entry are.
  std::vector<std::uint16_t> codes_;
  /// Indexed by a pair of first bytes: the number of tokens with smaller pairs.
  std::vector<std::uint16_t> first_;
};

}  // namespace presso
