// SPDX-License-Identifier: MIT
// Automata over lines: they say which lines hold a match at one table entry a byte, know nothing of
// where in the line it is, and are the same for CPU and GPU. This file is where all of them are
// made. They cost time and memory when a pattern is compiled, so limits apply and the caller must
// have another engine to fall back to. Sources: L6, L7. Tested by
// tests/unit/scan/automaton/line_dfa_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scan/automaton/dfa.h"
#include "scan/automaton/program.h"

namespace presso::scan_detail {

struct LineDfaLimits {
  std::size_t subset_states = 10'000;  ///< states at most before it is minimised
  std::size_t states = 65'535;         ///< states at most afterwards; not above 65,535
};

/// The minimal automaton of the lines in which `program` finds a match. Returns nullopt if a limit
/// is exceeded, or if a look needs whole characters (Unicode's \b). May take seconds near the
/// limits.
std::optional<LineDfa> make_line_dfa(const Program& program, const LineDfaLimits& limits = {});

/// Accepts lines that hold any of `strings`, which hold no '\n'. Not minimal, but made in time
/// proportional to its table, where subsets of thousands of strings would take too long. nullopt
/// where there are none, one is empty, or there would be more than `max_states` (at most 65,535).
std::optional<LineDfa> line_dfa_of_strings(const std::vector<std::string>& strings,
                                           std::size_t max_states);

}  // namespace presso::scan_detail
