// SPDX-License-Identifier: MIT
// The automaton over lines of many fixed strings, as Aho and Corasick make it: a state is the
// longest begin of a string that the text ends with. Not minimal but for its one matching state,
// and made in time proportional to its table. Catalogue S5.1, L7.
// Tested by tests/unit/scan/automaton/line_dfa_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scan/automaton/line_dfa.h"

namespace presso::scan_detail {

/// Accepts lines that hold any of `strings`, which hold no '\n'. nullopt where there are none, one
/// is empty, or there would be more than `max_states` (at most 65,535).
std::optional<LineDfa> line_dfa_of_strings(const std::vector<std::string>& strings,
                                           std::size_t max_states);

}  // namespace presso::scan_detail
