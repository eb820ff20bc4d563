// SPDX-License-Identifier: MIT
// Wraps an engine so that its matches count only in lines for which a LineCondition holds. Lines
// with a match are collected, up to 1,024 in advance, and tested together, because testing costs a
// fraction that way; the number grows from 16, so that a search that ends at its first line tests
// few in vain. Costs a second search of the lines that pass. Tested by
// tests/unit/scan/text/line_condition_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "presso/line_condition.h"
#include "scan/matching/matcher.h"

namespace presso::scan_detail {

/// Makes an engine that finds the matches of `inner` in lines for which the condition holds.
std::shared_ptr<const Matcher> make_conditional_matcher(
    std::shared_ptr<const Matcher> inner, std::shared_ptr<const LineCondition> condition);
/// Makes an engine whose matches are the whole lines (without line feed) for which the condition
/// holds. Each of `finders` finds all lines that may pass. For each text the one is used that finds
/// the fewest lines in a sample, and none if that is most of them; of these the first few are
/// tried.
std::shared_ptr<const Matcher> make_line_matcher(
    std::vector<std::shared_ptr<const Matcher>> finders,
    std::shared_ptr<const LineCondition> condition, bool crlf);

}  // namespace presso::scan_detail
