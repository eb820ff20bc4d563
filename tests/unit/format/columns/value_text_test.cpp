// SPDX-License-Identifier: MIT
// One value as text: the extremes of every type, and texts that are close but not the value's own.
#include "format/columns/value_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "format/civil_date.h"
#include "tests/unit/format/columns/value_texts.h"

namespace presso::value_text_test {
namespace {

template <class T>
std::string print(const ColumnSchema& column, T value) {
  Byte bytes[sizeof value];
  store(bytes, value);
  return printed(column, bytes);
}

/// The texts are the values', both ways.
void expect_exact(const ColumnSchema& column, std::initializer_list<const char*> texts) {
  for (const std::string text : texts) {
    Byte value[16];
    ASSERT_TRUE(parses(column, text, value)) << type_name(column) << " " << text;
    EXPECT_EQ(printed(column, value), text) << type_name(column);
  }
}
void expect_refused(const ColumnSchema& column, std::initializer_list<const char*> texts) {
  for (const std::string text : texts) {
    EXPECT_FALSE(parses(column, text)) << type_name(column) << " takes '" << text << "'";
  }
}
template <class T>
void expect_value(const ColumnSchema& column, std::string_view text, T expected) {
  Byte value[16];
  ASSERT_TRUE(parses(column, text, value)) << text;
  EXPECT_EQ(load<T>(value), expected) << text;
  EXPECT_EQ(print(column, expected), text);
}

TEST(ValueText, IntegersReachTheirExtremes) {
  expect_exact(column_of("int8"), {"-128", "127", "0", "-1"});
  expect_exact(column_of("int16"), {"-32768", "32767"});
  expect_exact(column_of("int32"), {"-2147483648", "2147483647"});
  expect_exact(column_of("int64"), {"-9223372036854775808", "9223372036854775807", "99999999",
                                    "100000000", "9999999999999999", "10000000000000000"});
  expect_exact(column_of("uint8"), {"0", "255"});
  expect_exact(column_of("uint16"), {"65535"});
  expect_exact(column_of("uint32"), {"4294967295"});
  expect_exact(column_of("uint64"), {"18446744073709551615", "10000000000000000000"});
  expect_value<std::int64_t>(column_of("int64"), "-1234567890123", -1234567890123);
  expect_value<std::uint64_t>(column_of("uint64"), "18446744073709551615", ~std::uint64_t{0});
}

TEST(ValueText, IntegersTakeNothingElse) {
  expect_refused(column_of("int8"), {"128", "-129", "256", "1000"});
  expect_refused(column_of("uint8"), {"256", "-1", "-0"});
  expect_refused(column_of("int32"), {"2147483648", "-2147483649"});
  expect_refused(column_of("uint32"), {"4294967296"});
  expect_refused(column_of("int64"), {"",
                                      "-",
                                      "+1",
                                      "007",
                                      "-0",
                                      "00",
                                      "-01",
                                      " 1",
                                      "1 ",
                                      "1.0",
                                      "1e3",
                                      "0x1",
                                      "--1",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "99999999999999999999",
                                      "100000000000000000000",
                                      "1234567a",
                                      "12345678:",
                                      "1/345678"});
  expect_refused(column_of("uint64"),
                 {"18446744073709551616", "99999999999999999999", "-1", "184467440737095516150"});
}

TEST(ValueText, EveryPlaceOfAWrongByteIsNoticed) {
  for (std::size_t length = 1; length <= 19; ++length) {
    for (std::size_t place = 0; place < length; ++place) {
      for (const char wrong : {'/', ':', '\0', ' ', '\x80', '\xB5', '\xFF', '.'}) {
        std::string text(length, '1');
        ASSERT_TRUE(parses(column_of("int64"), text));
        text[place] = wrong;
        ASSERT_FALSE(parses(column_of("int64"), text)) << length << " characters, " << place;
      }
    }
  }
}

TEST(ValueText, DecimalsHaveTheirScale) {
  expect_exact(column_of("decimal(18,2)"),
               {"0.00", "0.05", "-0.05", "17.00", "-1.10", "21168.23", "123456.78",
                "9999999999999999.99", "-9999999999999999.99"});
  expect_exact(column_of("decimal(18,0)"), {"0", "-7", "999999999999999999"});
  expect_exact(column_of("decimal(18,6)"), {"0.000001", "123456789012.345678", "-1.500000"});
  expect_exact(column_of("decimal(18,18)"), {"0.123456789012345678", "-0.000000000000000001"});
  expect_value<std::int64_t>(column_of("decimal(18,2)"), "-21168.23", -2116823);
  expect_value<std::int64_t>(column_of("decimal(18,3)"), "0.007", 7);
  expect_refused(column_of("decimal(18,2)"), {"",
                                              "1",
                                              "1.",
                                              "1.5",
                                              "1.500",
                                              ".50",
                                              "-.50",
                                              "01.50",
                                              "-0.00",
                                              "00.00",
                                              "+1.50",
                                              "1,50",
                                              "1.5 ",
                                              "1.-5",
                                              "10000000000000000.00",
                                              "12345678901234567890.12",
                                              "1..0",
                                              "150",
                                              "1500",
                                              "..00",
                                              "-",
                                              "-.",
                                              "1234567890.1a",
                                              "123456789a.12"});
  expect_refused(column_of("decimal(18,18)"), {"1.123456789012345678", "-0.000000000000000000"});
  expect_refused(column_of("decimal(18,0)"), {"1000000000000000000", "1.", "-0", "01"});
}

TEST(ValueText, WideDecimalsHaveUpTo38Digits) {
  expect_exact(column_of("decimal(38,2)"),
               {"0.00", "-0.01", "999999999999999999999999999999999999.99", "1000000000000.50"});
  expect_exact(column_of("decimal(38,0)"), {"0", "-99999999999999999999999999999999999999"});
  expect_exact(column_of("decimal(38,38)"), {"0.00000000000000000000000000000000000001"});
  expect_refused(column_of("decimal(38,2)"),
                 {"", "1.0", ".00", "-0.00", "01.00", "1000000000000000000000000000000000000.00"});
  expect_refused(column_of("decimal(38,0)"), {"100000000000000000000000000000000000000", "-0"});
}

TEST(ValueText, AnyStoredNumberOfADecimalIsPrinted) {
  ColumnSchema column = column_of("decimal(18,2)");
  EXPECT_EQ(print(column, std::numeric_limits<std::int64_t>::min()), "-92233720368547758.08");
  column.scale = 19;
  EXPECT_EQ(print(column, std::int64_t{-5}), "-0.0000000000000000005");
  column.scale = 255;
  EXPECT_EQ(print(column, std::int64_t{5}), std::string("0.").append(37, '0').append("5"));
  column = column_of("decimal(38,38)");
  const __int128 least = static_cast<__int128>(static_cast<unsigned __int128>(1) << 127);
  EXPECT_EQ(print(column, least), "-1.70141183460469231731687303715884105728");
}

TEST(ValueText, DoublesAreTheirShortestForm) {
  expect_exact(column_of("double"), {"0",
                                     "-0",
                                     "1",
                                     "-1",
                                     "0.1",
                                     "0.30000000000000004",
                                     "100000",
                                     "123456.5",
                                     "9007199254740992",
                                     "1e-05",
                                     "0.0001",
                                     "1.5e-07",
                                     "1e+16",
                                     "1e+20",
                                     "1.7976931348623157e+308",
                                     "5e-324",
                                     "nan",
                                     "inf",
                                     "-inf",
                                     "-2.2250738585072014e-308"});
  expect_refused(column_of("double"), {"",
                                       "1.0",
                                       "1.50",
                                       "01",
                                       ".5",
                                       "5.",
                                       "+1",
                                       "1e5",
                                       "1e+05",
                                       "1E+20",
                                       "1e20",
                                       "NaN",
                                       "-nan",
                                       "nan(1)",
                                       "infinity",
                                       "1e+400",
                                       "0x1p3",
                                       " 1",
                                       "1 ",
                                       "0.1000000000000000055",
                                       "9007199254740993",
                                       "1_000",
                                       "-",
                                       "e",
                                       "0.00000000000000000000000000000000000000001"});
  EXPECT_EQ(print(column_of("double"), -std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(ValueText, FloatsAreTheirShortestForm) {
  expect_exact(column_of("float"),
               {"0.1", "-0", "3.4028235e+38", "1e-45", "1234.5", "9999999", "1e+07", "nan"});
  expect_refused(column_of("float"), {"0.10000000149011612", "10000000", "1e+39", "3.4028236e+38"});
}

TEST(ValueText, BoolsAreOnePairOfWords) {
  expect_exact(column_of("bool"), {"true", "false"});
  expect_exact(column_of("bool", ValueText::kCapitalBool), {"True", "False"});
  expect_exact(column_of("bool", ValueText::kUpperBool), {"TRUE", "FALSE"});
  expect_exact(column_of("bool", ValueText::kLetterBool), {"t", "f"});
  expect_exact(column_of("bool", ValueText::kYesBool), {"yes", "no"});
  expect_refused(column_of("bool"), {"", "True", "t", "1", "tru", "falsee", "true "});
  expect_value<Byte>(column_of("bool"), "true", 1);
  expect_value<Byte>(column_of("bool", ValueText::kYesBool), "no", 0);
}

TEST(ValueText, DatesHaveOnePattern) {
  expect_exact(column_of("date"), {"0001-01-01", "9999-12-31", "1970-01-01", "2024-02-29"});
  expect_exact(column_of("date", ValueText::kSlashDate), {"2024/12/31", "2000/02/29"});
  expect_exact(column_of("date", ValueText::kDayDotDate), {"31.12.2024", "01.02.0003"});
  expect_exact(column_of("date", ValueText::kMonthSlashDate), {"12/31/2024"});
  expect_exact(column_of("date", ValueText::kDaySlashDate), {"31/12/2024"});
  expect_value<std::int32_t>(column_of("date"), "1970-01-01", 0);
  expect_value<std::int32_t>(column_of("date"), "1969-12-31", -1);
  expect_value<std::int32_t>(column_of("date", ValueText::kDayDotDate), "02.03.2024", 19784);
  expect_value<std::int32_t>(column_of("date", ValueText::kMonthSlashDate), "03/02/2024", 19784);
  expect_value<std::int32_t>(column_of("date", ValueText::kDaySlashDate), "02/03/2024", 19784);
  expect_refused(
      column_of("date"),
      {"", "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01", "2024-01-00", "2024-01-32",
       "2024-04-31", "0000-01-01", "2024/12/31", "2024-1-01", "2024-12-3", "24-12-31",
       "2024-12-311", "2024-12-3a", "-024-12-31", "20a4-12-31", "2024-12/31"});
  expect_refused(column_of("date", ValueText::kMonthSlashDate), {"31/12/2024", "2024/12/31"});
}

TEST(ValueText, EveryDayOfTenThousandYearsFollowsTheLast) {
  std::int32_t expected = civil::kFirstDay;
  for (std::uint32_t year = 1; year <= 9999; ++year) {
    for (std::uint32_t month = 1; month <= 12; ++month) {
      for (std::uint32_t day = 1; day <= 31; ++day) {
        if (!civil::exists(year, month, day)) continue;
        ASSERT_EQ(civil::days_of(year, month, day), expected);
        const civil::Date date = civil::date_of(expected);
        ASSERT_TRUE(date.year == year && date.month == month && date.day == day) << expected;
        ++expected;
      }
    }
  }
  EXPECT_EQ(expected, civil::kLastDay + 1);
}

TEST(ValueText, FarDatesArePrintedThoughNotParsed) {
  const ColumnSchema column = column_of("date");
  EXPECT_EQ(print(column, static_cast<std::int32_t>(civil::kLastDay + 1)), "10000-01-01");
  EXPECT_EQ(print(column, static_cast<std::int32_t>(civil::kFirstDay - 1)), "0000-12-31");
  EXPECT_EQ(print(column, std::numeric_limits<std::int32_t>::max()), "5881580-07-11");
  EXPECT_EQ(print(column, std::numeric_limits<std::int32_t>::min()), "-5877641-06-23");
  EXPECT_EQ(print(column_of("date", ValueText::kDayDotDate), std::int32_t{2932897}), "01.01.10000");
  EXPECT_EQ(print(column_of("date", ValueText::kMonthSlashDate), std::int32_t{2932928}),
            "02/01/10000");
  expect_refused(column, {"10000-01-01", "0000-12-31"});
}

TEST(ValueText, TimestampsHaveTheDigitsOfTheirUnit) {
  expect_exact(column_of("timestamp(s)"), {"2024-12-31 23:59:59", "0001-01-01 00:00:00"});
  expect_exact(column_of("timestamp(ms)"), {"1969-12-31 23:59:59.999", "9999-12-31 23:59:59.999"});
  expect_exact(column_of("timestamp(us)", ValueText::kLetterTime),
               {"2024-02-29T12:34:56.000001", "0001-01-01T00:00:00.000000"});
  expect_exact(column_of("timestamp(ns)", ValueText::kLetterTimeZ),
               {"1677-09-21T00:12:43.145224192Z", "2262-04-11T23:47:16.854775807Z"});
  expect_exact(column_of("timestamp(s)", ValueText::kLetterTimeZ), {"2024-12-31T23:59:59Z"});
  expect_value<std::int64_t>(column_of("timestamp(ms)"), "1969-12-31 23:59:59.999", -1);
  expect_value<std::int64_t>(column_of("timestamp(s)"), "2024-03-02 00:00:01", 19784 * 86400 + 1);
}

TEST(ValueText, TimestampsTakeNothingElse) {
  expect_refused(
      column_of("timestamp(s)"),
      {"", "2024-12-31", "2024-12-31T23:59:59", "2024-12-31 23:59:59Z", "2024-12-31 23:59:59.000",
       "2024-12-31 24:00:00", "2024-12-31 23:60:00", "2024-12-31 23:59:60", "2024-12-31 2a:59:59",
       "2024-12-31 23-59:59", "2024-12-31 23:59-59", "2023-02-29 00:00:00", "2024-12-31  3:59:59"});
  expect_refused(column_of("timestamp(ms)"),
                 {"2024-12-31 23:59:59", "2024-12-31 23:59:59.00", "2024-12-31 23:59:59.0000",
                  "2024-12-31 23:59:59,000", "2024-12-31 23:59:59.0a0"});
  expect_refused(column_of("timestamp(ns)"),
                 {"1677-09-21 00:12:43.145224191", "2262-04-11 23:47:16.854775808"});
  expect_refused(column_of("timestamp(s)", ValueText::kLetterTimeZ),
                 {"2024-12-31T23:59:59", "2024-12-31T23:59:59z", "2024-12-31 23:59:59Z"});
}

TEST(ValueText, FarTimestampsArePrinted) {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(print(column_of("timestamp(s)"), kLeast), "-292277022657-01-27 08:29:52");
  EXPECT_EQ(print(column_of("timestamp(ms)", ValueText::kLetterTimeZ), kLeast),
            "-292275055-05-16T16:47:04.192Z");
  EXPECT_EQ(print(column_of("timestamp(us)"), ~kLeast), "294247-01-10 04:00:54.775807");
}

TEST(ValueText, StringsAreNotItsBusiness) {
  expect_refused(column_of("utf8"), {"", "a"});
  EXPECT_EQ(print(column_of("binary"), std::uint64_t{0}), "");
}

}  // namespace
}  // namespace presso::value_text_test
