// SPDX-License-Identifier: MIT
// The narrowest type that all values seen of a column have, and what must be remembered so that
// it can be widened later without seeing them again. The order of types:
//
//   bool: one pair of words                               string
//   int64 -> uint64 (none negative) -> decimal(38,0)   -> double -> string
//   decimal(18,s) -> decimal(38,s), one scale          -> double -> string
//   date, timestamp: year first, or month or day first -> timestamp -> string
//
// A value has a type by what it means, in whichever way it is written (field_reader.h). Values that
// print_value() would write in the same way are *usual*; of the others it is remembered whether all
// have one spelling, which is then the column's. A date whose year is last can often be read in two
// ways (01/02/2024), and both are tracked. NaN alone is taken for a missing value beside words,
// dates and times. Tested by tests/unit/compress/table/type_inference_test.cpp.
#pragma once

#include <string>

#include "presso/table_schema.h"

namespace presso {

/// Sets of the forms in which whole doubles can be written.
constexpr Byte kPlainDoubles = 1;  ///< 3
constexpr Byte kPointDoubles = 2;  ///< 3.0
constexpr Byte kAllDoubles = kPlainDoubles | kPointDoubles;

/// What is known of a column's type after some of its values.
struct TypeCandidate {
  ColumnSchema column;         ///< type, scale, precision, unit, zone and text; nothing else
  bool seen = false;           ///< whether there was a value
  bool negatives = false;      ///< whether an integer was below 0
  bool only_nan = false;       ///< every value is NaN
  Byte doubles = kAllDoubles;  ///< every value is the shortest text of a double, in these forms
  Byte words = 0;              ///< bools: bit 0 false was seen, bit 1 true
  bool year_last = false;      ///< dates and times: 2/24/2003, not 2003-02-24
  bool month_first = true;     ///< where the year is last: month, day is possible
  bool day_first = true;       ///< where the year is last: day, month is possible
  bool year_first = false;     ///< the year may as well stand first: 24-01-05
  bool points = false;         ///< a number has a point
  bool commas = false;         ///< a number has a comma
  bool comma_groups = true;    ///< every comma can separate thousands
  bool comma_point = true;     ///< every comma can be a decimal one
  bool comma_wholes = false;   ///< all are integers if commas separate thousands
  bool usual = false;          ///< some value is written as print_value() writes it
  bool unusual = false;        ///< some value is not
  bool several = false;        ///< values that are not usual have several spellings
  std::string spelling;        ///< of the values that are not usual

  bool same_type(const TypeCandidate& other) const;
  /// Whether every value can be read in more than one order of year, month and day.
  bool is_ambiguous() const { return year_last && month_first + day_first + year_first > 1; }
  /// Whether of a pair of words only one has occurred, which is no evidence of truth values unless
  /// they are true and false.
  bool lacks_word() const;
  /// Whether values are written in several ways, so that the way of each must be stored.
  bool is_spelled() const;
  /// The column, with the spelling of all its values if they have the same. A pair of words of
  /// which one does not occur, unless they are true and false, and ambiguous dates are strings.
  /// `in_quotes`: the delimiter is a comma as well, so that numbers with one stand in quotes, as
  /// those with thousands do; else commas that can be read in two ways make strings, too.
  /// `decimal`: the decimal point if the caller has said it. Numbers that have the other one in
  /// another place than between thousands are strings then.
  ColumnSchema type(bool in_quotes = true, Byte decimal = 0) const;
  friend bool operator==(const TypeCandidate&, const TypeCandidate&) = default;
};

/// The candidate of a single value.
TypeCandidate candidate_of(Bytes value);
/// The candidate of all values of both.
TypeCandidate join(const TypeCandidate& a, const TypeCandidate& b);

/// The forms in which `value` is exactly a double's shortest text.
Byte double_forms(Bytes value);

}  // namespace presso
