// SPDX-License-Identifier: MIT
// Other ways in which a value can be written than the one that print_value() has (FORMAT.md 15.7):
// 1.50 for 1.5, .5, +3, 1e3, " 7", 2/24/2003, 2024-01-01T10:00:00+01:00. A spelling is a short
// string that says how; together with the value it gives the text back, so values of one column can
// be stored by what they mean. Its first byte is its kind:
//
//   none            as print_value() writes it
//   'c'             the same, in a column whose own spelling is another one
//   'n'             a number: the bytes of NumberSpelling
//   't'             a date or timestamp: the bytes of TimeSpelling
//   'q', 'u'        a string with quotes, or without, whatever the column's rule says
//   '='             whatever follows is the field as it stood, with its quotes
//
// Bytes left out at the end are 0. Printing takes any bytes, since files may be damaged; it never
// writes more than kMaxSpelledText. Cost: 30 to 40 ns a value. Tested by
// tests/unit/format/columns/spelling_test.cpp.
#pragma once

#include <algorithm>
#include <string_view>

#include "format/columns/value_text.h"

namespace presso {

constexpr char kUsualSpelling = 'c';
constexpr char kNumberKind = 'n';
constexpr char kTimeKind = 't';
constexpr char kQuotedKind = 'q';
constexpr char kUnquotedKind = 'u';
constexpr char kFieldKind = '=';

/// How a number is written.
struct NumberSpelling {
  char kind = kNumberKind;
  /// 'i' as print_value() writes it; doubles: 'f' with `digits` digits after the point, 'g' with
  /// the fewest digits, 's' the same with an exponent, 'e' with `digits` digits and an exponent.
  char notation = 'i';
  Byte digits = 0;
  Byte flags = 0;
  Byte exponent_digits = 0;  ///< digits that the exponent has at least
  Byte before = 0;           ///< blanks before the number
  Byte after = 0;            ///< blanks after it
  char group = 0;            ///< what stands between groups of three digits; 0: nothing

  static constexpr Byte kPlus = 1;           ///< "+3"
  static constexpr Byte kNoZero = 2;         ///< ".5"
  static constexpr Byte kPoint = 4;          ///< "3."
  static constexpr Byte kUpperE = 8;         ///< "1E5"
  static constexpr Byte kPlusExponent = 16;  ///< "1e+5"
  static constexpr Byte kComma = 32;         ///< "1,5"
};

/// How a date or timestamp is written.
struct TimeSpelling {
  char kind = kTimeKind;
  Byte order = 0;   ///< 0 year, month, day; 1 month, day, year; 2 day, month, year
  char mark = '-';  ///< between them
  Byte flags = 0;
  Byte clock = 0;       ///< 0 no time, 1 hours and minutes, 2 seconds as well
  char between = 0;     ///< between date and time
  Byte fraction = 0;    ///< digits after the seconds' point
  char zone = 0;        ///< 0 none, 'Z', ':' +01:00, 'h' +0100, '2' +01
  Byte before = 0;      ///< blanks before it
  Byte after = 0;       ///< blanks after it
  Byte offset_low = 0;  ///< of the zone, in minutes, as a signed number of 16 bits
  Byte offset_high = 0;

  static constexpr Byte kNoZeros = 1;      ///< "2/4/2003"
  static constexpr Byte kShortYear = 2;    ///< "2/24/03", of 1969 to 2068
  static constexpr Byte kShortHour = 4;    ///< "9:05"
  static constexpr Byte kTwelveHours = 8;  ///< "9:05 PM"
  static constexpr Byte kLowerHalf = 16;   ///< "9:05 pm"
  static constexpr Byte kBlankHalf = 32;   ///< a blank before AM or PM
  static constexpr Byte kBlankZone = 64;   ///< a blank before the zone

  int offset() const { return static_cast<std::int16_t>(offset_low | offset_high << 8); }
};

/// The most bytes that print_spelled() writes, including those after the text's end.
constexpr std::size_t kMaxSpelledText = 256;

/// The bytes of a spelling, without zeros at its end.
template <class Spelling>
std::string_view spelling_bytes(const Spelling& spelling) {
  static_assert(sizeof(Spelling) <= 16 && alignof(Spelling) == 1);
  std::string_view bytes(&spelling.kind, sizeof spelling);
  while (bytes.back() == 0) bytes.remove_suffix(1);
  return bytes;
}

/// The spelling from its bytes; those left out are 0.
template <class Spelling>
Spelling read_spelling(std::string_view bytes) {
  Spelling spelling;
  std::fill_n(&spelling.kind, sizeof spelling, char{0});
  std::copy_n(bytes.begin(), std::min(bytes.size(), sizeof spelling), &spelling.kind);
  return spelling;
}

/// Writes a value of a number, date or timestamp column to `to`, which has room for kMaxSpelledText
/// bytes, and returns its length. A spelling that does not suit the type counts as none.
std::size_t print_spelled(const ColumnSchema& column, const Byte* value, std::string_view spelling,
                          char* to);

}  // namespace presso
