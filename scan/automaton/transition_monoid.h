// SPDX-License-Identifier: MIT
// What a piece of a line does to an automaton, whatever state it begins in, is a function from
// states to states; the functions of all pieces are the automaton's transition monoid. Where it is
// small, it can be made into an automaton whose states are functions (a simultaneous finite
// automaton: Sin'ya, Matsuzaki and Sassa, ICPP 2013). Then many lanes can run pieces of one long
// line side by side, each from the identity, at one look-up a byte, and functions are composed by a
// table.
//
// Automata that count have small monoids: modulo n there are n functions. Where there are more than
// kMostFunctions, or less than that already for an automaton with many states or classes, nothing
// is made and the GPU takes another way through long lines (scan/gpu/lines). This is host code
// without CUDA. Tested by tests/simt/scan_lines_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "scan/automaton/dfa.h"

namespace presso::gpu {

/// The tables of a monoid; function 0 is the identity. Entries are 16 bits wide, which
/// kMostFunctions ensures.
struct TransitionMonoid {
  std::uint32_t functions = 0;          ///< 0: there are too many
  std::vector<std::uint16_t> next;      ///< [function * classes + class]: and then that byte
  std::vector<std::uint16_t> values;    ///< [function * states + state]
  std::vector<std::uint16_t> products;  ///< [first * functions + second]
};

constexpr std::uint32_t kMostFunctions = 1000;

/// Makes the monoid over the bytes within lines; the entries of `next` for '\n' mean nothing. `dfa`
/// must keep its contract (dfa.h). Gives up in a few milliseconds where the monoid is large.
TransitionMonoid transition_monoid(const scan_detail::LineDfaView& dfa);

}  // namespace presso::gpu
