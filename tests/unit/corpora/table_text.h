// SPDX-License-Identifier: MIT
// What the tests of generated tables share: a table as text, and that text as fields.
#pragma once

#include <gtest/gtest.h>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/table_generator.h"
#include "presso/checksum.h"

namespace presso::corpora {

using Fields = std::vector<std::string>;

/// Rows [first, last).
inline std::string make_rows(std::string_view name, std::uint64_t hundredths, TableFormat format,
                             std::uint64_t first, std::uint64_t last) {
  RowWriter to(format);
  const auto table = make_table(name, hundredths);
  if (table == nullptr) return {};
  for (std::uint64_t row = first; row < last; ++row) table->append_row(row, to);
  return std::string(to.text());
}

inline std::string make_text(std::string_view name, std::uint64_t hundredths = 1,
                             TableFormat format = TableFormat::kTbl) {
  return make_rows(name, hundredths, format, 0, make_table(name, hundredths)->rows());
}

inline Fields split(std::string_view line, char after_each) {
  Fields fields;
  for (std::size_t end = line.find(after_each); end != line.npos; end = line.find(after_each)) {
    fields.emplace_back(line.substr(0, end));
    line.remove_prefix(end + 1);
  }
  return fields;
}

/// The rows of a .tbl.
inline std::vector<Fields> split_rows(const std::string& text) {
  std::vector<Fields> rows;
  for (const std::string& line : split(text, '\n')) rows.push_back(split(line, '|'));
  return rows;
}

/// A number with its point left out: cents of an amount of money.
inline std::int64_t digits_of(std::string text) {
  std::erase(text, '.');
  std::int64_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_TRUE(error == std::errc() && end == text.data() + text.size()) << text;
  return value;
}

inline std::uint64_t hash(const std::string& text) {
  return checksum64({reinterpret_cast<const Byte*>(text.data()), text.size()});
}

}  // namespace presso::corpora
