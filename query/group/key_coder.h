// SPDX-License-Identifier: MIT
// Keys of groups as one value that tables can compare and hash: where ranges allow, the columns are
// digits of one 64-bit word in mixed radix, a null being one more digit; else of two words; else
// (strings, 128-bit integers, many wide columns) the bytes of all columns one after another. Equal
// keys have equal codes: nulls, NaNs of all payloads, and zeros of both signs.
// Tested by tests/unit/query/group/key_coder_test.cpp.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "presso/byte_stream.h"
#include "query/group/grouping.h"
#include "query/values/hash.h"

namespace presso::query::grouping {

struct WordPair {
  std::uint64_t first;
  std::uint64_t second;
  friend bool operator==(const WordPair&, const WordPair&) = default;
};

inline std::uint64_t hash_key(std::uint64_t key) {
  return hash_word(key);
}
inline std::uint64_t hash_key(const WordPair& key) {
  return hash_pair(key.first, key.second);
}
inline std::uint64_t hash_key(const StringRef& key) {
  return hash_bytes(key.bytes());
}

/// The codes of up to kBatchRows rows, and what they are made with.
struct KeyCodes {
  std::array<std::uint64_t, kBatchRows> words;
  std::array<std::uint64_t, kBatchRows> second_words;
  std::array<WordPair, kBatchRows> pairs;
  std::array<StringRef, kBatchRows> strings;
  Buffer bytes;

  const std::uint64_t* keys(std::uint64_t) const { return words.data(); }
  const WordPair* keys(WordPair) const { return pairs.data(); }
  const StringRef* keys(StringRef) const { return strings.data(); }
};

class KeyCoder {
 public:
  enum class Form { kWord, kPair, kBytes };

  explicit KeyCoder(std::vector<KeySpec> keys);
  Form form() const { return form_; }
  /// kWord: codes are below this.
  Uint128 range() const { return range_; }
  /// A key of integers that alone decides in which order words are, but for words that have it in
  /// common: value = word / stride + least.
  struct LeadingKey {
    std::size_t key = 0;
    std::uint64_t stride = 1;
    std::int64_t least = 0;
  };
  /// kWord: the leading key, if that one is an integer and never null.
  std::optional<LeadingKey> leading_key() const;

  void encode(std::span<const VectorView> keys, std::uint32_t rows, KeyCodes& codes) const;

  /// Writes key `column` of the codes to the rows `to` of a column of values; for nulls calls
  /// `null(row)`. Strings point to the codes.
  template <class Key, class Null>
  void decode(std::size_t column, const Key* codes, const std::uint64_t* to, std::uint32_t count,
              Byte* values, Null&& null) const {
    if constexpr (std::is_same_v<Key, std::uint64_t>) {
      if (decode_whole_word(column, codes, to, count, values)) return;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!decode_one(column, codes[i], to[i], values)) null(to[i]);
    }
  }

 private:
  /// A digit: the value of a key, or only whether it is null.
  struct Digit {
    std::size_t key = 0;
    unsigned word = 0;
    std::uint64_t stride = 1;
    Uint128 radix = 1;
    bool is_null_flag = false;
    bool has_null = false;     ///< 0 is a null, values begin with 1
    bool is_constant = false;  ///< its radix is 1: it is no part of any word
    bool is_first = true;      ///< of its word
    bool is_last = true;
  };

  bool assign_digits();
  bool place(Digit digit);
  void encode_digits(std::span<const VectorView> keys, std::uint32_t rows, unsigned word,
                     std::uint64_t* words) const;
  void encode_bytes(std::span<const VectorView> keys, std::uint32_t rows, KeyCodes& codes) const;
  /// Where a code is nothing but an integer that is not null; false: it is not.
  bool decode_whole_word(std::size_t column, const std::uint64_t* codes, const std::uint64_t* to,
                         std::uint32_t count, Byte* values) const;
  std::uint64_t digit_of(const Digit& digit, const std::uint64_t* words) const;
  /// False: it is null.
  bool decode_one(std::size_t column, std::uint64_t code, std::uint64_t row, Byte* values) const;
  bool decode_one(std::size_t column, const WordPair& code, std::uint64_t row, Byte* values) const;
  bool decode_one(std::size_t column, const StringRef& code, std::uint64_t row, Byte* values) const;
  bool decode_digits(std::size_t column, const std::uint64_t* words, std::uint64_t row,
                     Byte* values) const;

  std::vector<KeySpec> keys_;
  Form form_ = Form::kBytes;
  Uint128 range_ = 1;
  std::vector<Digit> digits_;
  Uint128 used_[2] = {1, 1};  ///< product of the radices in a word
  // kBytes: bits of nulls, values of fixed size at `place_`, then sizes of strings, then strings.
  std::vector<std::size_t> place_;
  std::size_t fixed_bytes_ = 0;
};

}  // namespace presso::query::grouping
