// SPDX-License-Identifier: MIT
// BitsetEngine: the loops over sets of positions, forwards and backwards, and the way through the
// program that the sets leave open.
#include "scan/regex/bitset_engine.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "scan/automaton/determinizer.h"
#include "scan/matching/line_scan.h"

namespace presso::scan_detail {
namespace {

/// Operations on sets of positions. Sets whose number of words is a template argument stay in
/// registers; with 0 the number is known only at run time.
template <std::size_t kWords>
struct Sets {
  static constexpr std::size_t kRoom = kWords == 0 ? BitAutomaton::kMostWords : kWords;

  explicit Sets(std::size_t count) : words(kWords == 0 ? count : kWords) {}

  void assign(BitWord* to, const BitWord* from) const {
    for (std::size_t i = 0; i < words; ++i) to[i] = from[i];
  }
  void add(BitWord* to, const BitWord* from) const {
    for (std::size_t i = 0; i < words; ++i) to[i] |= from[i];
  }
  void keep(BitWord* to, const BitWord* from) const {
    for (std::size_t i = 0; i < words; ++i) to[i] &= from[i];
  }
  bool holds(const BitWord* all, const BitWord* some) const {
    BitWord missing = 0;
    for (std::size_t i = 0; i < words; ++i) missing |= some[i] & ~all[i];
    return missing == 0;
  }
  bool meet(const BitWord* a, const BitWord* b) const {
    BitWord common = 0;
    for (std::size_t i = 0; i < words; ++i) common |= a[i] & b[i];
    return common != 0;
  }

  /// Adds to `to` the positions that those of `from` lead to.
  void move(const BitMoves& moves, const BitWord* from, BitWord* to) const {
    const BitWord* shift_from = moves.shift_from.data();
    for (const unsigned by : moves.shift_by) {
      BitWord carry = 0;
      for (std::size_t i = 0; i < words; ++i) {
        const BitWord here = from[i] & shift_from[i];
        to[i] |= here << by | carry;
        carry = here >> 1 >> (kBitsInWord - 1 - by);
      }
      shift_from += words;
    }
    if (meet(from, moves.others.data())) add_rows(moves, from, to);
  }

  /// Adds the rows of positions that no shift covers. The rows are gathered in an array of their
  /// own, so that `to` can stay in registers.
  void add_rows(const BitMoves& moves, const BitWord* from, BitWord* to) const {
    BitWord rows[kRoom];
    for (std::size_t i = 0; i < words; ++i) rows[i] = 0;
    for (std::size_t i = 0; i < words; ++i) {
      BitWord others = from[i] & moves.others[i];
      for (; others != 0; others &= others - 1) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(others));
        add(rows, moves.rows.data() + moves.row_of[i * kBitsInWord + bit]);
      }
    }
    add(to, rows);
  }

  std::size_t words;
};

/// Calls `of` with the number of words as a constant where that is one of a few.
template <class Of>
auto by_words(std::size_t words, Of of) {
  switch (words) {
    case 1:
      return of(std::integral_constant<std::size_t, 1>());
    case 2:
      return of(std::integral_constant<std::size_t, 2>());
    case 3:
      return of(std::integral_constant<std::size_t, 3>());
    case 4:
      return of(std::integral_constant<std::size_t, 4>());
    default:
      return of(std::integral_constant<std::size_t, 0>());
  }
}

}  // namespace

/// All references are to the automaton, which has to outlive the engine.
BitsetEngine::BitsetEngine(const BitAutomaton& automaton)
    : automaton_(automaton),
      program_(*automaton.program),
      nfa_(*automaton.program),
      visited_(automaton.program->insts.size(), 0) {}

/// Takes another text; what was known of the last line is forgotten.
void BitsetEngine::start(Bytes text) {
  text_ = text;
  has_line_ = false;
}

/// The least end of a match that begins at or after `from` and ends at or before `to`; for matches
/// within lines. No match begins after a final '\n'.
std::optional<std::size_t> BitsetEngine::first_end(std::size_t from, std::size_t to) {
  const bool behind_last_line = text_.empty() || text_.back() == '\n';
  if (from > to) return std::nullopt;
  if (from == text_.size() && behind_last_line) return std::nullopt;
  if (to == text_.size() && behind_last_line) --to;
  return by_words(automaton_.words, [&](auto words) { return first_end_in<words>(from, to); });
}

