// SPDX-License-Identifier: MIT
// The engine for regular expressions. A prefilter finds lines that may match; automata made as they
// read find the end and then, backwards, the beginning of matches in them; bit sets and the NFA
// engine answer where those decline. If lines are only counted and no prefilter helps, the minimal
// line automaton reads all of the text in several lanes. Tested by
// tests/unit/scan/regex/regex_engines_test.cpp and, against RE2 and PCRE2, by
// tests/differential/regex_oracle_test.cpp.
#pragma once

#include <memory>

#include "presso/pattern.h"
#include "scan/matching/matcher.h"
#include "scan/syntax/parser.h"

namespace presso::scan_detail {

/// Makes the engine of `root`, which is the alternation of `patterns` patterns; if there are looks
/// around it, it is the second child of three. `spans_lines` is as in Matcher. Error
/// kInvalidArgument: the pattern is too large.
Result<std::shared_ptr<const Matcher>> make_regex_matcher(Node root, std::size_t patterns,
                                                          const PatternOptions& options,
                                                          bool spans_lines = false);

/// Makes the finder for groups of matches of `root`, a tree whose literals are all exact, with the
/// bounds that `options` ask for around it. The program with groups has no limit of its own, so
/// that a pattern that could be searched for also has its groups.
std::unique_ptr<GroupFinder> make_group_finder(const Node& root, const PatternOptions& options);

}  // namespace presso::scan_detail
