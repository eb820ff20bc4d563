// SPDX-License-Identifier: MIT
// Deterministic automata as a whole: the subset construction run to its end. Sources: L6. Tested
// by tests/unit/scan/automaton/line_dfa_test.cpp and lab/tests/string_dfa_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "scan/automaton/determinizer.h"

namespace presso::scan_detail {

/// Every state has a successor for every class of bytes. 0 is the start, and all states can be
/// reached from it.
struct CompleteDfa {
  std::array<Byte, 256> class_of{};
  std::uint32_t classes = 0;
  std::vector<std::uint32_t> next;  ///< [state * classes + class]
  std::vector<bool> accepts;        ///< [state]
};

/// All states that a text can reach, numbered in the order in which they are met. Whether a state
/// accepts depends on the end of the text; with Texts::kLines on '\n', after which any line begins
/// in state 0. nullopt: more than `most_states`, or a look that needs characters (Unicode's \b).
std::optional<CompleteDfa> construct_subsets(const Program& program, Texts texts,
                                             std::size_t most_states);

}  // namespace presso::scan_detail
