// SPDX-License-Identifier: MIT
// Row keys, written column by column: for each row a string of bytes, so that memcmp() of two keys
// tells which row comes first, whatever the types are. This file says how one value becomes bytes;
// the caller says which values there are and whether nulls come first (sort_key.h for columns of
// tables, query/order/row_keys.h for rows of queries). This is the normalised key of sorting
// (Graefe, "Implementing Sorting in Database Systems", 2006).
//
// A value becomes a byte, the mark, that tells nulls from values, and then its image: strings with
// 00 written as 00 FF and with 00 00 at the end; numbers as unsigned integers in the same order
// (zone_image.h), the highest byte first. Where the order is descending, all bits after the mark
// are flipped. A null's mark is followed by zeros where values are numbers, and by nothing where
// they are strings. So no key is the beginning of another one, and the columns simply follow each
// other. One pass over the columns measures the keys and a second one writes them, so that no key
// is copied. Not for several threads.
// Tested by tests/unit/format/columns/sort_key_test.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "format/columns/zone_image.h"
#include "presso/byte_stream.h"

namespace presso {

/// double_image() for any double: NaNs are equal to each other and come after all other numbers.
inline std::uint64_t ordered_image(double value) {
  return std::isnan(value) ? std::numeric_limits<std::uint64_t>::max() : double_image(value);
}

/// Writes the highest byte first, so that bytes compare like numbers.
template <class T>
void store_high_first(Byte* to, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    to[i] = static_cast<Byte>(value >> (8 * (sizeof(T) - 1 - i)));
  }
}

/// How many bytes write_string_key() writes.
inline std::size_t string_key_bytes(Bytes text) {
  const auto zeros = static_cast<std::size_t>(std::count(text.begin(), text.end(), Byte{0}));
  return text.size() + zeros + 2;
}

/// Writes a string's image and returns the end of what was written.
Byte* write_string_key(Bytes text, Byte* to);

/// What a column writes before its values.
struct KeyMarks {
  Byte value = 0;  ///< before a value, as it is
  Byte null = 1;   ///< in place of a null
  Byte flip = 0;   ///< FF where the order is descending: exclusive-or for the bytes after the mark
};

/// The keys of a set of rows. Calls come in the order of the declarations: begin(), the sizes
/// of all columns, lay_out(), then the columns' values.
class KeyRows {
 public:
  std::size_t rows() const { return ends_.size(); }
  Bytes key(std::size_t row) const {
    const std::size_t begin = row == 0 ? 0 : ends_[row - 1];
    return {keys_.data() + begin, ends_[row] - begin};
  }
  /// Memory that the keys take.
  std::size_t bytes() const { return keys_.size() + ends_.size() * sizeof(std::size_t); }

  /// First call: drops earlier keys.
  void begin(std::size_t rows) { ends_.assign(rows, 0); }
  /// Second, in any order: adds the size of each column.
  void add_images(std::size_t image_bytes) {
    for (std::size_t& size : ends_) size += 1 + image_bytes;
  }
  template <class IsNull, class TextOf>
  void add_strings(IsNull is_null, TextOf text_of) {
    for (std::size_t row = 0; row < ends_.size(); ++row) {
      ends_[row] += 1 + (is_null(row) ? 0 : string_key_bytes(text_of(row)));
    }
  }
  /// Third, once: turns sizes into places.
  void lay_out() {
    std::size_t begin = 0;
    for (std::size_t& size : ends_) begin += std::exchange(size, begin);
    keys_.resize_discarding(begin);
  }

  /// Last: writes the columns in the order of the key. Nulls have zeros for an image (flipped
  /// if need be).
  template <class T, class IsNull, class ImageOf>
  void write_images(const KeyMarks& marks, IsNull is_null, ImageOf image_of) {
    const T flip = marks.flip != 0 ? static_cast<T>(~T{0}) : T{0};
    for (std::size_t row = 0; row < ends_.size(); ++row) {
      const bool null = is_null(row);
      Byte* const to = keys_.data() + ends_[row];
      *to = null ? marks.null : marks.value;
      store_high_first<T>(to + 1, static_cast<T>((null ? T{0} : T{image_of(row)}) ^ flip));
      ends_[row] += 1 + sizeof(T);
    }
  }
  template <class IsNull, class TextOf>
  void write_strings(const KeyMarks& marks, IsNull is_null, TextOf text_of) {
    for (std::size_t row = 0; row < ends_.size(); ++row) {
      Byte* const mark = keys_.data() + ends_[row];
      const bool null = is_null(row);
      *mark = null ? marks.null : marks.value;
      Byte* const end = null ? mark + 1 : write_string_key(text_of(row), mark + 1);
      if (marks.flip != 0) {
        for (Byte* byte = mark + 1; byte < end; ++byte) *byte ^= marks.flip;
      }
      ends_[row] = static_cast<std::size_t>(end - keys_.data());
    }
  }

 private:
  Buffer keys_;
  /// At first sizes, then the place where to write next. Once all columns are written it is the
  /// end of each key, which is the beginning of the next one.
  std::vector<std::size_t> ends_;
};

}  // namespace presso