/// The forward pass: begins a match at every place, and returns at the first place at which the
/// match's position is live.
template <std::size_t kWords>
std::optional<std::size_t> BitsetEngine::first_end_in(std::size_t from, std::size_t to) const {
  const Sets<kWords> sets(automaton_.words);
  const Byte* const class_of = program_.class_of.data();
  BitWord live[Sets<kWords>::kRoom];
  BitWord read[Sets<kWords>::kRoom];
  sets.assign(live, automaton_.start.data());
  for (std::size_t at = from;; ++at) {
    if (sets.meet(live, automaton_.stops.data())) {
      // Copied, so that `live` itself can be in registers.
      BitWord seen[Sets<kWords>::kRoom];
      sets.assign(seen, live);
      follow_looks(seen, at);
      if (test_bit(seen, automaton_.match)) return at;
      sets.assign(live, seen);
    }
    if (at == to) return std::nullopt;
    sets.assign(read, live);
    sets.keep(read, automaton_.reads.data() + class_of[text_[at]] * sets.words);
    sets.assign(live, automaton_.start.data());
    sets.move(automaton_.forward, read, live);
  }
}

/// The answers for a line are kept, so that further matches of the same line need no second pass.
std::optional<MatchSpan> BitsetEngine::find(std::size_t from, std::size_t to) {
  const bool known = has_line_ && from >= line_begin_ && from <= line_end_;
  if (!known) {
    const std::optional<std::size_t> end = first_end(from, to);
    if (!end) return std::nullopt;
    take_line(from, *end, to);
    from = line_begin_;
  }
  const std::optional<std::size_t> begin = begin_from(from);
  if (begin) {
    if (kept_.empty()) return nfa_.find(text_, *begin, line_end_, true);
    return MatchSpan{*begin, end_of(*begin)};
  }
  if (line_end_ >= to) return std::nullopt;
  has_line_ = false;
  return find(line_end_ + 1, to);
}

/// Reads backwards the line in which the place `inside` lies, as far as it is in [from, to].
void BitsetEngine::take_line(std::size_t from, std::size_t inside, std::size_t to) {
  line_begin_ = line_begin(text_, from, inside);
  const std::size_t next = line_end(text_, inside);
  const bool finished = next > inside && text_[next - 1] == '\n';
  line_end_ = std::min(finished ? next - 1 : next, to);
  const std::size_t places = line_end_ - line_begin_ + 1;
  begins_.assign(places / kBitsInWord + 1, 0);
  const std::size_t kept = places * automaton_.words;
  kept_.resize(kept * sizeof(BitWord) > kMostKept ? 0 : kept);
  by_words(automaton_.words, [&](auto words) { read_backwards<words>(); });
  has_line_ = true;
}

/// The backward pass over the line: notes where matches begin and, unless the line is too long,
/// keeps the live set of every place.
template <std::size_t kWords>
void BitsetEngine::read_backwards() {
  const Sets<kWords> sets(automaton_.words);
  const bool has_looks = !automaton_.look_positions.empty();
  const std::size_t match = automaton_.mirrored(automaton_.match);
  BitWord live[Sets<kWords>::kRoom] = {};
  BitWord read[Sets<kWords>::kRoom];
  for (std::size_t at = line_end_;; --at) {
    set_bit(live, match);
    if (has_looks) follow_looks_backwards(live, at);
    const std::size_t place = at - line_begin_;
    if (!kept_.empty()) sets.assign(kept_.data() + place * sets.words, live);
    if (sets.meet(live, automaton_.start_backward.data())) set_bit(begins_.data(), place);
    if (at == line_begin_) return;
    sets.assign(read, live);
    for (std::size_t i = 0; i < sets.words; ++i) live[i] = 0;
    sets.move(automaton_.backward, read, live);
    sets.keep(live,
              automaton_.reads_backward.data() + program_.class_of[text_[at - 1]] * sets.words);
  }
}

