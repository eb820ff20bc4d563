// SPDX-License-Identifier: MIT
// Numbers the states of an automaton over strings so that kernels answer both of their questions by
// one comparison each. Whether a row matches: is its state within [first_matching, end_matching)?
// Whether it is decided, that is, whether no further byte changes the state: is it at least
// first_decided?
//
//   not matching | matching | sink | dead
//                 ^first_matching    ^end_matching; ^first_decided is the sink, or else the dead
//
// The sink matches and leads to itself (the pattern ended in %), the dead state does not match and
// leads to itself. Not every automaton has them. Host code. Tested by
// tests/unit/query/gpu/string_table_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "scan/automaton/dfa.h"

namespace presso::gpu {

/// The new numbers, and the borders between the four kinds of states, in new numbers.
struct StateOrder {
  std::vector<std::uint16_t> number;  ///< by the automaton's own number
  std::uint32_t start = 0;
  std::uint32_t first_matching = 0;
  std::uint32_t end_matching = 0;   ///< states from first_matching up to this one match
  std::uint32_t first_decided = 0;  ///< states from here on lead to themselves
};

/// `dfa` is over strings and has at most 65,536 states. States keep their order within each kind.
StateOrder order_states(const scan_detail::Dfa& dfa);

}  // namespace presso::gpu
