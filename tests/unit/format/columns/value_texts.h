// SPDX-License-Identifier: MIT
// What tests of single values as text share.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "format/columns/value_text.h"

namespace presso {

inline ColumnSchema column_of(std::string_view type, ValueText text = ValueText::kPlain) {
  ColumnSchema column = *parse_type(type);
  if (text != ValueText::kPlain) column.text = text;
  return column;
}

/// Texts in memory that ends where they end, for address sanitizers to guard.
inline bool parses(const ColumnSchema& column, std::string_view text, Byte* value) {
  const std::vector<Byte> exact(text.begin(), text.end());
  return parse_value(column, exact, value);
}
inline bool parses(const ColumnSchema& column, std::string_view text) {
  Byte value[16];
  return parses(column, text, value);
}

inline std::string printed(const ColumnSchema& column, const Byte* value) {
  // Bytes after the most that may be written stay as they are.
  char text[kMaxValueText + 16];
  std::memset(text, '#', sizeof text);
  const std::size_t length = print_value(column, value, text);
  EXPECT_LE(length, kMaxValueText);
  EXPECT_EQ(std::string_view(text + kMaxValueText, 16), std::string(16, '#'));
  return {text, length};
}

}  // namespace presso
