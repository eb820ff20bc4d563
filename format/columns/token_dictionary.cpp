// SPDX-License-Identifier: MIT
// The stored form of a token dictionary (FORMAT.md 17.1): a u16, how many tokens of two bytes or
// more there are; a description byte for each (high half: bytes shared with the token before it;
// low half: further bytes, less one); then all further bytes. This is front coding. A token that
// shares fewer bytes than it could is refused like one that is out of order, so each dictionary has
// exactly one stored form.
#include "format/columns/token_dictionary.h"

#include <algorithm>

namespace presso {
namespace {

std::uint32_t shared_token_bytes(Bytes a, Bytes b) {
  const auto ends = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::uint32_t>(ends.first - a.begin());
}

Token single_byte(std::uint32_t value) {
  return {static_cast<TokenKey>(value) << 120, 1};
}

/// The length of the token that `description` makes after the token `before`; kBadLength where
/// that is not 2 to 16.
Result<std::uint32_t> checked_length(Byte description, Bytes before) {
  const std::uint32_t shared = description >> 4;
  const std::uint32_t length = shared + (description & 15u) + 1;
  if (shared > before.size() || length < 2 || length > kMaxTokenBytes) {
    return make_error(ErrorCode::kBadLength, "a token's length");
  }
  return length;
}

/// The long tokens of a stored dictionary, in their order, which is checked.
Result<std::vector<Token>> parse_tokens(Bytes descriptions, Bytes further) {
  std::vector<Token> tokens;
  tokens.reserve(descriptions.size());
  Byte text[kMaxTokenBytes] = {};
  std::uint32_t length = 0;
  for (const Byte description : descriptions) {
    const std::uint32_t shared = description >> 4;
    PRESSO_ASSIGN(const std::uint32_t next, checked_length(description, {text, length}));
    if (next - shared > further.size()) {
      return make_error(ErrorCode::kBadPayloadSize, "a token dictionary is cut off");
    }
    if (shared < length && further[0] <= text[shared]) {
      return make_error(ErrorCode::kBadHeader, "tokens out of order");
    }
    std::copy_n(further.data(), next - shared, text + shared);
    std::fill(text + next, text + kMaxTokenBytes, Byte{0});
    further = further.subspan(next - shared);
    length = next;
    tokens.push_back({load_token_key(text), length});
  }
  if (!further.empty()) return make_error(ErrorCode::kBadPayloadSize, "token dictionary too long");
  return tokens;
}

}  // namespace

// Long tokens are merged with the 256 single bytes, so that codes are in bytewise order.
TokenDictionary::TokenDictionary(std::vector<Token> tokens)
    : slots_(kMaxTokens * kMaxTokenBytes), lengths_(kMaxTokens) {
  tokens.resize(std::min<std::size_t>(tokens.size(), kMaxLongTokens));
  std::sort(tokens.begin(), tokens.end());
  std::uint32_t singles = 0;
  for (const Token& token : tokens) {
    while (singles <= static_cast<std::uint32_t>(token.key >> 120)) append(single_byte(singles++));
    append(token);
  }
  while (singles < kSingleTokens) append(single_byte(singles++));
}

void TokenDictionary::append(const Token& token) {
  Byte* const slot = slots_.data() + size_ * kMaxTokenBytes;
  store(slot, __builtin_bswap64(static_cast<std::uint64_t>(token.key >> 64)));
  store(slot + 8, __builtin_bswap64(static_cast<std::uint64_t>(token.key)));
  lengths_[size_++] = static_cast<Byte>(token.length);
}

Result<TokenDictionary> TokenDictionary::parse(Bytes stored) {
  if (stored.size() < 2)
    return make_error(ErrorCode::kBadPayloadSize, "a token dictionary is cut off");
  const std::size_t tokens = load<std::uint16_t>(stored.data());
  if (tokens > kMaxLongTokens) return make_error(ErrorCode::kBadHeader, "too many tokens");
  if (stored.size() < 2 + tokens) {
    return make_error(ErrorCode::kBadPayloadSize, "a token dictionary is cut off");
  }
  PRESSO_ASSIGN(std::vector<Token> parsed,
                parse_tokens(stored.subspan(2, tokens), stored.subspan(2 + tokens)));
  return TokenDictionary(std::move(parsed));
}

void TokenDictionary::append_to(std::vector<Byte>& stored) const {
  append_value(stored, static_cast<std::uint16_t>(size_ - kSingleTokens));
  std::vector<Byte> further;
  Bytes before;
  for (std::uint32_t code = 0; code < size_; ++code) {
    const Bytes text = token(code);
    if (text.size() == 1) continue;
    const std::uint32_t shared = shared_token_bytes(before, text);
    stored.push_back(static_cast<Byte>(shared << 4 | (text.size() - shared - 1)));
    further.insert(further.end(), text.begin() + shared, text.end());
    before = text;
  }
  stored.insert(stored.end(), further.begin(), further.end());
}

}  // namespace presso
