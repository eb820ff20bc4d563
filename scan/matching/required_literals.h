// SPDX-License-Identifier: MIT
// Strings that every match must contain: by them prefilters leave out places, and the index blocks.
#pragma once

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

}  // namespace presso::scan_detail
