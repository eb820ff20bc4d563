// SPDX-License-Identifier: MIT
// Strings that every match must contain. By them prefilters skip places, the index skips blocks,
// and GPUs find lines that may match. They are a necessary condition only: text that holds them
// need not match.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace presso::scan_detail {

/// Every match contains at least one string of each clause. No clauses: nothing is known.
struct RequiredLiterals {
  struct Clause {
    std::vector<std::string> any_of;  ///< none empty
    /// ASCII letters stand for both cases; `any_of` is in lower case then. Other bytes stand for
    /// themselves.
    bool ignore_ascii_case = false;
  };
  std::vector<Clause> clauses;
};

/// Strings of which every matching line contains at least one.
struct LineLiterals {
  std::vector<std::string> any_of;  ///< not empty, and none of them is
  bool ignore_ascii_case = false;   ///< ASCII letters stand for both cases
  bool exact = false;               ///< every line that contains one matches
};

/// The strings of the clause whose shortest string is the longest, since long strings are rare.
/// Returns nullopt if there is no clause or one of its strings is empty.
std::optional<LineLiterals> line_literals_of(const RequiredLiterals& required);

}  // namespace presso::scan_detail
