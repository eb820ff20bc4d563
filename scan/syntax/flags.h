// SPDX-License-Identifier: MIT
// The letters of (?flags) and (?flags:...).
#pragma once

#include "scan/syntax/cursor.h"

namespace presso::scan_detail {

/// Reads the letters after the '?', up to the ':' or ')'. Returns `flags` as they change them.
/// `start` is the group's parenthesis.
Result<SyntaxOptions> parse_flags(Cursor& cursor, SyntaxOptions flags, std::size_t start);

}  // namespace presso::scan_detail
