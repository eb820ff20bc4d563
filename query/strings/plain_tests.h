// SPDX-License-Identifier: MIT
// Tests that need no automaton: comparisons with one string, membership in a set, and LIKE whose
// only wildcard is `%`: an equal front, an equal end, literals in order between them.
// Tested by tests/unit/query/strings/string_test_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "query/strings/row_test.h"
#include "query/strings/string_test.h"

namespace presso::query {

/// `kind` is kEqual to kGreaterEqual.
std::unique_ptr<const RowTest> make_comparison(StringCondition::Kind kind, const std::string& text);
std::unique_ptr<const RowTest> make_set_test(std::vector<std::string> set);
/// Every string, or none.
std::unique_ptr<const RowTest> make_constant(bool answer);

/// Literals one behind another, any bytes between them. Any bytes before the first and behind the
/// last one, too, unless they are `front` and `back`.
struct OrderedLiterals {
  std::string front;                ///< the string begins with it; may be empty
  std::vector<std::string> inside;  ///< none empty
  std::string back;                 ///< it ends with it; may be empty
};
std::unique_ptr<const RowTest> make_ordered(const OrderedLiterals& literals);

}  // namespace presso::query
