// SPDX-License-Identifier: MIT
// Rows of several columns as text side by side (FORMAT.md 19): field after field, row after row, in
// one stream that is coded as bytes are. Tables of few rows, and columns that repeat each other,
// take less room in this form than in blocks of their own. A value is written as print_value()
// does with the text kPlain, whatever the text of its column is. It is for row groups that are read
// as a whole: all rows must be decoded to read one. Tested by
// tests/unit/format/columns/packed_rows_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "presso/byte_stream.h"
#include "presso/column_data.h"
#include "presso/table_schema.h"

namespace presso {

/// A column and the type that its values have in the stream.
struct PackedField {
  ColumnSchema schema;  ///< see bare_type()
  ColumnView column;
};

/// Two bytes that stand in no field.
struct PackedMarks {
  Byte end = ',';  ///< follows each field
  Byte empty = 1;  ///< is the whole of a field that is an empty string; a null is nothing at all
};

/// Marks that occur in no value of the columns; nullopt if there are none. It looks at every
/// string.
std::optional<PackedMarks> find_marks(std::span<const PackedField> fields);

/// Appends the head of a stream of rows with this many fields.
void append_packed_head(PackedMarks marks, std::size_t fields, Buffer& to);
/// Appends rows [first, first + rows). Returns false if a value is not what its text says, such as
/// a NaN with bits of its own; the rows cannot be packed then. A column that ends before these rows
/// has no field in them.
bool append_packed_rows(std::span<const PackedField> fields, PackedMarks marks, std::uint64_t first,
                        std::uint64_t rows, Buffer& to);

/// Where a field stands.
struct FieldPlace {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};
/// The place of a null.
constexpr FieldPlace kNullField{1, 0};

/// A stream of packed rows, or a text of rows, whose fields were found. Keeps the bytes by
/// reference.
class PackedRows {
 public:
  /// kBadRowGroup unless there are `rows` rows, with or without one more field after the last row.
  static Result<PackedRows> parse(Bytes stream, std::uint32_t rows);
  /// Rows of a text and their cuts (text_cuts.h). The field of a column has the column's number.
  static Result<PackedRows> cut(const TableSchema& schema, Bytes text, Bytes cuts,
                                std::uint32_t rows);

  /// The column of the field `number` of each row, and with `follows` of the field after the last
  /// row as well. kBadRowGroup where a field is not a value of the type.
  Result<ColumnData> column(std::size_t number, const ColumnSchema& schema, bool follows) const;

 private:
  Bytes bytes_at(FieldPlace place) const;
  Status take_strings(std::size_t number, ColumnData& column) const;
  template <class Read>
  Status take_values(std::size_t number, const Read& read, ColumnData& column) const;

  Bytes stream_;
  Buffer made_;  ///< places after the stream's end are in it
  bool is_cut_ = false;
  std::uint32_t rows_ = 0;
  std::size_t fields_ = 0;          ///< of a row
  std::vector<FieldPlace> places_;  ///< of all fields, row by row
};

}  // namespace presso
