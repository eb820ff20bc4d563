// SPDX-License-Identifier: MIT
// Values within nested values of Arrow as JSON, and back (FORMAT.md 15.9). Every value has one
// text, from which exactly the same value is read. Tested by
// tests/unit/decompress/arrow/nested_export_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "format/columns/value_text.h"
#include "presso/table_schema.h"

namespace presso {

/// The text of a bool, number, date or timestamp, without quotes. Decimals have 128 bits, bools a
/// byte.
class LeafText {
 public:
  LeafText() = default;
  /// `leaf` is a type of leaf_of() that is no string.
  explicit LeafText(const ColumnSchema& leaf);

  /// Whether a value stands in quotes. NaN, Infinity and numbers in place of dates do not.
  bool is_quoted() const { return is_date_or_time(type_.type); }
  void append(const Byte* value, std::string& to) const;
  /// Appends the value as JSON, with quotes if it needs them.
  void append_json(const Byte* value, std::string& to) const;
  /// False for a text that append() does not write.
  bool read(std::string_view text, Byte* value) const;

 private:
  bool is_far(std::string_view text) const;

  ColumnSchema type_;
  std::size_t date_bytes_ = 0;  ///< of a date or timestamp in the years 1 to 9999
  PrintValue print_ = nullptr;
  ParseValue parse_ = nullptr;
};

/// Appends two hexadecimal digits a byte.
void append_hex(Bytes bytes, std::string& to);
/// The reverse; false for a text that append_hex() does not write.
bool read_hex(std::string_view text, std::string& to);

}  // namespace presso
