// SPDX-License-Identifier: MIT
// Lists fixed strings in all their spellings, for engines that know the two cases of ASCII letters
// and nothing else of Unicode (the GPU's). With case ignored "sky" is also found as "\u017Fky" (the
// long s), as "s\u212Ay" (the Kelvin sign) and with both. Declines sets where a string has too many
// spellings; those are searched for by an automaton. Tested by
// tests/unit/scan/literal/literal_spellings_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "presso/pattern.h"
#include "scan/matching/required_literals.h"

namespace presso::scan_detail {

/// All spellings of all strings. Returns nullopt for no strings, an empty one, or one of more than
/// 64 spellings. `strings` are as given by the user, and must be UTF-8 where case is ignored.
std::optional<LineLiterals> all_spellings(const std::vector<std::string>& strings,
                                          const PatternOptions& options);

}  // namespace presso::scan_detail
