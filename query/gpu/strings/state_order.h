// SPDX-License-Identifier: MIT
// States of an automaton over strings as kernels number them, so that they ask by one comparison:
//
//   not matching | matching | sink | dead
//                 ^first_matching    ^end_matching; ^first_decided is the sink, or else the dead
//
// Host code. Tested by tests/unit/query/gpu/string_table_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "scan/automaton/dfa.h"

namespace presso::gpu {

struct StateOrder {
  std::vector<std::uint16_t> number;  ///< by the automaton's own
  std::uint32_t start = 0;
  std::uint32_t first_matching = 0;
  std::uint32_t end_matching = 0;   ///< all states from first_matching on match, up to this one
  std::uint32_t first_decided = 0;  ///< states from here on lead to themselves
};

/// `dfa`: of strings, with at most 65,536 states.
StateOrder order_states(const scan_detail::Dfa& dfa);

}  // namespace presso::gpu
