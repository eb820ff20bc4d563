// SPDX-License-Identifier: MIT
// Values of one column for some rows, in memory and in Arrow's layout (format "Columnar", large
// strings): the form in which tables are written (presso/table_writer.h) and read (presso/table.h),
// and which is handed to other libraries without a copy (presso/arrow.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "presso/byte_stream.h"
#include "presso/table_schema.h"

namespace presso {

/// Borrowed values of a column; whoever made the view keeps the memory. Bits are counted from the
/// least significant one of the first byte.
struct ColumnView {
  ColumnType type = ColumnType::kUtf8;
  std::uint64_t rows = 0;
  /// rows * value_bytes(type) bytes; bool: a bit a row; strings: their bytes, one after another.
  const Byte* values = nullptr;
  /// Strings only: rows + 1 offsets into `values`, never falling, the first one 0. String i is the
  /// bytes from offsets[i] to offsets[i + 1].
  const std::int64_t* offsets = nullptr;
  /// One bit a row, 1 where there is a value; nullptr if no row is null. The value under a null may
  /// be anything; a string there should be empty.
  const Byte* validity = nullptr;

  bool is_null(std::uint64_t row) const {
    return validity != nullptr && (validity[row / 8] >> (row % 8) & 1) == 0;
  }
  Bytes string(std::uint64_t row) const {
    return {values + offsets[row], static_cast<std::size_t>(offsets[row + 1] - offsets[row])};
  }
};

/// Owned values of a column. Buffer::kSlack bytes are readable after the values.
struct ColumnData {
  ColumnType type = ColumnType::kUtf8;
  std::uint64_t rows = 0;
  Buffer values;
  std::vector<std::int64_t> offsets;  ///< strings only, otherwise empty
  std::vector<Byte> validity;         ///< empty if no row is null
  /// If not nullptr, this column is one of strings in dictionary form: `type` is kInt32 and the
  /// values are numbers of entries of `dictionary`, which has no nulls. Only queries that ask for
  /// it (QueryOptions::dictionaries) give such columns.
  std::shared_ptr<const ColumnData> dictionary;

  /// Returns a view, valid until this object is changed or moved.
  ColumnView view() const {
    return {type, rows, values.data(), offsets.empty() ? nullptr : offsets.data(),
            validity.empty() ? nullptr : validity.data()};
  }
};

/// Text of those rows of a row group that cannot be reproduced from their values. Such a text, with
/// its line end and what stood before it (comments, blank lines), replaces the row's own text. A
/// row number that equals the number of rows stands for text after the last row.
/// Fields that were not written as their column's values usually are have a spelling (FORMAT.md
/// 15.7); an empty one is the usual form.
struct ExactLines {
  std::vector<std::uint32_t> rows;    ///< rising
  std::vector<std::int64_t> offsets;  ///< one more than rows, the first 0; empty where rows is
  std::vector<Byte> bytes;
  std::vector<ColumnData> spellings;  ///< strings, one column for each that is `spelled`
};

}  // namespace presso
