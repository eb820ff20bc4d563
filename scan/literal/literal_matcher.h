// SPDX-License-Identifier: MIT
// The engine for fixed strings, where they come from patterns of which one may stand for several.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "presso/pattern.h"
#include "scan/matching/matcher.h"
#include "scan/syntax/tree.h"

namespace presso::scan_detail {

/// The error of a string that these options do not allow: a line feed (with null_data a NUL byte),
/// and with ignore_case what is not UTF-8.
Status check_literal(const std::string& literal, const PatternOptions& options);

/// `pattern_of`: by literal, the number of the pattern that it comes from, ascending. `groups`: for
/// patterns with groups, the tree that the literals come from, with the bounds that `options` ask
/// for; kEmpty for all others. Errors as of Pattern::compile_literals().
Result<std::shared_ptr<const Matcher>> make_literal_matcher(std::vector<std::string> literals,
                                                            std::vector<std::uint32_t> pattern_of,
                                                            const PatternOptions& options,
                                                            Node groups = {});

}  // namespace presso::scan_detail
