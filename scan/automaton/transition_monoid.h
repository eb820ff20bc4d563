// SPDX-License-Identifier: MIT
// What a piece of a line does to an automaton, whatever state it begins in: a function from
// states to states. The functions of all pieces are the automaton's transition monoid. Where that
// is small, it is made into an automaton itself, whose states are functions (a simultaneous finite
// automaton: Sin'ya, Matsuzaki and Sassa, ICPP 2013). Thus many lanes can run pieces of one line
// side by side, each from the identity, at one look-up a byte, and functions are composed by a
// table.
//
// Automata that count have small ones: modulo n there are n functions. Host code, no CUDA.
// Test: tests/simt/scan_lines_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "scan/automaton/dfa.h"

namespace presso::gpu {

/// Function 0 is the identity.
struct TransitionMonoid {
  std::uint32_t functions = 0;          ///< 0: there are too many
  std::vector<std::uint16_t> next;      ///< [function * classes + class]: and then that byte
  std::vector<std::uint16_t> values;    ///< [function * states + state]
  std::vector<std::uint16_t> products;  ///< [first * functions + second]
};

constexpr std::uint32_t kMostFunctions = 1000;

/// Covers bytes within lines; the entries of `next` for '\n' mean nothing. `dfa` must keep its
/// contract (dfa.h). Gives up, in a few milliseconds, where the monoid is large.
TransitionMonoid transition_monoid(const scan_detail::LineDfaView& dfa);

}  // namespace presso::gpu
