// SPDX-License-Identifier: MIT
// Makes the minimal automaton over lines of a program: the whole subset construction, then
// Hopcroft's partition refinement. Catalogue L6. Tested by
// tests/unit/scan/automaton/line_dfa_test.cpp.
#pragma once

#include <optional>

#include "scan/automaton/line_dfa.h"
#include "scan/automaton/program.h"

namespace presso::scan_detail {

struct LineDfaLimits {
  std::size_t subset_states = 10'000;  ///< before minimising
  std::size_t states = 65'535;         ///< behind it
};

/// nullopt where limits are passed, or a look needs characters (Unicode's \b).
std::optional<LineDfa> make_line_dfa(const Program& program, const LineDfaLimits& limits = {});

}  // namespace presso::scan_detail
