// SPDX-License-Identifier: MIT
// A deterministic automaton as one table, which a reader steps through at one look-up a byte. Over
// lines it serves the CPU's line counter and GPU kernels; over whole strings it serves conditions
// on columns. Sources: L6, L7 (a table indexed by state and byte, with matching states numbered
// last). Made by minimal_dfa.h, aho_corasick.h and line_dfa.h, whose tests cover it. Memory: 4
// bytes x states x classes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "presso/bytes.h"

namespace presso::scan_detail {

/// What an automaton is run over.
enum class Texts : Byte {
  kLines,    ///< '\n' ends a line, and any line begins in the start state
  kStrings,  ///< '\n' is a byte like others
};

/// Refers to a Dfa without owning it; trivially copyable, so that it can be handed to a kernel once
/// the tables are in device memory.
///
/// A text matches if the state after its last byte is at least `first_matching`. Over lines, every
/// state leads to `start` on '\n', and a line matches by the state before its '\n', or at the end
/// of a text without one. Two states that no byte leads out of (over lines, no byte except '\n')
/// are known: `sink`, which matches, and `dead`, which does not. Either is equal to `states` if
/// there is no such state.
struct DfaView {
  const std::uint32_t* next = nullptr;  ///< [state * classes + class_of[byte]]
  const Byte* class_of = nullptr;       ///< [256]
  std::uint32_t classes = 0;
  std::uint32_t states = 0;
  std::uint32_t start = 0;
  std::uint32_t first_matching = 0;
  std::uint32_t sink = 0;
  std::uint32_t dead = 0;

  std::uint32_t step(std::uint32_t state, Byte byte) const {
    return next[std::size_t{state} * classes + class_of[byte]];
  }
};

/// Owns the tables. States in this order: those that do not match, with `dead` as the last of them,
/// then those that do, with `sink` as the last. Bytes that no state tells apart share a class; over
/// lines '\n' has one of its own.
struct Dfa {
  std::vector<std::uint32_t> next;
  std::array<Byte, 256> class_of{};
  std::uint32_t classes = 0;
  std::uint32_t states = 0;
  std::uint32_t start = 0;
  std::uint32_t first_matching = 0;
  std::uint32_t sink = 0;
  std::uint32_t dead = 0;

  std::uint32_t step(std::uint32_t state, Byte byte) const {
    return next[std::size_t{state} * classes + class_of[byte]];
  }
  bool is_absorbing(std::uint32_t state) const { return state == sink || state == dead; }
  /// Whether a whole string matches.
  bool accepts(Bytes string) const {
    std::uint32_t state = start;
    for (const Byte byte : string) state = step(state, byte);
    return state >= first_matching;
  }
  DfaView view() const {
    return {next.data(), class_of.data(), classes, states, start, first_matching, sink, dead};
  }
};

/// An automaton over lines (Texts::kLines).
using LineDfa = Dfa;
using LineDfaView = DfaView;

}  // namespace presso::scan_detail
