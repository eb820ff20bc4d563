// SPDX-License-Identifier: MIT
// One column of a stream of Arrow batches, shown as ColumnViews for TableWriter. Values that have
// the layout of ColumnView are borrowed. Others are copied into buffers that live until the next
// call: bitmaps that begin inside of a byte, offsets, strings of string views, decimals of up to 18
// digits or of other widths than 128 bits, dates in milliseconds, and values of dictionaries and
// runs. Nested values become JSON (nested_values.h). Types that tables lack are declined by make().
// Tested by compress_arrow_test.cpp and nested_test.cpp in tests/unit/compress/arrow.
#pragma once

#include <memory>
#include <vector>

#include "compress/arrow/nested_values.h"
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
  /// would become far larger than it, as nested values do as text.
  bool copies_strings() const {
    return is_string(schema_.type) && layout_ != Layout::kOffsets32 &&
           layout_ != Layout::kOffsets64;
  }

  /// Must be called with the first array, if there is one, before schema() is used: dictionaries
  /// are kept in it. An array that contradicts itself is left to begin().
  void keep_entries(const ArrowArray& array);

  /// Must be called before view() for each new array; looks at the array's dictionary or children.
  /// `before` rows of the stream come before the array's first one, for messages.
  Status begin(const ArrowArray& array, std::uint64_t before);
  /// Views rows of the array from `first` on: `rows` of them or, once `bytes` of strings were
  /// copied, fewer, but at least one. The result is valid until the next call, as long as the
  /// array lives. kInvalidArgument where sizes, offsets or codes contradict each other.
  Result<ColumnView> view(const ArrowArray& array, std::uint64_t first, std::uint64_t rows,
                          std::uint64_t bytes);

 private:
  /// How the values lie in the array: as in a ColumnView, as bits, with offsets of either width, as
  /// string views, as decimals or dates of another width than the column's, as codes of a
  /// dictionary, as runs, or nested.
  enum class Layout {
    kSame,
    kBits,
    kOffsets32,
    kOffsets64,
    kViews,
    kDecimals,
    kDate64,
    kDictionary,
    kRunEnds,
    kNested
  };
  struct Rows {
    const ArrowArray& array;
    std::uint64_t first;  ///< with the array's own offset
    std::uint64_t count;
    std::uint64_t bytes;  ///< bytes that may be copied
  };

  static Layout layout_of(std::string_view format, ColumnType type);
  Error bad(const char* what) const;
  Error bad_value(const Rows& rows, std::uint64_t row, const char* what) const;
  std::int64_t buffers() const;
  Status check_runs(const ArrowArray& array) const;
  Status check(const ArrowArray& array, std::uint64_t first, std::uint64_t rows) const;
  Status take_validity(const Rows& rows, ColumnView& view);
  Status take_values(const Rows& rows, ColumnView& view);
  void take_bits(const Rows& rows, ColumnView& view);
  template <class Offset>
  Status take_offsets(const Rows& rows, ColumnView& view);
  Status take_views(const Rows& rows, ColumnView& view);
  Status take_decimals(const Rows& rows, ColumnView& view);
  Status take_dates(const Rows& rows, ColumnView& view);
  Status take_nested(const Rows& rows, ColumnView& view);
  Result<std::uint64_t> entry_at(const Rows& rows, std::uint64_t row);
  Status look_up(const Rows& rows, ColumnView& view);
  void take_entry(std::uint64_t code, std::uint64_t row);

  ColumnSchema schema_;
  Layout layout_ = Layout::kSame;
  char code_format_ = 'i';                   ///< of a dictionary's codes, or of the ends of runs
  std::uint64_t decimal_bytes_ = 16;         ///< in the array
  std::unique_ptr<ArrowColumn> dictionary_;  ///< the column of a dictionary's or of runs' values
  ColumnView entries_;                       ///< values of the present array's dictionary or runs
  std::uint64_t run_ = 0;                    ///< where entry_at() has come to
  ArrowType type_;
  NestedValues nested_;
  std::uint64_t before_ = 0;  ///< rows of the stream before the present array
  std::string text_;
  Buffer values_;
  std::vector<std::int64_t> offsets_;
  std::vector<Byte> validity_;
};

}  // namespace presso
