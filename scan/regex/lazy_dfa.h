// SPDX-License-Identifier: MIT
// The deterministic automaton, made while it reads: states that no text reaches cost nothing, and
// a table that outgrows its limit is emptied and filled again. A byte costs two loads once its
// states are known. Declines (kQuit) at looks that need characters where a neighbour is not ASCII,
// and once making states costs more than using them saves; other engines answer then. One thread's.
// Tested by tests/unit/scan/regex/lazy_dfa_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "presso/bytes.h"
#include "scan/automaton/determinizer.h"

namespace presso::scan_detail {

struct DfaAnswer {
  enum class Kind : Byte { kNone, kAt, kQuit };
  Kind kind = Kind::kNone;
  std::size_t at = 0;
};

class LazyDfa {
 public:
  static constexpr std::size_t kDefaultLimit = std::size_t{8} << 20;

  /// `spans_lines`: a match may hold '\n', also the text's last. With Texts::kStrings only whole
  /// strings are searched: find_end() from 0 to the end.
  LazyDfa(const Program& program, Determinizer::Mode mode, std::size_t limit_bytes = kDefaultLimit,
          bool spans_lines = false, Texts texts = Texts::kLines);

  /// Whether it shall decline everything once its table was filled for few bytes of text.
  void may_give_up(bool may) {
    may_give_up_ = may;
    gave_up_ = gave_up_ && may;
  }
  bool gave_up() const { return gave_up_; }

  /// Forward program. Where the preferred match that begins leftmost in [from, to] ends; with
  /// kExists, where reading it could stop. `text` goes on after `to` as looks see it; without
  /// spans_lines no match begins after a final '\n'.
  DfaAnswer find_end(Bytes text, std::size_t from, std::size_t to, bool anchored = false);
  /// Reversed program. Where the longest match that ends at `end` begins, at `from` or later.
  DfaAnswer find_begin(Bytes text, std::size_t from, std::size_t end);

 private:
  using Entry = std::uint32_t;
  /// Entries: the row's offset in table_, or one of these bits and what it says.
  static constexpr Entry kMatchBit = 1u << 31;
  static constexpr Entry kUnknown = 1u << 30;
  static constexpr Entry kDeadEntry = kUnknown + 1;
  static constexpr Entry kQuitEntry = kUnknown + 2;
  static constexpr Entry kYesEntry = kUnknown + 3;
  static constexpr Entry kSpecial = kMatchBit | kUnknown;

  /// A table entry that is used for fewer bytes than this costs more than other engines do.
  static constexpr std::size_t kBytesWorthAnEntry = 32;

  Entry start_entry(bool anchored, Neighbour before);
  Entry entry_of(Determinizer::State state);
  Entry make(Entry row, unsigned symbol, std::size_t read_in_call);
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
