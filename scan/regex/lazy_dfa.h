// SPDX-License-Identifier: MIT
// The deterministic automaton that is made while it reads (a lazy DFA, as in RE2): states that no
// text reaches cost nothing, and a table that outgrows its limit (8 MiB) is emptied and filled
// again. A byte costs two loads once its states are known. It declines (kQuit) at looks such as
// Unicode's \b beside a character that is not ASCII, and once making states costs more than using
// them saves; the other engines answer then. Each thread has its own. Tested by
// tests/unit/scan/regex/lazy_dfa_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "presso/bytes.h"
#include "scan/automaton/determinizer.h"

namespace presso::scan_detail {

/// What a search found: nothing, a place, or that another engine has to answer.
struct DfaAnswer {
  enum class Kind : Byte { kNone, kAt, kQuit };
  Kind kind = Kind::kNone;
  std::size_t at = 0;
};

/// One automaton of one program, in one mode. The program must outlive it; texts may change from
/// call to call, and the table is kept between them.
class LazyDfa {
 public:
  static constexpr std::size_t kDefaultLimit = std::size_t{8} << 20;

  /// `spans_lines` means that a match may hold '\n', also the text's last one. With Texts::kStrings
  /// only whole strings are searched, by find_end() from 0 to the end.
  LazyDfa(const Program& program, Determinizer::Mode mode, std::size_t limit_bytes = kDefaultLimit,
          bool spans_lines = false, Texts texts = Texts::kLines);

  /// Whether it shall decline everything once its table has been filled for few bytes of text. Off,
  /// it goes on however slow it is.
  void may_give_up(bool may) {
    may_give_up_ = may;
    gave_up_ = gave_up_ && may;
  }
  /// True once it declines everything: its table was filled too often for few bytes of text.
  bool gave_up() const { return gave_up_; }

  /// For a forward program. Returns where the preferred match that begins leftmost in [from, to]
  /// ends; with kExists, where reading it could stop. Looks see the text after `to`; without
  /// spans_lines no match begins after a final '\n'.
  DfaAnswer find_end(Bytes text, std::size_t from, std::size_t to, bool anchored = false);
  /// For a reversed program. Returns where the longest match that ends at `end` begins, at `from`
  /// or later.
  DfaAnswer find_begin(Bytes text, std::size_t from, std::size_t end);

 private:
  using Entry = std::uint32_t;
  /// An entry of the table is the offset of the next state's row, or one of these bits with what it
  /// says.
  static constexpr Entry kMatchBit = 1u << 31;
  static constexpr Entry kUnknown = 1u << 30;
  static constexpr Entry kDeadEntry = kUnknown + 1;
  static constexpr Entry kQuitEntry = kUnknown + 2;
  static constexpr Entry kYesEntry = kUnknown + 3;
  static constexpr Entry kSpecial = kMatchBit | kUnknown;

  /// A table entry that is used for fewer bytes than this costs more than other engines do.
  static constexpr std::size_t kBytesWorthAnEntry = 32;

  /// The entry of the state that reading starts in, which depends on what stands before.
  Entry start_entry(bool anchored, Neighbour before);
  /// The entry for a state: its row, with the bits that tell what is special about it.
  Entry entry_of(Determinizer::State state);
  /// Makes the state that `symbol` leads to and fills its entry in. Drops all states first if the
  /// memory is full. `read_in_call`: how far this call has come, which decides whether to give up.
  Entry make(Entry row, unsigned symbol, std::size_t read_in_call);
  /// Drops all states but the one of `row`, and sets `row` to its new place.
  void restart(Entry& row);

  const Program& program_;
  Determinizer determinizer_;
  std::size_t limit_bytes_;
  bool spans_lines_;
  unsigned stride_;
  std::vector<Entry> table_;                   ///< stride_ entries a state
  std::vector<Determinizer::State> state_of_;  ///< by row
  std::vector<Entry> entries_;                 ///< by state
  /// By whether they are anchored and what is before; kUnknown: not made yet.
  std::array<Entry, kNeighbours> starts_[2] = {};

  bool may_give_up_ = false;
  bool gave_up_ = false;
  std::size_t made_ = 0;  ///< entries since the table was last emptied
  std::size_t read_ = 0;  ///< bytes read since then, by calls that have returned
};

}  // namespace presso::scan_detail
