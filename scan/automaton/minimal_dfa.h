// SPDX-License-Identifier: MIT
// Minimises an automaton: states that accept the same rest of a text become one (Hopcroft's
// partition refinement, 1971), and so do classes of bytes that no state tells apart. Costs
// O(classes x states x log states) time and three words an entry of the table while it runs. The
// result is in the order of states that dfa.h promises. Sources: L6. Tested by
// tests/unit/scan/automaton/line_dfa_test.cpp and lab/tests/string_dfa_test.cpp.
#pragma once

#include "scan/automaton/complete_dfa.h"
#include "scan/automaton/dfa.h"

namespace presso::scan_detail {

/// The minimal automaton of what `dfa` accepts. With Texts::kLines '\n' must have a class of its
/// own in `dfa`, and keeps it.
Dfa minimal_dfa(const CompleteDfa& dfa, Texts texts);

}  // namespace presso::scan_detail
