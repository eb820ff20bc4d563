// SPDX-License-Identifier: MIT
// The bit-parallel engine: steps a set of positions (bit_automaton.h), some nanoseconds a byte for
// each 64 of them whatever the text, in bounded memory. It reads what would blow the deterministic
// automaton up, and lines with looks that need characters, which that one declines.
//
// Lines with a match are found by a pass forwards. In such a line a pass backwards says where
// matches begin and keeps, for every place, the positions that lead to a match. From the leftmost
// begin the program is then followed in its order of preference through these only, so that it
// never turns back. Lines whose sets would take more than kMostKept bytes go to the NFA engine.
// Sources: L14. One thread's. Tested by tests/unit/scan/regex/regex_engines_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "presso/bytes.h"
#include "presso/lines.h"
#include "scan/regex/bit_automaton.h"
#include "scan/regex/pike.h"

namespace presso::scan_detail {

class BitsetEngine {
 public:
  explicit BitsetEngine(const BitAutomaton& automaton);

  /// A new text; kept by reference. Looks see all of it.
  void start(Bytes text);
  /// Where the first match ends, of all that begin at `from` or later and end at or before `to`.
  /// No match begins after a final '\n'.
  std::optional<std::size_t> first_end(std::size_t from, std::size_t to);
  /// The preferred match that begins leftmost in [from, to]. `to`: a line's end or the text's.
  std::optional<MatchSpan> find(std::size_t from, std::size_t to);

 private:
  static constexpr std::size_t kMostKept = std::size_t{16} << 20;

  template <std::size_t kWords>
  std::optional<std::size_t> first_end_in(std::size_t from, std::size_t to) const;
  template <std::size_t kWords>
  void read_backwards();
  void follow_looks(BitWord* live, std::size_t at) const;
  void follow_looks_backwards(BitWord* live, std::size_t at) const;
  LookSet held_at(std::size_t at) const;
  void take_line(std::size_t from, std::size_t inside, std::size_t to);
  std::optional<std::size_t> begin_from(std::size_t from) const;
  std::size_t end_of(std::size_t begin);
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
