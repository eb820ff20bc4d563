// SPDX-License-Identifier: MIT
// What every match of a tree must contain or begin with. Tested by
// tests/unit/regex_prefilter_test.cpp: every match of random patterns is asked for it.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "scan/regex/program.h"
#include "scan/regex/syntax.h"
#include "scan/required_literals.h"

namespace presso::scan_detail {

/// Clauses in the order in which they stand in the pattern; `first_is_prefix`: every match begins
/// with a string of clauses[0].
struct PatternLiterals {
  RequiredLiterals required;
  bool first_is_prefix = false;
};
PatternLiterals required_literals(const Node& root);

/// By offset from a match's begin: which bytes can stand there. As many as the shortest match has
/// bytes, at most `most`.
std::vector<std::bitset<256>> leading_bytes(const Program& program, std::size_t most);

}  // namespace presso::scan_detail
