// SPDX-License-Identifier: MIT
// Conditions on lines: wraps an engine so that its matches count only in lines in which other
// patterns match (--and) or do not match (--not). The other patterns are asked only about lines
// with a match, so they cost little where the main pattern is rare. Tested by
// tests/unit/scan/text/scan_filter_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "scan/matching/matcher.h"

namespace presso::scan_detail {

using MatcherPointer = std::shared_ptr<const Matcher>;

/// Makes an engine that finds the matches of `inner` in lines in which each of `required` matches
/// and none of `forbidden` does. The matchers are shared.
MatcherPointer make_filtered_matcher(MatcherPointer inner, std::vector<MatcherPointer> required,
                                     std::vector<MatcherPointer> forbidden);

}  // namespace presso::scan_detail
