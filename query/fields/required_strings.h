// SPDX-License-Identifier: MIT
// Which strings a line must hold for a condition on its fields to be true, so that other lines need
// not be read (LineCondition::required()). A set of strings is made for each part of the condition
// that must be true: of the text that a field must equal or contain, and of the field's name.
//
// JSON can spell any character as \uXXXX, so each set has "\u00" as well, with which all such
// spellings of ASCII characters begin; characters that have other spellings (quotes, backslashes,
// slashes, control characters) and those beyond ASCII are left out of the strings. Numbers have
// many spellings and give no strings but the field's name. What is not understood gives nothing,
// which is slower but never wrong. Tested by tests/unit/query/fields/field_condition_test.cpp,
// which compares with a search of all lines.
#pragma once

#include <string>
#include <vector>

#include "query/fields/field_types.h"

namespace presso::query {

/// The sets, those of values first, longer strings before shorter ones.
std::vector<std::vector<std::string>> required_strings(const TypedCondition& condition);

}  // namespace presso::query
