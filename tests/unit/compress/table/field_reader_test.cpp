// SPDX-License-Identifier: MIT
// Fields in all spellings: what they mean, and that value and spelling give the text back.
#include "compress/table/text/field_reader.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "format/columns/spelling.h"
#include "format/columns/value_text.h"
#include "tests/unit/compress/table/table_text.h"

namespace presso::field_reader_test {
namespace {

using test::bytes_of;

ColumnSchema column_of_type(std::string_view type, ValueText text = ValueText::kPlain) {
  ColumnSchema column = *parse_type(type);
  column.text = text;
  return column;
}

/// The value in the usual way of writing and how the text spells it; "?" if it cannot be read.
std::string read(const ColumnSchema& column, const std::string& text, std::string& spelling) {
  Byte value[16] = {};
  if (!read_value(column, bytes_of(text), value, spelling)) return "?";
  char printed[kMaxSpelledText];
  if (spelling != std::string(1, kFieldKind)) {
    const std::size_t size = print_spelled(column, value, spelling, printed);
    EXPECT_EQ(std::string(printed, size), text);
  }
  return {printed, print_value(column, value, printed)};
}
std::string read(const ColumnSchema& column, const std::string& text) {
  std::string spelling;
  return read(column, text, spelling);
}
/// As read(), for texts that have a spelling other than the field itself.
std::string spelled(const ColumnSchema& column, const std::string& text) {
  std::string spelling;
  const std::string value = read(column, text, spelling);
  EXPECT_NE(spelling, std::string(1, kFieldKind)) << text;
  return value;
}

TEST(FieldReader, NumbersInAllSpellings) {
  const ColumnSchema real = column_of_type("double");
  EXPECT_EQ(spelled(real, ".5"), "0.5");
  EXPECT_EQ(spelled(real, "-.5"), "-0.5");
  EXPECT_EQ(spelled(real, "5."), "5");
  EXPECT_EQ(spelled(real, "+3"), "3");
  EXPECT_EQ(spelled(real, "1.50"), "1.5");
  EXPECT_EQ(spelled(real, "1000.00"), "1000");
  EXPECT_EQ(spelled(real, "1e5"), "100000");
  EXPECT_EQ(spelled(real, "1.50E+05"), "150000");
  EXPECT_EQ(spelled(real, "2.5e-003"), "0.0025");
  EXPECT_EQ(spelled(real, "0.00004805"), "4.805e-05");
  EXPECT_EQ(spelled(real, "  7 "), "7");
  EXPECT_EQ(spelled(real, "-0.00"), "-0");
  EXPECT_EQ(read(real, "0.12345678901234567890"), "0.12345678901234568");
  EXPECT_EQ(read(real, "Infinity"), "inf");
  EXPECT_EQ(read(real, "-INF"), "-inf");
  EXPECT_EQ(read(real, "NaN"), "nan");
  EXPECT_EQ(read(real, "00.5"), "0.5");
  for (const char* text : {"", ".", "-", "e5", "1e", "1e999", "0x1F", "1 2", "1,5", "007", "--1"}) {
    EXPECT_EQ(read(real, text), "?") << text;
  }
}

TEST(FieldReader, IntegersAndDecimalsAreExact) {
  EXPECT_EQ(spelled(column_of_type("int64"), "+9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(spelled(column_of_type("int64"), " -5"), "-5");
  EXPECT_EQ(read(column_of_type("int64"), "-0"), "0");
  EXPECT_EQ(read(column_of_type("int64"), "1.0"), "?");
  EXPECT_EQ(read(column_of_type("int64"), "9223372036854775808"), "?");
  EXPECT_EQ(spelled(column_of_type("decimal(18,2)"), ".50"), "0.50");
  EXPECT_EQ(read(column_of_type("decimal(18,2)"), "1.5"), "1.50");
  EXPECT_EQ(read(column_of_type("decimal(18,2)"), "7"), "7.00");
  EXPECT_EQ(read(column_of_type("decimal(18,2)"), "1.505"), "?");
}

TEST(FieldReader, DatesAndTimes) {
  const ColumnSchema month_first = column_of_type("date", ValueText::kMonthSlashDate);
  const ColumnSchema day_first = column_of_type("date", ValueText::kDaySlashDate);
  EXPECT_EQ(spelled(month_first, "2/24/2003"), "02/24/2003");
  EXPECT_EQ(spelled(month_first, "2/4/03"), "02/04/2003");
  EXPECT_EQ(spelled(day_first, "24-2-1999"), "24/02/1999");
  EXPECT_EQ(spelled(day_first, "4.12.1999"), "04/12/1999");
  EXPECT_EQ(read(month_first, "24/2/2003"), "?");
  EXPECT_EQ(spelled(column_of_type("date"), "2024-1-5"), "2024-01-05");
  EXPECT_EQ(read(column_of_type("date"), "2024-02-30"), "?");
  const ColumnSchema seconds = column_of_type("timestamp(s)");
  EXPECT_EQ(spelled(seconds, "2010/01/01 00:00"), "2010-01-01 00:00:00");
  EXPECT_EQ(spelled(seconds, "2010-01-01"), "2010-01-01 00:00:00");
  EXPECT_EQ(spelled(column_of_type("timestamp(s)", ValueText::kMonthSlashDate), "1/2/2010 9:05 PM"),
            "2010-01-02 21:05:00");
  EXPECT_EQ(read(seconds, "2010-01-01 24:00"), "?");
  EXPECT_EQ(read(seconds, "2010-01-01 00:00:00.5"), "?");
  EXPECT_EQ(spelled(column_of_type("timestamp(ms)"), "1969-12-31T23:59:59.5"),
            "1969-12-31 23:59:59.500");
  ColumnSchema zoned = seconds;
  zoned.zone = "UTC";
  EXPECT_EQ(spelled(zoned, "2024-01-01T00:00:00+01:00"), "2023-12-31 23:00:00");
  EXPECT_EQ(spelled(zoned, "2024-01-01 00:00:00-0330"), "2024-01-01 03:30:00");
  EXPECT_EQ(spelled(zoned, "2024-01-01T00:00:00Z"), "2024-01-01 00:00:00");
  EXPECT_EQ(read(zoned, "2024-01-01T00:00:00"), "?");
}

TEST(FieldReader, RandomNumbersAreThoseOfTheStandardLibrary) {
  std::mt19937_64 random(5);
  const ColumnSchema real = column_of_type("double");
  const std::string_view alphabet("0012345678999.-+eE ");
  int numbers = 0;
  int with_spelling = 0;
  for (int i = 0; i < 500'000; ++i) {
    std::string text(1 + random() % 12, '0');
    for (char& byte : text) byte = alphabet[random() % (i % 2 == 0 ? 14 : alphabet.size())];
    std::string spelling;
    Byte value[16] = {};
    if (!read_value(real, bytes_of(text), value, spelling)) continue;
    ++numbers;
    char* end = nullptr;
    ASSERT_EQ(load<double>(value), std::strtod(text.c_str(), &end)) << text;
    ASSERT_TRUE(std::string(end).find_first_not_of(' ') == std::string::npos) << text;
    if (spelling == std::string(1, kFieldKind)) continue;
    ++with_spelling;
    char printed[kMaxSpelledText];
    ASSERT_EQ(std::string(printed, print_spelled(real, value, spelling, printed)), text);
  }
  EXPECT_GT(numbers, 100'000);
  EXPECT_GT(with_spelling, numbers / 2);
}

TEST(FieldReader, AnyBytesAreASpelling) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 300'000; ++i) {
    std::string spelling(random() % 16, '\0');
    for (char& byte : spelling) byte = static_cast<char>(random() % (i % 3 == 0 ? 256 : 64));
    if (!spelling.empty()) spelling[0] = i % 2 == 0 ? kNumberKind : kTimeKind;
    const std::string_view types[] = {"double", "int64", "decimal(38,10)", "date", "timestamp(ns)"};
    const ColumnSchema column = column_of_type(types[random() % 5]);
    Byte value[16];
    for (Byte& byte : value) byte = static_cast<Byte>(random());
    char printed[kMaxSpelledText + 16];
    std::fill_n(printed, sizeof printed, '#');
    ASSERT_LE(print_spelled(column, value, spelling, printed), kMaxSpelledText);
    ASSERT_EQ(printed[kMaxSpelledText], '#');
  }
}

}  // namespace
}  // namespace presso::field_reader_test
