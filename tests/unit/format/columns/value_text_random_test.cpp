// SPDX-License-Identifier: MIT
// One value as text, properties over random values and texts: what is printed parses to the same
// bytes, and what parses prints the same text.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "format/columns/value_text.h"
#include "tests/unit/format/columns/value_texts.h"

namespace presso::value_text_random_test {
namespace {

/// Every type, pattern, unit, and scales of all lengths.
std::vector<ColumnSchema> all_columns() {
  std::vector<ColumnSchema> columns;
  for (const char* type : {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                           "float", "double"}) {
    columns.push_back(column_of(type));
  }
  for (int scale = 0; scale <= 38; scale += 1 + scale / 4) {
    const std::string digits = std::string(",").append(std::to_string(scale)).append(")");
    if (scale <= 18) columns.push_back(column_of(std::string("decimal(18").append(digits)));
    columns.push_back(column_of(std::string("decimal(38").append(digits)));
  }
  for (int text = 0; text <= 4; ++text) {
    columns.push_back(column_of("date", static_cast<ValueText>(text)));
  }
  for (const char* type : {"timestamp(s)", "timestamp(ms)", "timestamp(us)", "timestamp(ns)"}) {
    for (int text = 5; text <= 7; ++text) {
      columns.push_back(column_of(type, static_cast<ValueText>(text)));
    }
  }
  for (const int text : {0, 8, 9, 10, 11}) {
    columns.push_back(column_of("bool", static_cast<ValueText>(text)));
  }
  return columns;
}

/// Numbers of all magnitudes, among them those that are text of the column.
void random_value(std::mt19937_64& random, const ColumnSchema& column, Byte* value) {
  const std::uint64_t bits = random();
  store(value + 8, static_cast<std::int64_t>(random()) >> (random() % 64));
  store(value, bits);
  if (column.type == ColumnType::kBool) value[0] = bits & 1;
  if (column.type == ColumnType::kFloat || column.type == ColumnType::kDouble) return;
  if (column.type == ColumnType::kDecimal128) return;
  store(value, static_cast<std::int64_t>(bits) >> (random() % 64));
  if (column.type == ColumnType::kBool) value[0] = bits & 1;
}

/// A decimal of too many digits, a year that has not four: what no text of the column can say.
bool beyond(const ColumnSchema& column, std::string_view text) {
  const auto digits = std::count_if(text.begin(), text.end(), [](char c) { return c >= '0'; });
  const auto length = static_cast<std::size_t>(digits) - (text[text[0] == '-'] == '0');
  switch (column.type) {
    case ColumnType::kDecimal64:
      return length > 18;
    case ColumnType::kDecimal128:
      return length > 38;
    case ColumnType::kDate32:
      return text.size() != 10 || text.find("0000") != text.npos;
    case ColumnType::kTimestamp:
      return text.substr(0, 4) == "0000" || text[4] != '-' || text[0] == '-';
    default:
      return false;
  }
}

TEST(RandomValueText, WhatIsPrintedOfRandomValuesParsesToThem) {
  std::mt19937_64 random(22);
  for (const ColumnSchema& column : all_columns()) {
    const std::size_t bytes = std::max(value_bytes(column.type), 1u);
    int parsed = 0;
    for (int i = 0; i < 20000; ++i) {
      Byte value[16];
      Byte again[16];
      random_value(random, column, value);
      const std::string text = printed(column, value);
      if (beyond(column, text)) continue;
      ++parsed;
      ASSERT_TRUE(parses(column, text, again)) << type_name(column) << " " << text;
      if (text == "nan") continue;  // any of them
      ASSERT_EQ(std::memcmp(value, again, bytes), 0) << text;
    }
    EXPECT_GT(parsed, 4000) << type_name(column);
  }
}

/// One character changed, taken out, put in or doubled.
void mutate(std::mt19937_64& random, std::string& text) {
  static constexpr std::string_view kLikely = "0123456789-+.:/ TZeEinf,trues";
  const char letter = kLikely[random() % kLikely.size()];
  const std::size_t place = random() % (text.size() + 1);
  switch (random() % 4) {
    case 0:
      text.insert(place, 1, letter);
      break;
    case 1:
      if (place < text.size()) text.erase(place, 1);
      break;
    default:
      if (place < text.size()) text[place] = letter;
  }
}

TEST(RandomValueText, WhateverParsesPrintsTheSame) {
  std::mt19937_64 random(23);
  const std::vector<ColumnSchema> columns = all_columns();
  int parsed = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const ColumnSchema& from = columns[random() % columns.size()];
    const ColumnSchema& to = random() % 2 == 0 ? from : columns[random() % columns.size()];
    Byte value[16];
    random_value(random, from, value);
    std::string text = printed(from, value);
    for (std::uint64_t changes = random() % 3; changes > 0; --changes) mutate(random, text);
    if (!parses(to, text, value)) continue;
    ++parsed;
    ASSERT_EQ(printed(to, value), text) << type_name(to);
  }
  EXPECT_GT(parsed, 100'000);
}

/// The library has ways of its own for short numbers: the standard's shortest form judges them.
TEST(RandomValueText, ShortDoublesAreAsToCharsHasThem) {
  std::mt19937_64 random(25);
  const ColumnSchema column = column_of("double");
  double power = 1;
  for (int scale = 0; scale <= 17; ++scale, power *= 10) {
    for (int i = 0; i < 20'000; ++i) {
      const auto whole = static_cast<std::int64_t>(random()) >> (random() % 64);
      double number = static_cast<double>(whole) / power;
      if (i % 4 == 0) number = std::nextafter(number, 0.0);
      const double size = std::fabs(number);
      const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
      char text[kMaxValueText];
      const auto form = plain ? std::chars_format::fixed : std::chars_format::scientific;
      const std::string expected(text, std::to_chars(text, text + sizeof text, number, form).ptr);
      Byte value[16];
      store(value, number);
      ASSERT_EQ(printed(column, value), expected);
      ASSERT_TRUE(parses(column, expected, value)) << expected;
      ASSERT_EQ(load<std::uint64_t>(value), std::bit_cast<std::uint64_t>(number)) << expected;
      for (const char* more : {"0", ".0", ".", "e0"}) {
        ASSERT_FALSE(parses(column, expected + more, value) &&
                     printed(column, value) != expected + more);
      }
    }
  }
}

}  // namespace
}  // namespace presso::value_text_random_test
