// SPDX-License-Identifier: MIT
// One value as text and back, for every type except strings: by parsing, a loader finds out a
// column's type, and by printing, rows become text. A value has exactly one text and parsing
// accepts no other, so that a column whose every value was parsed prints back byte for byte:
//
//   bool                the word of the column's ValueText
//   integers            digits, '-' in front of negative ones; no '+', no leading zeros, no "-0"
//   decimals            `scale` digits after the point and at least one before it; no point at 0
//   double, float       the shortest digits that give the value again, as std::to_chars finds them:
//                       plain from 1e-4 to below 1e16 (float: 1e7), else with an exponent of at
//                       least two digits (1e+20); -0 is a value; nan, inf, -inf. With kPointReal
//                       whole numbers end in ".0"
//   date                ten characters in the pattern of the column's ValueText
//   timestamp           date, ' ' or 'T', time, the unit's digits (0, 3, 6, 9) after a point, 'Z'
//                       or nothing; kPlain is written as kSpaceTime; the zone is not written
//
// Dates outside the years 1 to 9999, which files can hold, are printed with longer or negative
// years and are never parsed. Decimals are parsed up to 18 (decimal64) and 38 digits (decimal128).
// A ValueText that does not belong to the type counts as kPlain.
//
// Cost: 6 to 10 ns a value, wider ones 15 to 20, doubles of all their digits 40 to 60.
// For a whole column, value_parser() and value_printer() move the choice by type out of the
// loop. Tested by tests/unit/format/columns/value_text_test.cpp and value_text_random_test.cpp.
#pragma once

#include <cstddef>

#include "presso/bytes.h"
#include "presso/table_schema.h"

namespace presso {

/// The most bytes that print_value() writes, including those after the text's end.
constexpr std::size_t kMaxValueText = 48;
/// The most digits after the point; a greater ColumnSchema::scale counts as this.
constexpr Byte kMaxScale = 38;

/// Writes the value (value_bytes(type) bytes; bool: one byte, 0 or 1) and returns true if
/// `text` is exactly what print_value() gives for it. If it returns false, `value` may have
/// been written to.
using ParseValue = bool (*)(const ColumnSchema& column, Bytes text, Byte* value);
/// Writes the text to `to`, which has room for kMaxValueText bytes, and returns its length.
using PrintValue = std::size_t (*)(const ColumnSchema& column, const Byte* value, char* to);

/// The functions for columns of this type, text, scale and unit. For strings they refuse every text
/// and print nothing.
ParseValue value_parser(const ColumnSchema& column);
PrintValue value_printer(const ColumnSchema& column);

/// value_parser() and value_printer() for a single value.
inline bool parse_value(const ColumnSchema& column, Bytes text, Byte* value) {
  return value_parser(column)(column, text, value);
}
inline std::size_t print_value(const ColumnSchema& column, const Byte* value, char* to) {
  return value_printer(column)(column, value, to);
}

}  // namespace presso
