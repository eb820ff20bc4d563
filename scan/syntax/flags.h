// SPDX-License-Identifier: MIT
// Parses the letters of (?flags) and (?flags:...), which switch options on or off for the rest of a
// group. Tested by tests/unit/scan/syntax/regex_parser_test.cpp.
#pragma once

#include "scan/syntax/cursor.h"

namespace presso::scan_detail {

/// Reads the letters after the '?', up to the ':' or ')', and returns `flags` as the letters change
/// them. `start` is the offset of the group's parenthesis, for errors.
Result<SyntaxOptions> parse_flags(Cursor& cursor, SyntaxOptions flags, std::size_t start);

}  // namespace presso::scan_detail
