// SPDX-License-Identifier: MIT
// A set of code points as a small automaton over the bytes of their UTF-8 form. States that accept
// the same rest are one state, so that \w takes some hundred of them and not some thousand.
// Tested by tests/unit/scan/syntax/regex_class_test.cpp and regex_engines_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "scan/syntax/parser.h"

namespace presso::scan_detail {

struct CodeAutomaton {
  static constexpr std::uint32_t kEnd = ~std::uint32_t{0};
  struct Edge {
    Byte low = 0;
    Byte high = 0;
    std::uint32_t to = kEnd;  ///< a state, or kEnd: the character is complete
    friend auto operator<=>(const Edge&, const Edge&) = default;
  };
  using State = std::vector<Edge>;

  std::vector<State> states;          ///< edges lead to earlier states only
  std::vector<std::uint32_t> begins;  ///< one forwards; backwards one for each length
};

/// `ranges` ascending and disjoint; surrogates are left out.
CodeAutomaton make_code_automaton(const std::vector<CodeRange>& ranges, bool reverse);

}  // namespace presso::scan_detail
