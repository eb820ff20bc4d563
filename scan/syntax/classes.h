// SPDX-License-Identifier: MIT
// Character classes in brackets.
#pragma once

#include "scan/syntax/escapes.h"

namespace presso::scan_detail {

/// Groups, classes and repetitions within each other: keeps every recursion over a tree shallow.
constexpr std::uint32_t kMaxNesting = 250;

/// At the bracket; after the closing one when it returns. `depth` is how many groups and classes it
/// lies in. Without flags.unicode the set is one of bytes. The set is folded and negated already,
/// but may hold '\n' and surrogates.
Result<CodeSet> parse_class(Cursor& cursor, EscapeParser& escapes, const SyntaxOptions& flags,
                            std::uint32_t depth);

}  // namespace presso::scan_detail
