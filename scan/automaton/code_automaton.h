// SPDX-License-Identifier: MIT
// A set of code points as a small automaton over the bytes of their UTF-8 form, read forwards or
// backwards. The compiler (compiler.cpp) copies it into a program wherever a class such as \w or
// [^a] stands. States that accept the same rest are shared, so that \w takes some hundreds of
// states rather than some thousands.
//
// It knows valid UTF-8 only: surrogates and overlong forms are in no automaton, and bytes that are
// not UTF-8 match no class. Made once for each class of a pattern; not for searching by itself.
// Tested by tests/unit/scan/syntax/regex_class_test.cpp and regex_engines_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "scan/syntax/parser.h"

namespace presso::scan_detail {

/// States are numbered from the last byte to the first, so that an edge always leads to a state
/// that was made before it and copying needs one pass.
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
  std::vector<std::uint32_t> begins;  ///< start states: one; reversed, one for each encoded length
};

/// Makes the automaton of `ranges`, which must be ascending and disjoint; surrogates among them are
/// left out. With `reverse` it reads the last byte of a character first, for engines that search
/// for the beginning of a match.
CodeAutomaton make_code_automaton(const std::vector<CodeRange>& ranges, bool reverse);

}  // namespace presso::scan_detail
