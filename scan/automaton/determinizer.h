// SPDX-License-Identifier: MIT
// The subset construction: states that are sets of a program's instructions, made when they are
// asked for. The lazy automaton keeps them in a table, the line automaton asks for all of them.
// Sources: L6.
//
// A state holds what its last byte led to, in order of preference. What is reached from there
// without reading may depend on looks and these on the next byte, so it is the step from a state
// that follows them, and that says whether a match ended at it. Programs without looks are followed
// at once, which makes fewer states.
// Tested by tests/unit/scan/regex/regex_engines_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "scan/automaton/dfa.h"
#include "scan/automaton/program.h"

namespace presso::scan_detail {

/// The kind of byte beside a place, as far as looks care.
enum class Neighbour : Byte {
  kEdge,  ///< the text's start or end; over lines '\n', too
  kWord,  ///< an ASCII word character
  kOther,
  kNonAscii,  ///< part of a longer character
  kLineFeed,  ///< '\n' over strings
};
constexpr std::size_t kNeighbours = 5;

Neighbour neighbour_of(Byte byte);

class Determinizer {
 public:
  enum class Mode : Byte {
    kFirst,    ///< of the matches that begin leftmost the preferred one; the rest is dropped
    kLongest,  ///< all ends, the last one counts
    kExists,   ///< whether there is a match: one state for "yes"
  };
  using State = std::uint32_t;
  static constexpr State kDead = 0;  ///< nothing can match any more
  static constexpr State kQuit = 1;  ///< a look needs characters, not bytes
  static constexpr State kYes = 2;   ///< with kExists
  static constexpr State kFirstReal = 3;

  /// With Texts::kStrings '\n' is an edge to kLineStart and kLineEnd only.
  Determinizer(const Program& program, Mode mode, Texts texts = Texts::kLines);

  /// `before`: the byte that was not read.
  State start(bool anchored, Neighbour before);
  /// `symbol`: a class of bytes, or end_symbol().
  State step(State state, unsigned symbol);
  unsigned end_symbol() const { return program_.classes; }
  /// With kFirst and kLongest: whether a match ended where the step to this state began.
  bool is_match(State state) const { return (states_[state].flags & kMatched) != 0; }

  std::size_t bytes_used() const { return bytes_used_; }
  /// Forgets all states but this one; returns its new number.
  State restart_with(State state);

 private:
  static constexpr std::uint32_t kMatched = 1u << 8;

  struct Known {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t flags = 0;  ///< a Neighbour, and kMatched
  };
  enum class Answer : Byte { kNo, kYes, kUnknown };

  void clear();
  Neighbour kept(Neighbour neighbour) const;
  Neighbour read_neighbour(Byte byte) const;
  bool append_closure(InstId from);
  bool resolve(const Known& state, Neighbour after);
  bool visit(InstId id);
  Answer holds(Look look) const;
  State intern(Neighbour before, bool matched);

  const Program& program_;
  Mode mode_;
  Texts texts_;
  std::vector<Byte> representative_;  ///< by class
  std::vector<Known> states_;
  std::vector<InstId> pool_;
  std::unordered_map<std::u32string, State> ids_;
  std::size_t bytes_used_ = 0;

  // Scratch of one step.
  std::vector<InstId> list_;
  std::vector<InstId> readers_;
  std::vector<InstId> stack_;
  std::vector<std::uint32_t> visited_;  ///< by instruction: the last generation_
  std::uint32_t generation_ = 0;
  bool resolving_ = false;
  bool unknown_ = false;
  Neighbour before_ = Neighbour::kOther;
  Neighbour after_ = Neighbour::kOther;
};

}  // namespace presso::scan_detail
