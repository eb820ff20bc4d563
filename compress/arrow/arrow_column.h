// SPDX-License-Identifier: MIT
// One column of an Arrow stream as ColumnViews. What has our layout is borrowed; what has not is
// copied into buffers that live until the next batch: bitmaps that begin inside a byte, offsets of
// 32 bits, views, decimals of 18 digits, values of dictionaries. Tested by
// tests/unit/compress/arrow/compress_arrow_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "presso/arrow_abi.h"
#include "presso/byte_stream.h"
#include "presso/column_data.h"

namespace presso {

class ArrowColumn {
 public:
  /// Error: kUnsupported, naming the column and its format string.
  static Result<ArrowColumn> make(const ArrowSchema& schema);

  const ColumnSchema& schema() const { return schema_; }
  /// Strings that repeat in the array, and would be copied as often.
  bool copies_strings() const {
    return is_string(schema_.type) && (layout_ == Layout::kViews || layout_ == Layout::kDictionary);
  }

  /// Rows of `array`, which was made by the same schema, are viewed next: looks at its dictionary.
  Status begin(const ArrowArray& array);
  /// Rows of it from `first` on, `rows` of them, or fewer, at least one, where so many `bytes` of
  /// strings were copied. It and the array are kept until the next call. kInvalidArgument: sizes,
  /// offsets or codes that contradict each other.
  Result<ColumnView> view(const ArrowArray& array, std::uint64_t first, std::uint64_t rows,
                          std::uint64_t bytes);

 private:
  /// How values lie in the array.
  enum class Layout { kSame, kBits, kOffsets32, kOffsets64, kViews, kNarrowDecimal, kDictionary };
  struct Rows {
    const ArrowArray& array;
    std::uint64_t first;  ///< with the array's own offset
    std::uint64_t count;
    std::uint64_t bytes;  ///< that may be copied
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
  char code_format_ = 'i';                   ///< of a dictionary's codes
  std::unique_ptr<ArrowColumn> dictionary_;  ///< of its values
  ColumnView entries_;                       ///< of the present array's dictionary
  Buffer values_;
  std::vector<std::int64_t> offsets_;
  std::vector<Byte> validity_;
};

}  // namespace presso
