// SPDX-License-Identifier: MIT
// The subset construction, one step at a time: states are sets of a program's instructions
// (program.h) and are made when they are asked for. The lazy automaton (scan/regex/lazy_dfa.h)
// caches them in a table and forgets them when memory is full; complete_dfa.h asks for all of them.
// Sources: L6.
//
// A state holds the instructions that its last byte led to, in order of preference. What is reached
// from there without reading may depend on looks, and looks depend on the next byte; therefore it
// is the step *from* a state that follows looks, and that step also says whether a match ended at
// the state. Programs without looks are followed at once, which makes fewer states.
//
// A step costs time in the number of live instructions; a state costs 8 bytes for each of its
// instructions and about 76 more. It declines what bytes cannot decide, with the state kQuit. One
// thread uses one object. Tested by tests/unit/scan/regex/regex_engines_test.cpp.
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

/// Makes states of one program, which it refers to and which must outlive it. A state's number
/// stays valid until restart_with().
class Determinizer {
 public:
  enum class Mode : Byte {
    kFirst,    ///< the preferred one of the leftmost matches; the rest is dropped
    kLongest,  ///< all ends of matches; the last one counts
    kExists,   ///< only whether there is a match: one state for "yes"
  };
  using State = std::uint32_t;
  static constexpr State kDead = 0;  ///< nothing can match any more
  static constexpr State kQuit = 1;  ///< a look needs characters, not bytes
  static constexpr State kYes = 2;   ///< with kExists
  static constexpr State kFirstReal = 3;

  /// With Texts::kStrings a '\n' ends no text: it is an edge for `^` and `$` only.
  Determinizer(const Program& program, Mode mode, Texts texts = Texts::kLines);

  /// The state before a text is read: at the program's start if the match is anchored, else at its
  /// unanchored start. `before` is the kind of the byte that stands before the first one read.
  State start(bool anchored, Neighbour before);
  /// The state after one more byte. `symbol` is a class of bytes, or end_symbol() for the end of
  /// the text. May return one of the special states, from which no step leads out.
  State step(State state, unsigned symbol);
  unsigned end_symbol() const { return program_.classes; }
  /// Whether a match ended where the step to this state began, that is before the byte just read.
  /// For the modes kFirst and kLongest.
  bool is_match(State state) const { return (states_[state].flags & kMatched) != 0; }

  std::size_t bytes_used() const { return bytes_used_; }
  /// Forgets all states except this one, to free memory, and returns its new number.
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

  // The members from here on are scratch space of one step; they are members only to keep their
  // memory.
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
