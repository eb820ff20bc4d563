// SPDX-License-Identifier: MIT
// The engine for regular expressions: a prefilter finds lines that may match, automata made as they
// read find the end and then, backwards, the begin of matches in them, the NFA engine answers where
// those decline. Where lines are only counted and no prefilter helps, the minimal line automaton
// reads all of the text in several lanes.
// Tested by tests/unit/scan/regex/regex_engines_test.cpp and
// tests/differential/regex_oracle_test.cpp.
#pragma once

#include <memory>

#include "presso/pattern.h"
#include "scan/matching/matcher.h"
#include "scan/syntax/parser.h"

namespace presso::scan_detail {

/// `patterns`: of how many patterns `root` is the alternation; where there are looks around it, the
/// second child of three. `spans_lines`: as of Matcher. Errors: kInvalidArgument for a pattern that
/// is too large.
Result<std::shared_ptr<const Matcher>> make_regex_matcher(Node root, std::size_t patterns,
                                                          const PatternOptions& options,
                                                          bool spans_lines = false);

/// Finds the groups of matches of `root`, a tree whose literals are all exact, with the bounds that
/// `options` ask for around it. The program with groups has no limit of its own: a pattern that
/// could be searched for also has its groups.
std::unique_ptr<GroupFinder> make_group_finder(const Node& root, const PatternOptions& options);

}  // namespace presso::scan_detail
