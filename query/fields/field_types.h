// SPDX-License-Identifier: MIT
// Gives fields, which have no types, the types that a condition asks for. Each use of a field
// becomes a column of a type, named "##0", "##1" and so on; the result is an expression that the
// binder takes like any other. A field that is used in two ways becomes two columns.
//
//   compared with a number, in arithmetic       a double; a whole number of 128 bits beside a
//                                               literal that a double does not hold exactly
//   compared with text, LIKE, ILIKE, MATCHES    text
//   compared with a date or timestamp           TRY_CAST(text AS timestamptz)
//   an operand of AND, OR, NOT; with true       a truth value
//   two fields compared with each other         both as numbers where both are, else as text
//   the argument of a function                  the first type of these that the function takes:
//                                               text, number, timestamp, list or object, truth
//
// A word in double quotes is text where it stands to the right of a comparison, in the list of IN,
// as a bound of BETWEEN, as a pattern, and as a later argument of a function that does not choose
// among its arguments; elsewhere it names a field, as in SQL. Tested by
// tests/unit/query/fields/field_condition_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "presso/expression.h"
#include "query/compute/binder.h"
#include "query/fields/field_reader.h"

namespace presso::query {

/// The type as which a field is read. Values that are none of that type are null.
enum class FieldType : Byte {
  kText,    ///< any value; nested values and numbers as they are written
  kNumber,  ///< numbers, and text that is one, as doubles
  kWhole,   ///< the same in 128 bits, rounded down
  kTruth,   ///< true and false, also as text, and keys of logfmt without a value
  kNested,  ///< lists and objects, as JSON
};

/// A column: a field as one type.
struct TypedField {
  FieldPath path;
  FieldType type = FieldType::kText;
  std::string written;  ///< the field as the condition has it, for messages
};

/// A condition whose column "##i" is fields[i].
struct TypedCondition {
  Expression expression;
  std::vector<TypedField> fields;
  std::vector<std::string> warnings;  ///< what its author should know
};

/// The columns for a Binder, in the order of the fields.
std::vector<InputColumn> columns_of(const std::vector<TypedField>& fields);
/// The number of the field that a column stands for.
std::size_t field_number(const Expression& column);
/// The text with the fields' own names in place of the columns'.
std::string with_field_names(std::string text, const std::vector<TypedField>& fields);

/// Parses a condition and finds the types of its fields. Errors are kInvalidArgument with the place
/// in `text`.
Result<TypedCondition> typed_condition(std::string_view text);

}  // namespace presso::query
