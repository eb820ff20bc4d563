// SPDX-License-Identifier: MIT
// Determinises a program completely: the subset construction (Rabin and Scott, 1959) run until no
// new state is met. The lazy automaton of scan/regex makes states only as a text asks for them;
// whoever needs all of them (minimal_dfa.h, tables for kernels) uses this. Exponential in the worst
// case, hence a limit on states. Sources: L6. Tested by tests/unit/scan/automaton/line_dfa_test.cpp
// and lab/tests/string_dfa_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "scan/automaton/determinizer.h"

namespace presso::scan_detail {

/// A deterministic automaton with a successor for every state and class of bytes. State 0 is the
/// start, and every state can be reached from it. Not minimal, and its states are in no special
/// order.
struct CompleteDfa {
  std::array<Byte, 256> class_of{};
  std::uint32_t classes = 0;
  std::vector<std::uint32_t> next;  ///< [state * classes + class]
  std::vector<bool> accepts;        ///< [state]
};

/// Makes all states that a text can reach, numbered in the order in which they are met. Whether a
/// state accepts is decided at the end of the text, because looks such as `$` depend on it; with
/// Texts::kLines it is decided at '\n', and any line begins in state 0 again. Returns nullopt if
/// there are more than `most_states`, or if a look needs whole characters (Unicode's \b).
std::optional<CompleteDfa> construct_subsets(const Program& program, Texts texts,
                                             std::size_t most_states);

}  // namespace presso::scan_detail
