// SPDX-License-Identifier: MIT
// Keys of rows that are to be sorted: numbers or strings of bytes whose order is that of the rows.
//
// Packed: where the values of all keys together need 64 bits at most, counted from the least to the
// greatest that occur (with a place for null), a row's key is one number, a word. Dates, quantities
// and flags together are, and most single numbers: the words alone sort the rows.
// Else: bytes as in format/columns/key_rows.h, of which eight at a time are compared as a word.
//
// All rows that are compared with each other need the same KeyCoding, made from the ranges of all
// of them. Cost, a row: KeyRange 0.5 ns, packed keys 0.7 ns for each number, bytes as there.
// Tested by tests/unit/scan/order/row_keys_test.cpp.
#pragma once

#include <span>
#include <vector>

#include "format/columns/key_rows.h"
#include "scan/order/ordering.h"
#include "scan/values/vector.h"

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
  /// Eight bytes of the key from 8 * depth on, the first one highest, 0 behind its end; packed
  /// keys: all of it.
  std::uint64_t word(std::uint32_t row, std::size_t depth = 0) const {
    if (!words_.empty()) return words_[row];
    const Bytes key = bytes_.key(row);
    if (key.size() <= 8 * depth) return 0;
    const std::size_t left = key.size() - 8 * depth;
    const std::uint64_t word = __builtin_bswap64(load<std::uint64_t>(key.data() + 8 * depth));
    return left >= 8 ? word : word & ~(~std::uint64_t{0} >> (8 * left));
  }
  /// Not of packed keys.
  Bytes key(std::uint32_t row) const { return bytes_.key(row); }
  std::uint64_t memory_bytes() const { return words_.size() * 8 + bytes_.bytes(); }

 private:
  friend class KeyCoding;
  std::vector<std::uint64_t> words_;
  KeyRows bytes_;
};

class KeyCoding {
 public:
  /// As bytes.
  KeyCoding(std::span<const Physical> columns, std::vector<OrderKey> keys);
  /// Packed where `ranges`, in which all values lie, allow it.
  KeyCoding(std::span<const Physical> columns, std::vector<OrderKey> keys, const KeyRanges& ranges);

  bool packed() const { return packed_; }
  /// `columns`: those of the rows. The keys before are gone.
  void make(std::span<const VectorView> columns, std::uint32_t rows, RowKeys& into) const;
  /// What the keys of such rows take as bytes, and what finds them.
  std::uint64_t bytes_of(std::span<const VectorView> columns, std::uint32_t rows) const;

 private:
  /// A key's part of the word.
  struct Part {
    Uint128 least = 0;
    Uint128 most = 0;
    unsigned shift = 0;
    bool used = false;             ///< it has a bit at least
    std::uint64_t first_code = 0;  ///< of the value that comes first
    std::uint64_t null_code = 0;
  };
  bool choose_parts(std::span<const KeyRange> ranges);
  void add_part(const VectorView& view, const OrderKey& key, const Part& part,
                std::vector<std::uint64_t>& words) const;

  std::vector<OrderKey> keys_;
  std::vector<Part> parts_;
  std::uint64_t fixed_bytes_ = 0;  ///< of a row's key, strings aside
  bool packed_ = false;
};

}  // namespace presso::query
