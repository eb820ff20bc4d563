// SPDX-License-Identifier: MIT
// Sort keys of rows: numbers, or strings of bytes, whose order is that of the rows (normalised
// keys).
//
// Packed form: each key takes only the bits that tell its values apart, counted from the least to
// the greatest value that occurs, with a code for null, and keys are concatenated. Dates,
// quantities and flags together thus make one word of 64 bits, and so do most single numbers; at
// most four words. Descending keys are counted from the greatest value down. Other keys, and all
// keys if one is a string, take the form of bytes (format/columns/key_rows.h), which are compared
// eight at a time as words.
//
// All rows that are compared with each other need the same KeyCoding, made from the ranges of all
// of them. Tested by tests/unit/query/order/row_keys_test.cpp.
//
// Example: ORDER BY flag DESC, day, where flag is a truth value with nulls and day lies in 8,036 to
// 10,591. The flag needs 2 bits (true 0, false 1, null 2), the day 12 bits (0 to 2,555); a key is
// (flag code << 62) | (day code << 50), one word, and comparing two rows is comparing two integers.
#pragma once

#include <span>
#include <vector>

#include "format/columns/key_rows.h"
#include "query/order/ordering.h"
#include "query/values/vector.h"

namespace presso::query {

/// The least and greatest image of a key's values that occur. Strings have none.
struct KeyRange {
  bool any_null = false;
  bool any_value = false;
  Uint128 least = ~Uint128{0};
  Uint128 most = 0;

  void add(const VectorView& view, std::uint32_t rows);
  void add(const KeyRange& other);
};

/// The range of each sort key's values, which decides how keys are packed.
class KeyRanges {
 public:
  KeyRanges(std::span<const Physical> columns, std::vector<OrderKey> keys);
  void add(std::span<const VectorView> columns, std::uint32_t rows);
  void add(const KeyRanges& other);
  void clear();
  /// Whether keys may be packed, as far as their types are concerned (no strings).
  bool kept() const { return !ranges_.empty(); }
  std::span<const KeyRange> ranges() const { return ranges_; }

 private:
  std::vector<OrderKey> keys_;
  std::vector<KeyRange> ranges_;
};

/// The keys of some rows in one of the two forms.
class RowKeys {
 public:
  /// Returns word `depth` of a row's key; 0 after its end. Of bytes, the first is the highest.
  std::uint64_t word(std::uint32_t row, std::size_t depth = 0) const {
    if (row_words_ != 0) {
      return depth < row_words_ ? words_[std::size_t{row} * row_words_ + depth] : 0;
    }
    const Bytes key = bytes_.key(row);
    if (key.size() <= 8 * depth) return 0;
    const std::size_t left = key.size() - 8 * depth;
    const std::uint64_t word = __builtin_bswap64(load<std::uint64_t>(key.data() + 8 * depth));
    return left >= 8 ? word : word & ~(~std::uint64_t{0} >> (8 * left));
  }
  /// Whether the key has no word `depth`.
  bool ends_before(std::uint32_t row, std::size_t depth) const {
    return row_words_ != 0 ? row_words_ <= depth : bytes_.key(row).size() <= 8 * depth;
  }
  /// Compares two keys of one coding that are equal before word `depth`: negative if this one comes
  /// first, 0 if they are equal.
  int compare(std::uint32_t row, const RowKeys& others, std::uint32_t other,
              std::size_t depth) const;
  /// The bytes of a key; not for packed keys.
  Bytes key(std::uint32_t row) const { return bytes_.key(row); }
  std::uint64_t memory_bytes() const { return words_.size() * 8 + bytes_.bytes(); }

 private:
  friend class KeyCoding;
  std::size_t row_words_ = 0;         ///< words of a packed key; 0: keys are bytes
  std::vector<std::uint64_t> words_;  ///< row_words_ for each row
  KeyRows bytes_;
};

/// Makes keys of one form.
class KeyCoding {
 public:
  /// Makes keys as bytes, which needs no ranges.
  KeyCoding(std::span<const Physical> columns, std::vector<OrderKey> keys);
  /// Makes packed keys if `ranges`, which contain all values, allow it.
  KeyCoding(std::span<const Physical> columns, std::vector<OrderKey> keys, const KeyRanges& ranges);

  bool packed() const { return row_words_ != 0; }
  /// Whether keys have only one word.
  bool one_word() const { return row_words_ == 1; }
  /// Makes the keys of rows with these columns; previous keys are lost.
  void make(std::span<const VectorView> columns, std::uint32_t rows, RowKeys& into) const;
  /// Returns the bytes that the keys of such rows take in the form of bytes.
  std::uint64_t bytes_of(std::span<const VectorView> columns, std::uint32_t rows) const;

 private:
  /// The bits of one key within the words.
  struct Part {
    Uint128 least = 0;
    Uint128 most = 0;
    unsigned bits = 0;             ///< 0: all values are equal
    unsigned first_bit = 0;        ///< counted from the highest bit of the first word
    std::uint64_t first_code = 0;  ///< code of the value that comes first
    std::uint64_t null_code = 0;
  };
  bool choose_parts(std::span<const KeyRange> ranges);
  void add_part(const VectorView& view, const OrderKey& key, const Part& part, RowKeys& into) const;

  std::vector<OrderKey> keys_;
  std::vector<Part> parts_;
  std::uint64_t fixed_bytes_ = 0;  ///< of a row's key, strings aside
  std::size_t row_words_ = 0;      ///< words of a packed key; 0: keys are bytes
};

}  // namespace presso::query
