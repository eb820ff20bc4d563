// SPDX-License-Identifier: MIT
// What every match of a pattern must contain or begin with, found by one walk over its tree before
// any text is seen. From this prefilters, the index of blocks and the windows of matches across
// lines are made. It may know less than is true, never more. Tested by
// tests/unit/scan/regex/regex_prefilter_test.cpp, which checks it with every match of random
// patterns.
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

  /// Whether there is some limit to what lies before or in a match.
  bool is_bounded() const { return bytes != kUnbounded || line_feeds != kUnbounded; }
};

/// The facts about a pattern. The clauses are in the order in which they stand in the pattern.
/// `first_is_prefix`: every match begins with a string of clauses[0].
struct PatternLiterals {
  RequiredLiterals required;
  bool first_is_prefix = false;
  /// For each clause, how much text of a match can stand before the clause's string.
  std::vector<Extent> before;
  Extent whole;  ///< how much text a match can take
};
/// What every match of `root` must contain. Takes time linear in the tree, times the limits on
/// strings in required.cpp.
PatternLiterals required_literals(const Node& root);

/// For each offset from the start of a match, which bytes can stand there. Has as many entries as
/// the shortest match has bytes, at most `most`.
std::vector<std::bitset<256>> leading_bytes(const Program& program, std::size_t most);

}  // namespace presso::scan_detail
