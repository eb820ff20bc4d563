// SPDX-License-Identifier: MIT
// Parses character classes in brackets, with their nesting and set operations, into sets of code
// points or bytes. Escapes within them are parsed by escapes.h, names by named_classes.h. Tested by
// tests/unit/scan/syntax/regex_class_test.cpp.
#pragma once

#include "scan/syntax/escapes.h"

namespace presso::scan_detail {

/// How deep groups, classes and repetitions may be nested; it keeps every recursion over a tree
/// shallow.
constexpr std::uint32_t kMaxNesting = 250;

/// Parses a class. The cursor is at the bracket, and after the closing one when it returns. `depth`
/// is how many groups and classes the class lies in. Without flags.unicode the set is one of bytes.
/// The set is already folded and negated, but may hold '\n' and surrogates.
Result<CodeSet> parse_class(Cursor& cursor, EscapeParser& escapes, const SyntaxOptions& flags,
                            std::uint32_t depth);

}  // namespace presso::scan_detail
