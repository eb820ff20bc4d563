// SPDX-License-Identifier: MIT
// The bit-parallel engine for regular expressions: it steps a set of positions (bit_automaton.h),
// at some nanoseconds a byte for each 64 positions whatever the text, in bounded memory. It reads
// patterns for which the deterministic automaton would grow without end, and lines with looks that
// need characters, which that automaton declines. `a[ab]{30}b[ab]{20}a[ab]{9}$` in 33 MB takes 0.3
// s here and more than 60 with the DFA (scan/NOTES.md).
//
// Lines with a match are found by a pass forwards. In such a line a pass backwards says where
// matches begin and keeps, for every place, the positions that lead to a match. From the leftmost
// beginning the program is then followed in its order of preference through these positions only,
// so that it never has to turn back. Lines whose sets would take more than kMostKept bytes go to
// the NFA engine. Sources: L14. Each thread has its own. Tested by
// tests/unit/scan/regex/regex_engines_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "presso/bytes.h"
#include "presso/lines.h"
#include "scan/regex/bit_automaton.h"
#include "scan/regex/pike.h"

namespace presso::scan_detail {

/// Searches one text after another with an automaton that must outlive it.
class BitsetEngine {
 public:
  explicit BitsetEngine(const BitAutomaton& automaton);

  /// Begins a new text, which is kept by reference. Looks see all of it.
  void start(Bytes text);
  /// Where the first match ends, of all that begin at `from` or later and end at or before `to`.
  /// No match begins after a final '\n'.
  std::optional<std::size_t> first_end(std::size_t from, std::size_t to);
  /// The preferred match that begins leftmost in [from, to]. `to`: a line's end or the text's.
  std::optional<MatchSpan> find(std::size_t from, std::size_t to);

 private:
  static constexpr std::size_t kMostKept = std::size_t{16} << 20;

  /// first_end() for a fixed number of words, so that the sets stay in registers; 0: any number.
  template <std::size_t kWords>
  std::optional<std::size_t> first_end_in(std::size_t from, std::size_t to) const;
  /// Reads the line at hand backwards, once, and notes at which places a match may begin.
  template <std::size_t kWords>
  void read_backwards();
  /// Adds to `live` what can be reached over looks that hold at `at`.
  void follow_looks(BitWord* live, std::size_t at) const;
  void follow_looks_backwards(BitWord* live, std::size_t at) const;
  /// Which of the automaton's looks hold at the place.
  LookSet held_at(std::size_t at) const;
  /// Makes the line around `inside` the one at hand, if it is not yet.
  void take_line(std::size_t from, std::size_t inside, std::size_t to);
  /// The first place from `from` on in the line where a match begins.
  std::optional<std::size_t> begin_from(std::size_t from) const;
  /// The end of the leftmost match that begins there, by the pattern's order of preference.
  std::size_t end_of(std::size_t begin);
  /// The next instruction that reads a byte, from `from` on, without reading one; nullptr at a
  /// match.
  const Inst* next_reader(InstId from, std::size_t at);

  const BitAutomaton& automaton_;
  const Program& program_;
  PikeEngine nfa_;
  Bytes text_;

  // The line that was read backwards last.
  bool has_line_ = false;
  std::size_t line_begin_ = 0;
  std::size_t line_end_ = 0;
  std::vector<BitWord> begins_;  ///< a bit for each place
  std::vector<BitWord> kept_;    ///< a mirrored set for each place; empty: too long

  std::vector<InstId> stack_;
  std::vector<std::uint64_t> visited_;  ///< by instruction: the last generation_
  std::uint64_t generation_ = 0;
};

}  // namespace presso::scan_detail
