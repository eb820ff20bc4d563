// SPDX-License-Identifier: MIT
// The automaton of texts that hold any of several strings, as Aho and Corasick make it: a state is
// the longest prefix of a string that the text so far ends with, and one more state says that a
// string was found. All transitions are resolved: nothing falls back while reading. Not minimal,
// but made in time proportional to its table. Sources: S5.1, S5.15, L7.
// Tested by tests/unit/scan/automaton/line_dfa_test.cpp and lab/tests/substring_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "scan/automaton/dfa.h"

namespace presso::scan_detail {

/// Makes the automaton. Without strings it accepts nothing, with an empty one everything. Over
/// lines (Texts::kLines), strings must hold no '\n'. Returns nullopt if there would be more than
/// `most_states` states.
std::optional<Dfa> make_aho_corasick(std::span<const std::string> strings, Texts texts,
                                     std::size_t most_states);

}  // namespace presso::scan_detail
