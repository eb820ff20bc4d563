// SPDX-License-Identifier: MIT
// The narrowest type that all values seen of a column have, and what must be remembered so that
// it can be widened later without seeing them again. The order of types:
//
//   bool                                                 string
//   int64 -> uint64 (none negative) -> decimal(38,0)  -> double -> string
//   decimal(18,s) -> decimal(38,s), one scale         -> double -> string
//   date, timestamp: one pattern and unit                string
//
// A value has a type if parse_value() takes it, which means that it prints back to its own
// text. To reach double from integers or decimals, *every* value so far must be a double's
// shortest text ("1.50" is none), and whole numbers all without a point (3) or all with one
// (3.0, as Python writes it); so this is tracked for each value until the first that is not. A
// date with days and months up to 12 only (01/02/2024) can be read in two ways, and both are
// tracked. Tested by tests/unit/compress/table/type_inference_test.cpp.
#pragma once

#include "presso/table_schema.h"

namespace presso {

/// Sets of the forms in which whole doubles can be written.
constexpr Byte kPlainDoubles = 1;  ///< 3
constexpr Byte kPointDoubles = 2;  ///< 3.0
constexpr Byte kAllDoubles = kPlainDoubles | kPointDoubles;

/// What is known of a column's type after some of its values.
struct TypeCandidate {
  ColumnSchema column;         ///< type, scale, precision, unit and text; nothing else
  bool seen = false;           ///< whether there was a value
  bool negatives = false;      ///< whether an integer was below 0
  Byte doubles = kAllDoubles;  ///< every value is the shortest text of a double, in these forms
  bool month_first = true;     ///< slash dates: MM/DD/YYYY is possible
  bool day_first = true;       ///< slash dates: DD/MM/YYYY is possible

  bool same_type(const TypeCandidate& other) const;
  bool is_slash_date() const;
  friend bool operator==(const TypeCandidate&, const TypeCandidate&) = default;
};

/// The candidate of a single value.
TypeCandidate candidate_of(Bytes value);
/// The candidate of all values of both.
TypeCandidate join(const TypeCandidate& a, const TypeCandidate& b);

/// The forms in which `value` is exactly a double's shortest text.
Byte double_forms(Bytes value);

}  // namespace presso
