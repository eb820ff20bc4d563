// SPDX-License-Identifier: MIT
// What every match of a tree must contain or begin with. Tested by
// tests/unit/scan/regex/regex_prefilter_test.cpp: every match of random patterns is asked for it.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "scan/automaton/program.h"
#include "scan/matching/required_literals.h"
#include "scan/syntax/parser.h"

namespace presso::scan_detail {

/// How much text something can take at most.
struct Extent {
  static constexpr std::size_t kUnbounded = ~std::size_t{0};

  std::size_t bytes = 0;
  std::size_t line_feeds = 0;

  bool is_bounded() const { return bytes != kUnbounded || line_feeds != kUnbounded; }
};

/// Clauses in the order in which they stand in the pattern; `first_is_prefix`: every match begins
/// with a string of clauses[0].
struct PatternLiterals {
  RequiredLiterals required;
  bool first_is_prefix = false;
  /// By clause: what a match has before the clause's string.
  std::vector<Extent> before;
  Extent whole;  ///< of a match
};
PatternLiterals required_literals(const Node& root);

/// By offset from the start of a match: which bytes can stand there. As many as the shortest match
/// has bytes, at most `most`.
std::vector<std::bitset<256>> leading_bytes(const Program& program, std::size_t most);

}  // namespace presso::scan_detail
