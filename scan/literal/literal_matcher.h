// SPDX-License-Identifier: MIT
// The engine for fixed strings, where they come from patterns of which one may stand for several.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "presso/pattern.h"
#include "scan/matching/matcher.h"

namespace presso::scan_detail {

/// The error of a string that these options do not allow: a line feed (with null_data a NUL byte),
/// and with ignore_case what is not UTF-8.
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
