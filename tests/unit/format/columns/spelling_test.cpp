// SPDX-License-Identifier: MIT
// Values in every spelling that FORMAT.md 15.7 names, and the limits of its fields.
#include "format/columns/spelling.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "format/columns/value_patterns.h"

namespace presso::spelling_test {
namespace {

std::string print(const ColumnSchema& column, const Byte* value, std::string_view spelling) {
  char text[kMaxSpelledText];
  return {text, print_spelled(column, value, spelling, text)};
}

template <class Spelling>
std::string print(const char* type, const std::string& usual, const Spelling& spelling) {
  const ColumnSchema column = *parse_type(type);
  Byte value[16] = {};
  const Bytes text(reinterpret_cast<const Byte*>(usual.data()), usual.size());
  EXPECT_TRUE(parse_value(column, text, value)) << usual;
  return print(column, value, spelling_bytes(spelling));
}

NumberSpelling number(char notation, Byte digits = 0, Byte flags = 0, Byte exponent_digits = 0) {
  NumberSpelling spelling;
  spelling.notation = notation;
  spelling.digits = digits;
  spelling.flags = flags;
  spelling.exponent_digits = exponent_digits;
  return spelling;
}

TEST(Spelling, NotationsOfDoubles) {
  EXPECT_EQ(print("double", "1.5", number('i')), "1.5");
  EXPECT_EQ(print("double", "1.5", number('f', 2)), "1.50");
  EXPECT_EQ(print("double", "2.5", number('f', 0)), "2");
  EXPECT_EQ(print("double", "-0", number('f', 1)), "-0.0");
  EXPECT_EQ(print("double", "1e+20", number('g')), "100000000000000000000");
  EXPECT_EQ(print("double", "1e+23", number('g')), "99999999999999991611392");
  EXPECT_EQ(print("double", "4.805e-05", number('g')), "0.00004805");
  EXPECT_EQ(print("double", "0.1", number('f', 20)), "0.10000000000000000555");
  EXPECT_EQ(print("double", "250", number('e', 1, 16, 2)), "2.5e+02");
  EXPECT_EQ(print("double", "250", number('s')), "2.5e2");
  EXPECT_EQ(print("double", "0.0025", number('s', 0, 8, 3)), "2.5E-003");
  EXPECT_EQ(print("double", "1e+20", number('i', 0, 16, 9)), "1e+0020");
  EXPECT_EQ(print("double", "-inf", number('f', 2)), "-inf");
  EXPECT_EQ(print("double", "nan", number('e', 2, NumberSpelling::kPlus)), "+nan");
  EXPECT_EQ(print("float", "1.5", number('f', 2)), "1.5");
}

TEST(Spelling, FlagsOfNumbers) {
  EXPECT_EQ(print("int64", "3", number('i', 0, NumberSpelling::kPlus)), "+3");
  EXPECT_EQ(print("int64", "-3", number('i', 0, NumberSpelling::kPlus)), "-3");
  EXPECT_EQ(print("int64", "3", number('f', 0, NumberSpelling::kPoint)), "3.");
  EXPECT_EQ(print("int64", "0", number('i', 0, NumberSpelling::kNoZero)), "0");
  EXPECT_EQ(print("decimal(18,2)", "-0.50", number('i', 0, NumberSpelling::kNoZero)), "-.50");
  EXPECT_EQ(print("decimal(18,2)", "10.50", number('i', 0, NumberSpelling::kComma)), "10,50");
  NumberSpelling groups = number('i');
  groups.group = '.';
  EXPECT_EQ(print("int64", "-1234567", groups), "-1.234.567");
  EXPECT_EQ(print("int64", "123", groups), "123");
}

TEST(Spelling, OrdersAndMarksOfDates) {
  TimeSpelling spelling;
  EXPECT_EQ(print("date", "2003-02-24", spelling), "2003-02-24");
  spelling.order = 1;
  spelling.mark = '/';
  spelling.flags = TimeSpelling::kNoZeros;
  EXPECT_EQ(print("date", "2003-02-24", spelling), "2/24/2003");
  spelling.order = 2;
  spelling.flags = TimeSpelling::kShortYear;
  EXPECT_EQ(print("date", "2003-02-24", spelling), "24/02/03");
  spelling.order = 3;
  spelling.clock = 1;
  spelling.between = 'T';
  EXPECT_EQ(print("date", "2003-02-24", spelling), "02/24/03T00:00");
}

TEST(Spelling, ClocksFractionsAndZones) {
  TimeSpelling spelling;
  spelling.clock = 1;
  spelling.between = ' ';
  spelling.flags = TimeSpelling::kShortHour;
  EXPECT_EQ(print("timestamp(s)", "2024-01-01 09:05:00", spelling), "2024-01-01 9:05");
  spelling.flags |= TimeSpelling::kTwelveHours | TimeSpelling::kBlankHalf;
  EXPECT_EQ(print("timestamp(s)", "2024-01-01 00:05:00", spelling), "2024-01-01 12:05 AM");
  spelling.flags = TimeSpelling::kTwelveHours | TimeSpelling::kLowerHalf;
  EXPECT_EQ(print("timestamp(s)", "2024-01-01 13:05:00", spelling), "2024-01-01 01:05pm");
  spelling.clock = 2;
  spelling.flags = 0;
  spelling.fraction = 2;
  EXPECT_EQ(print("timestamp(ms)", "1969-12-31 23:59:59.259", spelling), "1969-12-31 23:59:59.25");
  spelling.fraction = 6;
  EXPECT_EQ(print("timestamp(ms)", "1969-12-31 23:59:59.259", spelling),
            "1969-12-31 23:59:59.259000");
  spelling.fraction = 0;
  spelling.zone = ':';
  spelling.offset_low = 90;
  EXPECT_EQ(print("timestamp(s)", "2023-12-31 23:00:00", spelling), "2024-01-01 00:30:00+01:30");
  spelling.zone = 'h';
  spelling.flags = TimeSpelling::kBlankZone;
  spelling.offset_low = 0xA6;
  spelling.offset_high = 0xFF;
  EXPECT_EQ(print("timestamp(s)", "2024-01-01 01:00:00", spelling), "2023-12-31 23:30:00 -0130");
  spelling.zone = '2';
  EXPECT_EQ(print("timestamp(s)", "2024-01-01 01:00:00", spelling), "2023-12-31 23:30:00 -01");
}

TEST(Spelling, ThatIsDamagedHasItsLimits) {
  NumberSpelling blanks = number('i');
  blanks.before = 48;
  blanks.after = 255;
  EXPECT_EQ(print("int64", "7", blanks), std::string(48, ' ') + "7" + std::string(48, ' '));
  EXPECT_EQ(print("double", "1.5", number('f', 62)), "1.5" + std::string(61, '0'));
  EXPECT_EQ(print("double", "-1.5", number('f', 63, NumberSpelling::kPoint)), "-.");
  EXPECT_EQ(print("double", "1e+300", number('g')), "");
  EXPECT_EQ(print("double", "1.5", number('?')), "1.5");
  TimeSpelling fraction;
  fraction.clock = 255;
  fraction.between = ' ';
  fraction.fraction = 255;
  EXPECT_EQ(print("timestamp(s)", "2024-01-01 00:00:00", fraction),
            "2024-01-01 00:00:00." + std::string(18, '0'));
}

TEST(Spelling, ThatDoesNotSuitTheTypeIsNone) {
  TimeSpelling time;
  time.mark = '/';
  EXPECT_EQ(print("int64", "7", time), "7");
  EXPECT_EQ(print("date", "2024-01-01", number('f', 2)), "2024-01-01");
  const ColumnSchema column = *parse_type("int64");
  const Byte value[8] = {7};
  for (const std::string_view spelling : {"", "c", "=8", "x"}) {
    EXPECT_EQ(print(column, value, spelling), "7") << spelling;
  }
  const std::string longer("ni\0\1\0\0\0\0more", 12);
  EXPECT_EQ(print(column, value, longer), "+7");
}

TEST(Spelling, TheFirstAndLastTimesHaveOne) {
  ColumnSchema column = *parse_type("timestamp(s)");
  const std::string east("t\0-\0\2 \0:\0\0\xFF\x7F", 12);
  Byte value[8];
  store(value, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(print(column, value, east), "292277026596-12-27 09:37:07+546:07");
  store(value, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(print(column, value, east), "-292277022657-02-19 02:36:52+546:07");
  column.unit = TimeUnit::kNano;
  EXPECT_EQ(print(column, value, std::string("t\0-\0\2 \11", 7)), "1677-09-21 00:12:43.145224192");
}

}  // namespace
}  // namespace presso::spelling_test
