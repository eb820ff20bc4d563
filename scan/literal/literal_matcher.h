// SPDX-License-Identifier: MIT
// The search engine for patterns that are fixed strings (literals), also when one pattern stands
// for several strings. It is faster than any automaton and needs no table that grows with the
// square of the patterns. It does not ignore case for ASCII letters alone, and takes strings with
// line feeds only for searches across lines. Tested by
// tests/unit/scan/literal/scan_literal_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "presso/pattern.h"
#include "scan/matching/matcher.h"

namespace presso::scan_detail {

/// Checks one string of a pattern. Error kInvalidArgument: it holds a line end (a line feed, or a
/// NUL byte with null_data) although matches do not span lines, or case is ignored and it is not
/// UTF-8.
Status check_literal(const std::string& literal, const PatternOptions& options);

/// Makes a finder of the groups within a match; called once by each thread that needs one.
using MakeGroupFinder = std::function<std::unique_ptr<GroupFinder>()>;

/// Makes the matcher of fixed strings. `pattern_of` has, for each literal, the number of the
/// pattern that it comes from, ascending. `groups` makes finders for patterns with groups; it is
/// empty for patterns without. Errors are those of Pattern::compile_literals().
Result<std::shared_ptr<const Matcher>> make_literal_matcher(std::vector<std::string> literals,
                                                            std::vector<std::uint32_t> pattern_of,
                                                            const PatternOptions& options,
                                                            MakeGroupFinder groups = {});

}  // namespace presso::scan_detail
