// SPDX-License-Identifier: MIT
// One column of a stream of Arrow batches, shown as ColumnViews for TableWriter. Values that have
// the layout of ColumnView are borrowed. Others are copied into buffers that live until the next
// call: bitmaps that begin inside of a byte, offsets, strings of string views, decimals of up to 18
// digits, and values of dictionaries. Types that tables lack are declined by make(). Tested by
// tests/unit/compress/arrow/compress_arrow_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "presso/arrow_abi.h"
#include "presso/byte_stream.h"
#include "presso/column_data.h"

namespace presso {

/// Knows the layout from the schema and converts one array after another. Not for several threads:
/// views refer to the column's own buffers.
class ArrowColumn {
 public:
  /// Error: kUnsupported, naming the column and its format string.
  static Result<ArrowColumn> make(const ArrowSchema& schema);

  const ColumnSchema& schema() const { return schema_; }
  /// Whether strings are copied: those of views and dictionaries may repeat in an array, and
  /// would become far larger than it.
  bool copies_strings() const {
    return is_string(schema_.type) && (layout_ == Layout::kViews || layout_ == Layout::kDictionary);
  }

  /// Must be called before view() for each new array; looks at the array's dictionary.
  Status begin(const ArrowArray& array);
  /// Views rows of the array from `first` on: `rows` of them or, once `bytes` of strings were
  /// copied, fewer, but at least one. The result is valid until the next call, as long as the
  /// array lives. kInvalidArgument where sizes, offsets or codes contradict each other.
  Result<ColumnView> view(const ArrowArray& array, std::uint64_t first, std::uint64_t rows,
                          std::uint64_t bytes);

 private:
  /// How the values lie in the array: as in a ColumnView, as bits, with offsets of either width, as
  /// string views, as decimals of 128 bits for a column of 64, or as codes of a dictionary.
  enum class Layout { kSame, kBits, kOffsets32, kOffsets64, kViews, kNarrowDecimal, kDictionary };
  struct Rows {
    const ArrowArray& array;
    std::uint64_t first;  ///< with the array's own offset
    std::uint64_t count;
    std::uint64_t bytes;  ///< bytes that may be copied
  };

  Error bad(const char* what) const;
  Status check(const ArrowArray& array, std::uint64_t first, std::uint64_t rows) const;
  Status take_validity(const Rows& rows, ColumnView& view);
  Status take_values(const Rows& rows, ColumnView& view);
  void take_bits(const Rows& rows, ColumnView& view);
  template <class Offset>
  Status take_offsets(const Rows& rows, ColumnView& view);
  Status take_views(const Rows& rows, ColumnView& view);
  Status append_view(const ArrowArray& array, const Byte* view);
  Status narrow_decimals(const Rows& rows, ColumnView& view);
  Status look_up(const Rows& rows, ColumnView& view);
  void take_entry(std::uint64_t code, std::uint64_t row);

  ColumnSchema schema_;
  Layout layout_ = Layout::kSame;
  char code_format_ = 'i';                   ///< the format of a dictionary's codes
  std::unique_ptr<ArrowColumn> dictionary_;  ///< the column of a dictionary's values
  ColumnView entries_;                       ///< values of the present array's dictionary
  Buffer values_;
  std::vector<std::int64_t> offsets_;
  std::vector<Byte> validity_;
};

}  // namespace presso
