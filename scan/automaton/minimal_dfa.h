// SPDX-License-Identifier: MIT
// The minimal automaton: states that accept the same rest of a text become one (Hopcroft's
// partition refinement), and so do classes of bytes that no state tells apart. Sources: L6. Tested
// by tests/unit/scan/automaton/line_dfa_test.cpp and lab/tests/string_dfa_test.cpp.
#pragma once

#include "scan/automaton/complete_dfa.h"
#include "scan/automaton/dfa.h"

namespace presso::scan_detail {

/// The minimal automaton of what `dfa` accepts. With Texts::kLines '\n' must have a class of its
/// own in `dfa`, and keeps it.
Dfa minimal_dfa(const CompleteDfa& dfa, Texts texts);

}  // namespace presso::scan_detail
