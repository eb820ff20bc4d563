// SPDX-License-Identifier: MIT
// What parsing and printing of values share: where the parts of a date stand, the words of bools,
// the digits of time units. Tested through tests/unit/format/columns/value_text_test.cpp.
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
constexpr std::size_t kDateText = 10;
constexpr std::size_t kTimeText = 8;  ///< 23:59:59

constexpr DatePattern kYearFirst{0, 5, 8, 4, 7, '-'};

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

/// The two words of a bool in this form; both cases of a column must have the same form.
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
    default:
      return value ? "true" : "false";
  }
}

/// Digits only, or '-' and digits: the text of a real number with neither point nor exponent.
inline bool is_whole_text(Bytes text) {
  const std::size_t sign = !text.empty() && text[0] == '-' ? 1 : 0;
  return text.size() > sign &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(sign), text.end(),
                     [](Byte byte) { return byte >= '0' && byte <= '9'; });
}

constexpr char time_letter(ValueText text) {
  return text == ValueText::kLetterTime || text == ValueText::kLetterTimeZ ? 'T' : ' ';
}

/// The values of decimal128 columns.
using Int128 = __int128;
using Uint128 = unsigned __int128;

}  // namespace presso
