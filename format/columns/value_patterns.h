// SPDX-License-Identifier: MIT
// What parsing and printing of values share: where the parts of a date stand, the words of bools,
// the letter between date and time, and which texts of real numbers look like integers. Tested
// through tests/unit/format/columns/value_text_test.cpp.
#pragma once

#include <algorithm>
#include <string_view>

#include "format/columns/value_text.h"

namespace presso {

/// Where the parts of a date stand within its ten characters.
struct DatePattern {
  Byte year;
  Byte month;
  Byte day;
  Byte mark1;
  Byte mark2;
  char mark;
};
constexpr std::size_t kDateText = 10;  ///< characters of a date
constexpr std::size_t kTimeText = 8;   ///< characters of a time of day, such as 23:59:59

constexpr DatePattern kYearFirst{0, 5, 8, 4, 7, '-'};

/// The pattern of a date in this form; that of kPlain for forms that are none of dates.
constexpr DatePattern date_pattern(ValueText text) {
  switch (text) {
    case ValueText::kSlashDate:
      return {0, 5, 8, 4, 7, '/'};
    case ValueText::kDayDotDate:
      return {6, 3, 0, 2, 5, '.'};
    case ValueText::kMonthSlashDate:
      return {6, 0, 3, 2, 5, '/'};
    case ValueText::kDaySlashDate:
      return {6, 3, 0, 2, 5, '/'};
    default:
      return kYearFirst;
  }
}

/// The word for `value` in this spelling. A column is of bools only if all its values, true and
/// false ones, are in one spelling.
constexpr std::string_view bool_word(ValueText text, bool value) {
  switch (text) {
    case ValueText::kCapitalBool:
      return value ? "True" : "False";
    case ValueText::kUpperBool:
      return value ? "TRUE" : "FALSE";
    case ValueText::kLetterBool:
      return value ? "t" : "f";
    case ValueText::kYesBool:
      return value ? "yes" : "no";
    case ValueText::kUpperLetterBool:
      return value ? "T" : "F";
    case ValueText::kCapitalYesBool:
      return value ? "Yes" : "No";
    case ValueText::kUpperYesBool:
      return value ? "YES" : "NO";
    case ValueText::kShortYesBool:
      return value ? "y" : "n";
    case ValueText::kUpperShortYesBool:
      return value ? "Y" : "N";
    default:
      return value ? "true" : "false";
  }
}

/// The pair of words, in lower case, of which `text` is one spelling.
constexpr ValueText bool_family(ValueText text) {
  switch (text) {
    case ValueText::kLetterBool:
    case ValueText::kUpperLetterBool:
      return ValueText::kLetterBool;
    case ValueText::kYesBool:
    case ValueText::kCapitalYesBool:
    case ValueText::kUpperYesBool:
      return ValueText::kYesBool;
    case ValueText::kShortYesBool:
    case ValueText::kUpperShortYesBool:
      return ValueText::kShortYesBool;
    default:
      return ValueText::kPlain;
  }
}

/// Whether a text consists of digits, with or without '-' before them: such is the text of a real
/// number that has neither point nor exponent.
inline bool is_whole_text(Bytes text) {
  const std::size_t sign = !text.empty() && text[0] == '-' ? 1 : 0;
  return text.size() > sign &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(sign), text.end(),
                     [](Byte byte) { return byte >= '0' && byte <= '9'; });
}

/// What stands between date and time of a timestamp: 'T' or a space.
constexpr char time_letter(ValueText text) {
  return text == ValueText::kLetterTime || text == ValueText::kLetterTimeZ ? 'T' : ' ';
}

/// The type of values of decimal128 columns, and the unsigned type of its size.
using Int128 = __int128;
using Uint128 = unsigned __int128;

}  // namespace presso