/// The looks of the program that hold before text_[at].
LookSet BitsetEngine::held_at(std::size_t at) const {
  LookSet held = 0;
  for (LookSet left = program_.looks; left != 0; left &= left - 1) {
    const auto look = static_cast<Look>(std::countr_zero(left));
    if (look_holds(look, text_, at)) held |= look_bit(look);
  }
  return held;
}

/// Adds what follows the looks that hold at `at`. A look may lead to another look, so it is
/// repeated until nothing is added.
void BitsetEngine::follow_looks(BitWord* live, std::size_t at) const {
  const LookSet held = held_at(at);
  if (held == 0) return;
  const Sets<0> sets(automaton_.words);
  for (bool again = true; again;) {
    again = false;
    for (const BitAutomaton::LookPosition& look : automaton_.look_positions) {
      const bool follows = (held & look_bit(look.look)) != 0 && test_bit(live, look.bit);
      if (!follows || sets.holds(live, look.after.data())) continue;
      sets.add(live, look.after.data());
      again = true;
    }
  }
}

/// The mirror of follow_looks(): makes a look live if it holds here and something that follows it
/// is live.
void BitsetEngine::follow_looks_backwards(BitWord* live, std::size_t at) const {
  const LookSet held = held_at(at);
  if (held == 0) return;
  const Sets<0> sets(automaton_.words);
  for (bool again = true; again;) {
    again = false;
    for (const BitAutomaton::LookPosition& look : automaton_.look_positions) {
      const std::size_t bit = automaton_.mirrored(look.bit);
      const bool may = (held & look_bit(look.look)) != 0 && !test_bit(live, bit);
      if (!may || !sets.meet(live, look.after_backward.data())) continue;
      set_bit(live, bit);
      again = true;
    }
  }
}

/// The first place at `from` or later at which a match begins, from the bits of the line.
std::optional<std::size_t> BitsetEngine::begin_from(std::size_t from) const {
  std::size_t place = from - line_begin_;
  for (std::size_t i = place / kBitsInWord; i < begins_.size(); ++i) {
    const BitWord left =
        i == place / kBitsInWord ? ~BitWord{0} << (place % kBitsInWord) : ~BitWord{0};
    const BitWord word = begins_[i] & left;
    if (word != 0) {
      return line_begin_ + i * kBitsInWord + static_cast<std::size_t>(std::countr_zero(word));
    }
  }
  return std::nullopt;
}

/// Where the preferred match among those that begin at `begin` ends. There must be one.
std::size_t BitsetEngine::end_of(std::size_t begin) {
  InstId from = program_.start;
  std::size_t at = begin;
  for (;; ++at) {
    const Inst* const reader = next_reader(from, at);
    if (reader == nullptr) return at;
    from = program_.transition_on(*reader, text_[at])->next;
  }
}

/// The first reading instruction, in order of preference, that leads to a match from here, or
/// nullptr if the match ends here.
const Inst* BitsetEngine::next_reader(InstId from, std::size_t at) {
  const BitWord* const leads = kept_.data() + (at - line_begin_) * automaton_.words;
  ++generation_;
  stack_.assign(1, from);
  while (!stack_.empty()) {
    const InstId id = stack_.back();
    stack_.pop_back();
    if (std::exchange(visited_[id], generation_) == generation_) continue;
    const Inst& inst = program_.insts[id];
    if (inst.op == Inst::Op::kMatch) return nullptr;
    if (inst.op == Inst::Op::kSplit) {
      const auto targets = program_.targets_of(inst);
      stack_.insert(stack_.end(), targets.rbegin(), targets.rend());
    } else if (inst.op == Inst::Op::kSave ||
               (inst.op == Inst::Op::kLook && look_holds(inst.look, text_, at))) {
      stack_.push_back(inst.next);
    } else if (inst.op == Inst::Op::kBytes && at < line_end_) {
      const Transition* const taken = program_.transition_on(inst, text_[at]);
      if (taken == nullptr) continue;
      const auto number = static_cast<std::size_t>(taken - program_.transitions.data());
      if (test_bit(leads, automaton_.mirrored(automaton_.position_of[number]))) return &inst;
    }
  }
  return nullptr;
}

}  // namespace presso::scan_detail
