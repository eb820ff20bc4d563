// SPDX-License-Identifier: MIT
// One thread's search for a regular expression. Candidates come from a prefilter where one helps;
// around them an automaton finds where a match ends, and a second one, backwards, where it begins.
// Where an automaton declines, sets of states (as bits, else the NFA engine) answer for the line.
// Tested by tests/unit/scan/regex/regex_engines_test.cpp.
#pragma once

#include <memory>

#include "scan/matching/matcher.h"
#include "scan/regex/regex_automata.h"

namespace presso::scan_detail {

/// Refers to `automata`.
std::unique_ptr<Searcher> make_regex_searcher(const RegexAutomata& automata, CpuLevel level);

}  // namespace presso::scan_detail
