// SPDX-License-Identifier: MIT
// Deterministic automata as a whole: the subset construction run to its end, and which of the
// states accept the same rest of a text (Hopcroft's partition refinement). Catalogue L6. Tested by
// tests/unit/scan/automaton/line_dfa_test.cpp and string_dfa_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scan/automaton/determinizer.h"

namespace presso::scan_detail {

/// Every state has a successor for every class of bytes. 0 is the start, and all states can be
/// reached from it.
struct CompleteDfa {
  std::uint32_t classes = 0;
  std::vector<std::uint32_t> next;  ///< [state * classes + class]
  std::vector<bool> accepts;        ///< [state]
};

/// All states that a text can reach, by number in the order in which they are met. Whether one
/// accepts is asked of the text's end, with Texts::kLines of the '\n', behind which any line begins
/// in state 0. nullopt: more than `most_states`, or a look that needs characters (Unicode's \b).
std::optional<CompleteDfa> construct_subsets(const Program& program, Determinizer::Texts texts,
                                             std::size_t most_states);

struct EquivalentStates {
  std::vector<std::uint32_t> block_of;  ///< [state]; equal for equivalent states
  std::size_t blocks = 0;
};

EquivalentStates find_equivalent_states(const CompleteDfa& dfa);

}  // namespace presso::scan_detail
