// SPDX-License-Identifier: MIT
// One thread's search for a regular expression. Candidates come from a prefilter if one helps;
// around them an automaton finds where a match ends, and a second one, reading backwards, where it
// begins. If an automaton declines, sets of states answer for the line: as bits, or else in the NFA
// engine. Tested by tests/unit/scan/regex/regex_engines_test.cpp.
#pragma once

#include <memory>

#include "scan/matching/matcher.h"
#include "scan/regex/regex_automata.h"

namespace presso::scan_detail {

/// Makes a searcher, which refers to `automata`.
std::unique_ptr<Searcher> make_regex_searcher(const RegexAutomata& automata, CpuLevel level);

}  // namespace presso::scan_detail
