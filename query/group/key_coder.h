// SPDX-License-Identifier: MIT
// Turns the keys of a row into one value that tables can compare and hash. If ranges allow, the
// columns are digits of a 64-bit number in mixed radix (kWord), or of two such numbers (kPair); a
// null is one more value of a digit. Otherwise (strings, 128-bit integers, many wide columns) the
// code is the bytes of all columns one after another (kBytes). Equal keys have equal codes: all
// nulls, all NaNs, and both zeros.
//
// Example: a key from 10 to 19 that may be null has radix 11 (null is 0, 10 is 1, ...), a truth
// value that is never null has radix 2; together they are a word below 22, and an array of 22
// places can replace a hash table. Joins use the same codes (query/join). Tested by
// tests/unit/query/group/key_coder_test.cpp.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "presso/byte_stream.h"
#include "query/group/grouping.h"
#include "query/values/hash.h"

namespace presso::query::grouping {

/// A code of two words.
struct WordPair {
  std::uint64_t first;
  std::uint64_t second;
  friend bool operator==(const WordPair&, const WordPair&) = default;
};

/// Hashes of codes; see query/values/hash.h.
inline std::uint64_t hash_key(std::uint64_t key) {
  return hash_word(key);
}
inline std::uint64_t hash_key(const WordPair& key) {
  return hash_pair(key.first, key.second);
}
inline std::uint64_t hash_key(const StringRef& key) {
  return hash_bytes(key.bytes());
}

/// The codes of up to kBatchRows rows, and the memory that they need. Only the members of the
/// coder's form are used. About 48 KiB.
struct KeyCodes {
  std::array<std::uint64_t, kBatchRows> words;
  std::array<std::uint64_t, kBatchRows> second_words;
  std::array<WordPair, kBatchRows> pairs;
  std::array<StringRef, kBatchRows> strings;
  Buffer bytes;

  /// The codes of the form that the argument's type names; its value is not used.
  const std::uint64_t* keys(std::uint64_t) const { return words.data(); }
  const WordPair* keys(WordPair) const { return pairs.data(); }
  const StringRef* keys(StringRef) const { return strings.data(); }
};

/// Encodes and decodes keys. Immutable and thread-safe; costs a few operations for each key and
/// row.
class KeyCoder {
 public:
  /// How codes are represented; see above.
  enum class Form { kWord, kPair, kBytes };

  explicit KeyCoder(std::vector<KeySpec> keys);
  Form form() const { return form_; }
  /// For kWord: codes are below this number.
  Uint128 range() const { return range_; }
  /// A key of integers that decides the order of words, except among those that have it in common:
  /// its value is word / stride + least.
  struct LeadingKey {
    std::size_t key = 0;
    std::uint64_t stride = 1;
    std::int64_t least = 0;
  };
  /// For kWord: the most significant key, if it is an integer and never null.
  std::optional<LeadingKey> leading_key() const;

  /// Encodes `rows` rows; `keys` has a vector for each key. Codes of kBytes point into `codes`.
  void encode(std::span<const VectorView> keys, std::uint32_t rows, KeyCodes& codes) const;

  /// Writes key `column` of `count` codes to the rows `to` of a column of values, and calls
  /// null(row) for nulls. Strings point into the codes.
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
  /// A digit of a word: the value of a key, or only whether it is null.
  struct Digit {
    std::size_t key = 0;
    unsigned word = 0;
    std::uint64_t stride = 1;
    Uint128 radix = 1;
    bool is_null_flag = false;
    bool has_null = false;     ///< 0 stands for null, values begin with 1
    bool is_constant = false;  ///< the key has one value only and takes no part of a word
    bool is_first = true;      ///< the least significant digit of its word
    bool is_last = true;       ///< the most significant digit of its word
  };

  /// Distributes keys to words; false if they do not fit into two.
  bool assign_digits();
  /// Puts a digit into the first word with room for it.
  bool place(Digit digit);
  void encode_digits(std::span<const VectorView> keys, std::uint32_t rows, unsigned word,
                     std::uint64_t* words) const;
  void encode_bytes(std::span<const VectorView> keys, std::uint32_t rows, KeyCodes& codes) const;
  /// For codes that are just an integer which is not null; false if they are not.
  bool decode_whole_word(std::size_t column, const std::uint64_t* codes, const std::uint64_t* to,
                         std::uint32_t count, Byte* values) const;
  std::uint64_t digit_of(const Digit& digit, const std::uint64_t* words) const;
  /// Decodes one key; false: it is null.
  bool decode_one(std::size_t column, std::uint64_t code, std::uint64_t row, Byte* values) const;
  bool decode_one(std::size_t column, const WordPair& code, std::uint64_t row, Byte* values) const;
  bool decode_one(std::size_t column, const StringRef& code, std::uint64_t row, Byte* values) const;
  bool decode_digits(std::size_t column, const std::uint64_t* words, std::uint64_t row,
                     Byte* values) const;

  std::vector<KeySpec> keys_;
  Form form_ = Form::kBytes;
  Uint128 range_ = 1;
  std::vector<Digit> digits_;
  Uint128 used_[2] = {1, 1};  ///< product of the radices of the digits in each word
  // kBytes: bits of nulls, values of fixed size at `place_`, then sizes of strings, then strings.
  std::vector<std::size_t> place_;
  std::size_t fixed_bytes_ = 0;
};

}  // namespace presso::query::grouping
