// SPDX-License-Identifier: MIT
// The lower or upper case of a letter for which that is one code point: the simple mappings of
// UnicodeData.txt, and the capital sharp s. Any other code point is its own. SQL's lower() and
// upper() use it. Not for comparing text without regard to case, which unicode.h's fold() is for.
// Tested by tests/unit/scan/unicode/scan_unicode_test.cpp.
#pragma once

#include "scan/unicode/unicode.h"

namespace presso::scan_detail {

CodePoint lower_case(CodePoint code);
CodePoint upper_case(CodePoint code);

/// The letter that is left of a code point without its marks, by its canonical decomposition; 0 for
/// a mark itself.
CodePoint without_marks(CodePoint code);

}  // namespace presso::scan_detail
