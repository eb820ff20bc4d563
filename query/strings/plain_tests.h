// SPDX-License-Identifier: MIT
// Tests that need no automaton: comparison with one string, membership in a set, and LIKE whose
// only wildcard is `%`, that is, an equal beginning, an equal end, and literals in order between
// them. 1 to 3 ns a row. Tested by tests/unit/query/strings/string_test_test.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "query/strings/row_test.h"
#include "query/strings/string_test.h"

namespace presso::query {

/// `kind` is one of kEqual to kGreaterEqual.
std::unique_ptr<const RowTest> make_comparison(StringCondition::Kind kind, const std::string& text);
/// Whether a string is one of the set.
std::unique_ptr<const RowTest> make_set_test(std::vector<std::string> set);
/// Every string matches, or none.
std::unique_ptr<const RowTest> make_constant(bool answer);

/// Literals that follow one another with any bytes between them, before the first and after the
/// last, except that `front` stands at the beginning of the string and `back` at its end.
struct OrderedLiterals {
  std::string front;                ///< the string begins with it; may be empty
  std::vector<std::string> inside;  ///< in this order; none is empty
  std::string back;                 ///< it ends with it; may be empty
};
std::unique_ptr<const RowTest> make_ordered(const OrderedLiterals& literals);

}  // namespace presso::query
