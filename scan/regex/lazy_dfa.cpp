// SPDX-License-Identifier: MIT
// LazyDfa: a table of entries for states and classes of bytes, filled in by a Determinizer when an
// entry is first needed.
#include "scan/regex/lazy_dfa.h"

#include <algorithm>

namespace presso::scan_detail {
namespace {

/// Adds the bytes that a call has read to the total when the call returns, by whichever way it
/// does.
struct Reading {
  ~Reading() { total += at > from ? at - from : from - at; }
  std::size_t& total;
  const std::size_t& at;
  std::size_t from;
};

}  // namespace

/// An empty table: states are made as texts lead to them. `limit_bytes`: how much they may take
/// before all are dropped and made anew.
LazyDfa::LazyDfa(const Program& program, Determinizer::Mode mode, std::size_t limit_bytes,
                 bool spans_lines, Texts texts)
    : program_(program),
      determinizer_(program, mode, texts),
      limit_bytes_(limit_bytes),
      spans_lines_(spans_lines || texts == Texts::kStrings),
      stride_(program.classes + 1) {
  for (auto& starts : starts_) starts.fill(kUnknown);
}

/// The entry for a start state, made at its first use.
LazyDfa::Entry LazyDfa::start_entry(bool anchored, Neighbour before) {
  Entry& known = starts_[anchored ? 1 : 0][static_cast<unsigned>(before)];
  if (known == kUnknown) known = entry_of(determinizer_.start(anchored, before));
  return known;
}

/// The entry that leads to a state; the state gets a row of unknown entries if it has none yet.
LazyDfa::Entry LazyDfa::entry_of(Determinizer::State state) {
  switch (state) {
    case Determinizer::kDead:
      return kDeadEntry;
    case Determinizer::kQuit:
      return kQuitEntry;
    case Determinizer::kYes:
      return kYesEntry;
    default:
      break;
  }
  if (state >= entries_.size()) entries_.resize(state + 1, kUnknown);
  Entry& entry = entries_[state];
  if (entry == kUnknown) {
    entry = static_cast<Entry>(table_.size());
    table_.resize(table_.size() + stride_, kUnknown);
    state_of_.push_back(state);
    if (determinizer_.is_match(state)) entry |= kMatchBit;
  }
  return entry;
}

/// Makes the entry that was missing. This may empty the table; `row` is then brought up to date.
/// Returns kQuitEntry if the automaton gives up.
LazyDfa::Entry LazyDfa::make(Entry row, unsigned symbol, std::size_t read_in_call) {
  if (table_.size() * sizeof(Entry) + determinizer_.bytes_used() > limit_bytes_) {
    gave_up_ = may_give_up_ && read_ + read_in_call < kBytesWorthAnEntry * made_;
    if (gave_up_) return kQuitEntry;
    restart(row);
  }
  ++made_;
  const Entry entry = entry_of(determinizer_.step(state_of_[row / stride_], symbol));
  table_[row + symbol] = entry;
  return entry;
}

/// Empties the table, keeping only the state of `row`.
void LazyDfa::restart(Entry& row) {
  const Determinizer::State kept = determinizer_.restart_with(state_of_[row / stride_]);
  table_.clear();
  state_of_.clear();
  entries_.clear();
  for (auto& starts : starts_) starts.fill(kUnknown);
  made_ = 0;
  read_ = 0;
  row = entry_of(kept) & ~kMatchBit;
}

/// Reads forward, a look-up a byte. `kSpecial` marks the entries that need more than that: states
/// not made yet, dead ends, and matches that end before the byte just read.
DfaAnswer LazyDfa::find_end(Bytes text, std::size_t from, std::size_t to, bool anchored) {
  using Kind = DfaAnswer::Kind;
  if (gave_up_) return {Kind::kQuit, from};
  DfaAnswer found;
  Entry row = start_entry(anchored, from == 0 ? Neighbour::kEdge : neighbour_of(text[from - 1]));
  if (row == kYesEntry) return {Kind::kAt, from};
  const Byte* const class_of = program_.class_of.data();
  std::size_t at = from;
  const Reading reading{read_, at, from};
  // The byte after `to` is read too: it tells whether a match ended at `to`.
  const std::size_t stop = std::min(to + 1, text.size());
  for (; at < stop; ++at) {
    const unsigned symbol = class_of[text[at]];
    Entry next = table_[row + symbol];
    if ((next & kSpecial) != 0) [[unlikely]] {
      if (next == kUnknown) next = make(row, symbol, at - from);
      if (next == kDeadEntry) return found;
      if (next == kQuitEntry) return {Kind::kQuit, at};
      if (next == kYesEntry) return {Kind::kAt, at};
      if ((next & kMatchBit) != 0) found = {Kind::kAt, at};
      next &= ~kMatchBit;
    }
    row = next;
  }
  const bool behind_last_line = !spans_lines_ && (text.empty() || text.back() == '\n');
  if (at < text.size() || to < text.size() || behind_last_line) return found;
  Entry last = table_[row + determinizer_.end_symbol()];
  if (last == kUnknown) last = make(row, determinizer_.end_symbol(), at - from);
  if (last == kQuitEntry) return {Kind::kQuit, at};
  if (last == kYesEntry || (last & kMatchBit) != 0) found = {Kind::kAt, at};
  return found;
}

/// Reads backwards from a match's end, with the reversed program; the last match state that is met
/// is the leftmost beginning.
DfaAnswer LazyDfa::find_begin(Bytes text, std::size_t from, std::size_t end) {
  using Kind = DfaAnswer::Kind;
  if (gave_up_) return {Kind::kQuit, end};
  DfaAnswer found;
  Entry row = start_entry(true, end == text.size() ? Neighbour::kEdge : neighbour_of(text[end]));
  std::size_t at = end;
  const Reading reading{read_, at, end};
  for (;;) {
    const unsigned symbol = at == 0 ? determinizer_.end_symbol() : program_.class_of[text[at - 1]];
    Entry next = table_[row + symbol];
    if (next == kUnknown) next = make(row, symbol, end - at);
    if (next == kDeadEntry) return found;
    if (next == kQuitEntry) return {Kind::kQuit, at};
    if ((next & kMatchBit) != 0) found = {Kind::kAt, at};
    if (at <= from) return found;
    row = next & ~kMatchBit;
    --at;
  }
}

}  // namespace presso::scan_detail
