// SPDX-License-Identifier: MIT
// Keys of rows that are to be sorted: numbers or strings of bytes whose order is that of the rows.
//
// Packed: of numbers only the bits that tell values apart are there, counted from the least to the
// greatest value that occurs, with a place for null, one key behind the other: so dates, quantities
// and flags together make one word of 64 bits, and so do most single numbers. Four words at most.
// Else, and where a key is a string: bytes as in format/columns/key_rows.h, of which eight at a
// time are compared as a word.
//
// All rows that are compared with each other need the same KeyCoding, made from the ranges of all
// of them.
// Tested by tests/unit/query/order/row_keys_test.cpp.
#pragma once

#include <span>
#include <vector>

#include "format/columns/key_rows.h"
#include "query/order/ordering.h"
#include "query/values/vector.h"

namespace presso::query {

/// Images of the values of a key that occur; strings have none.
struct KeyRange {
  bool any_null = false;
  bool any_value = false;
  Uint128 least = ~Uint128{0};
  Uint128 most = 0;

  void add(const VectorView& view, std::uint32_t rows);
  void add(const KeyRange& other);
};

/// Of each key.
class KeyRanges {
 public:
  KeyRanges(std::span<const Physical> columns, std::vector<OrderKey> keys);
  void add(std::span<const VectorView> columns, std::uint32_t rows);
  void add(const KeyRanges& other);
  void clear();
  /// Whether keys may be packed, as far as their types say.
  bool kept() const { return !ranges_.empty(); }
  std::span<const KeyRange> ranges() const { return ranges_; }

 private:
  std::vector<OrderKey> keys_;
  std::vector<KeyRange> ranges_;
};

/// Keys of some rows.
class RowKeys {
 public:
  /// Of a row's key the word `depth`, 0 behind its end; of bytes the first one highest.
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
  /// Compares keys made by the same coding, which are equal before the word `depth`: below 0 where
  /// this one comes first, 0 for equal keys.
  int compare(std::uint32_t row, const RowKeys& others, std::uint32_t other,
              std::size_t depth) const;
  /// Not of packed keys.
  Bytes key(std::uint32_t row) const { return bytes_.key(row); }
  std::uint64_t memory_bytes() const { return words_.size() * 8 + bytes_.bytes(); }

 private:
  friend class KeyCoding;
  std::size_t row_words_ = 0;         ///< of packed keys
  std::vector<std::uint64_t> words_;  ///< so many for each row
  KeyRows bytes_;
};

class KeyCoding {
 public:
  /// As bytes.
  KeyCoding(std::span<const Physical> columns, std::vector<OrderKey> keys);
  /// Packed where `ranges`, in which all values lie, allow it.
  KeyCoding(std::span<const Physical> columns, std::vector<OrderKey> keys, const KeyRanges& ranges);

  bool packed() const { return row_words_ != 0; }
  /// Whether first words are all that keys have.
  bool one_word() const { return row_words_ == 1; }
  /// `columns`: those of the rows. The keys before are gone.
  void make(std::span<const VectorView> columns, std::uint32_t rows, RowKeys& into) const;
  /// What the keys of such rows take as bytes, and what finds them.
  std::uint64_t bytes_of(std::span<const VectorView> columns, std::uint32_t rows) const;

 private:
  /// A key's part of the words.
  struct Part {
    Uint128 least = 0;
    Uint128 most = 0;
    unsigned bits = 0;             ///< 0: all values are equal
    unsigned first_bit = 0;        ///< from the highest of the first word on
    std::uint64_t first_code = 0;  ///< of the value that comes first
    std::uint64_t null_code = 0;
  };
  bool choose_parts(std::span<const KeyRange> ranges);
  void add_part(const VectorView& view, const OrderKey& key, const Part& part, RowKeys& into) const;

  std::vector<OrderKey> keys_;
  std::vector<Part> parts_;
  std::uint64_t fixed_bytes_ = 0;  ///< of a row's key, strings aside
  std::size_t row_words_ = 0;      ///< of packed keys
};

}  // namespace presso::query
