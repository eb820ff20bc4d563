// SPDX-License-Identifier: MIT
// Values of one column for some rows, in memory, in Arrow's layout (format "Columnar", large
// strings): what a table is written from and read into.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "presso/byte_stream.h"
#include "presso/table_schema.h"

namespace presso {

/// Borrowed. Bits are counted from the least significant one of the first byte.
struct ColumnView {
  ColumnType type = ColumnType::kUtf8;
  std::uint64_t rows = 0;
  /// rows * value_bytes(type) bytes; bool: a bit a row; strings: their bytes, one after another.
  const Byte* values = nullptr;
  /// Strings: rows + 1 offsets into values, not falling, the first 0.
  const std::int64_t* offsets = nullptr;
  /// A bit a row, 1 where there is a value; nullptr: everywhere. What stands under a null is
  /// anything; a string there should be empty.
  const Byte* validity = nullptr;

  bool is_null(std::uint64_t row) const {
    return validity != nullptr && (validity[row / 8] >> (row % 8) & 1) == 0;
  }
  Bytes string(std::uint64_t row) const {
    return {values + offsets[row], static_cast<std::size_t>(offsets[row + 1] - offsets[row])};
  }
};

/// Owned. Buffer::kSlack bytes are readable after the values.
struct ColumnData {
  ColumnType type = ColumnType::kUtf8;
  std::uint64_t rows = 0;
  Buffer values;
  std::vector<std::int64_t> offsets;  ///< empty but for strings
  std::vector<Byte> validity;         ///< empty where there is no null
  /// Where not nullptr the column is one of strings: type is kInt32, values are entries of this
  /// column without nulls. Only answers of queries that ask for it (QueryOptions::dictionaries).
  std::shared_ptr<const ColumnData> dictionary;

  ColumnView view() const {
    return {type, rows, values.data(), offsets.empty() ? nullptr : offsets.data(),
            validity.empty() ? nullptr : validity.data()};
  }
};

/// Text of rows of a row group that cannot be made from their values: it stands in place of the
/// row's own text, line end included, with what stood before it (comments, blank lines). A row
/// number that equals the row group's rows means text after the last row.
struct ExactLines {
  std::vector<std::uint32_t> rows;    ///< rising
  std::vector<std::int64_t> offsets;  ///< one more than rows, the first 0; empty where rows is
  std::vector<Byte> bytes;
};

}  // namespace presso
