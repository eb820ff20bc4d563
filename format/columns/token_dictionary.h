// SPDX-License-Identifier: MIT
// The dictionary of coding 5 (tokens, FORMAT.md 17.1), in which strings of a table's column are
// sequences of codes of 12 bits: up to 4,096 tokens of 1 to 16 bytes, numbered in bytewise order.
// The number is the token's code. The 256 single bytes are always among them, so that every string
// can be written and no escapes are needed. The idea of a static table of short strings for random
// access is that of FSST (Boncz, Neumann and Leis, 2020), here with 12-bit codes. In memory each
// token has a slot of 16 bytes: a decoder copies the whole slot and moves on by the token's length.
// Bytewise order costs nothing to encode or decode, makes the stored form small (a token shares its
// front with the one before it), and makes every prefix a range of codes, on which the encoder's
// search for the longest match rests. A stored token takes about 4 bytes; parsing all 4,096 takes
// 30 us.
// Tested by tests/unit/format/columns/token_dictionary_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "format/columns/lane_packing.h"
#include "presso/bytes.h"
#include "presso/error.h"

namespace presso {

constexpr std::uint32_t kTokenBits = 12;
constexpr std::uint32_t kMaxTokens = 1u << kTokenBits;
constexpr std::uint32_t kMaxTokenBytes = 16;
constexpr std::uint32_t kSingleTokens = 256;                          ///< those of one byte
constexpr std::uint32_t kMaxLongTokens = kMaxTokens - kSingleTokens;  ///< of two bytes or more
/// The most bytes that a stored dictionary takes: the count, then a description byte and all 16
/// bytes for each long token.
constexpr std::size_t kMaxTokenDictionaryBytes = 2 + kMaxLongTokens * (1 + kMaxTokenBytes);

/// 32-bit words of a full vector of 1,024 codes.
constexpr std::uint32_t kTokenVectorWords = lane_words(kVectorRows, kTokenBits);

/// Bytes of the payload of a block of tokens: vectors of 1,024 codes, the last one with the rest.
constexpr std::uint64_t token_payload_bytes(std::uint32_t codes) {
  const std::uint64_t full = std::uint64_t{codes / kVectorRows} * kTokenVectorWords;
  return (full + lane_words(codes % kVectorRows, kTokenBits)) * 4;
}

/// A string of up to 16 bytes as a number: its bytes from the most significant one on, then
/// zeros. Numbers compare as the strings do, except that "a" and "a\0" are equal.
using TokenKey = unsigned __int128;

/// Reads 16 bytes, which must be readable.
inline TokenKey load_token_key(const Byte* from) {
  return (static_cast<TokenKey>(__builtin_bswap64(load<std::uint64_t>(from))) << 64) |
         __builtin_bswap64(load<std::uint64_t>(from + 8));
}

/// A token of two bytes or more on its way into a dictionary.
struct Token {
  TokenKey key = 0;
  std::uint32_t length = 0;  ///< 2 to 16; bytes of the key after it are 0

  friend bool operator==(const Token&, const Token&) = default;
  /// Bytewise, a token before those that it begins.
  friend bool operator<(const Token& a, const Token& b) {
    return a.key != b.key ? a.key < b.key : a.length < b.length;
  }
};

/// Immutable once made or parsed; threads may share it. 68 KiB of memory.
class TokenDictionary {
 public:
  /// The dictionary of the single bytes alone.
  TokenDictionary() : TokenDictionary(std::vector<Token>()) {}
  /// The single bytes and `tokens`: at most kMaxLongTokens, of two bytes or more, distinct, in
  /// any order.
  explicit TokenDictionary(std::vector<Token> tokens);

  /// Parses the stored form, which must fill `stored`. Errors: kBadPayloadSize where it is too
  /// short or too long for what it says; kBadHeader for too many tokens or a wrong order;
  /// kBadLength for a token of fewer than 2 or more than 16 bytes, or one that shares more than
  /// the token before it has.
  static Result<TokenDictionary> parse(Bytes stored);
  void append_to(std::vector<Byte>& stored) const;

  std::uint32_t size() const { return size_; }
  std::uint32_t length(std::uint32_t code) const { return lengths_[code]; }
  Bytes token(std::uint32_t code) const { return {slot(code), length(code)}; }
  const Byte* slot(std::uint32_t code) const { return slots_.data() + code * kMaxTokenBytes; }

  /// Slots and lengths of all kMaxTokens codes; those of codes without a token are 0.
  const Byte* slots() const { return slots_.data(); }
  const Byte* lengths() const { return lengths_.data(); }

 private:
  void append(const Token& token);

  std::vector<Byte> slots_;
  std::vector<Byte> lengths_;
  std::uint32_t size_ = 0;
};

}  // namespace presso
