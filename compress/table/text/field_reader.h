// SPDX-License-Identifier: MIT
// Reads fields by what they mean, in whichever way they are written, where value_parse.cpp takes
// one text for each value. It also finds the spelling (format/columns/spelling.h) with which the
// value gives the text back, and knows the words that stand for a missing value. Columns that are
// written in the usual way throughout are read by the strict parser alone. Cost: 30 to 140 ns a
// field, 250 ns for numbers of more than 15 digits. Tested by
// tests/unit/compress/table/field_reader_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "format/columns/time_format.h"
#include "format/columns/value_text.h"

namespace presso {

/// What commas in numbers mean, which only a column as a whole can tell.
enum class Commas : Byte {
  kNone,    ///< they are no part of a number
  kGroups,  ///< 1,234,567.5
  kPoint,   ///< 1234567,5
};

/// The parts of a number's text: blanks, a sign, digits, a point, digits, an exponent.
struct NumberText {
  Byte before = 0;  ///< blanks
  Byte after = 0;
  bool negative = false;
  bool plus = false;
  bool point = false;
  bool has_exponent = false;
  bool is_special = false;  ///< nan, inf, infinity in any letter case
  Bytes whole;              ///< the digits before the point
  Bytes part;               ///< the digits after it
  Bytes exponent;           ///< `e` and what follows

  char group = 0;      ///< what stands between groups of three digits
  bool comma = false;  ///< the point is a comma
  Byte joined[64];     ///< the digits before the point where they stand in groups

  NumberText() = default;
  NumberText(const NumberText&) = delete;  // `whole` may be in `joined`

  bool is_whole() const { return !point && !has_exponent && !is_special; }
  /// An integer with leading zeros is a code, such as a postcode, and no number, as is one of more
  /// digits than any exact type has: different ones would be equal as doubles.
  bool is_code() const {
    return is_whole() && (whole.size() > 38 || (whole.size() > 1 && whole[0] == '0'));
  }
};

/// The parts of a date or a timestamp.
struct TimeText {
  Byte before = 0;
  Byte after = 0;
  bool year_last = false;
  bool month_first = false;  ///< the date exists with the month before the day: 2/24/2003
  bool day_first = false;    ///< the year is last, and the date exists as 24/2/2003 does
  bool year_first = false;   ///< the year has two digits and may be the first, as in 03-02-24
  bool has_time = false;
  std::uint32_t year = 0;
  std::uint32_t first = 0;  ///< the other two numbers of the date, in their order
  std::uint32_t second = 0;
  std::uint32_t seconds = 0;  ///< of the day
  std::uint64_t fraction = 0;
  char mark = '-';
  char between = 0;
  Byte flags = 0;  ///< TimeSpelling::flags
  Byte clock = 0;  ///< TimeSpelling::clock
  Byte fraction_digits = 0;
  char zone = 0;        ///< TimeSpelling::zone
  int offset = 0;       ///< minutes east of Greenwich
  bool is_even = true;  ///< numbers below 10 are written alike, and no zone is -00:00
};

/// Both return false where the text is something else.
bool scan_number(Bytes text, NumberText& number, Commas commas = Commas::kNone);
bool scan_time(Bytes text, TimeText& time);

/// is_null_word() for texts whose first bytes leave it open.
bool is_any_null_word(Bytes text, ColumnType type);
/// Whether the text stands for a missing value in a column of this type whose other values have it:
/// NA, N/A, NULL, None, `-`, `\N`, blanks and others that pandas knows; among bools, dates and
/// timestamps NaN, too.
inline bool is_null_word(Bytes text, ColumnType type) {
  // Nearly all values are told from their first bytes.
  const Byte first = text.empty() ? Byte{' '} : text[0];
  if (first >= '0' && first < 'N' && first != '<') return false;
  if (first == '-' && text.size() > 1 && text[1] < 'N') return false;
  return is_any_null_word(text, type);
}

/// The number in the way that print_value() has, as far as that exists: "+.50" becomes "0.50".
std::string plain_number(const NumberText& number);

/// Reads the fields of one column. Not for several threads.
class FieldReader {
 public:
  /// Keeps `column` by reference. Its `text` says whether month or day stands first where the year
  /// is last, its `spelling` what commas mean. `format`, kept by reference, reads dates and times
  /// before that.
  explicit FieldReader(const ColumnSchema& column, const TimeFormat* format = nullptr);

  /// Reads a field into `value` as parse_value() does, but in any spelling. spelling() is then what
  /// print_spelled() needs to give the text back: nothing where print_value() gives it, and the
  /// field kind alone where the text itself must be kept.
  bool read(Bytes text, Byte* value);
  /// Whether read() takes the text, which is cheaper to say for long numbers.
  bool accepts(Bytes text);
  std::string_view spelling() const { return {spelling_, spelling_bytes_}; }

 private:
  bool read_double(const NumberText& number, Bytes text, Byte* value);
  bool read_number(Bytes text, Byte* value);
  bool convert_number(NumberText& number, Byte* value);
  bool read_bool(Bytes text, Byte* value);
  bool convert_bool(std::string_view word, Byte* value);
  bool read_time(Bytes text, Byte* value);
  bool read_by_format(Bytes text, Byte* value);
  bool spell_usual();
  bool spell_field();
  template <class Spelling>
  bool spell(const Spelling& spelling, bool surely, Bytes text, const Byte* value);
  bool spell_number(const NumberText& number, std::string_view notations, bool surely, Bytes text,
                    const Byte* value);

  const ColumnSchema& column_;
  ParseValue parse_;
  Commas commas_;
  const TimeFormat* format_;
  char spelling_[16] = {};
  std::size_t spelling_bytes_ = 0;
};

/// FieldReader for a single field.
bool read_value(const ColumnSchema& column, Bytes text, Byte* value, std::string& spelling);

}  // namespace presso
