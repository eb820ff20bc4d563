// SPDX-License-Identifier: MIT
// Determinizer: a step follows the looks of the old state, moves its reading instructions over the
// byte, and looks the resulting list of instructions up among the known states.
#include "scan/automaton/determinizer.h"

#include <algorithm>
#include <utility>

namespace presso::scan_detail {
namespace {

constexpr LookSet kLineLooks = look_bit(Look::kLineStart) | look_bit(Look::kLineEnd);
constexpr LookSet kEdgeLooks = kLineLooks | look_bit(Look::kTextStart) | look_bit(Look::kTextEnd);

}  // namespace

Neighbour neighbour_of(Byte byte) {
  if (byte == '\n') return Neighbour::kEdge;
  if (byte >= 0x80) return Neighbour::kNonAscii;
  return is_word(byte) ? Neighbour::kWord : Neighbour::kOther;
}

Determinizer::Determinizer(const Program& program, Mode mode, Texts texts)
    : program_(program),
      mode_(mode),
      texts_(texts),
      representative_(program.classes),
      visited_(program.insts.size(), 0) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    representative_[program.class_of[byte]] = static_cast<Byte>(byte);
  }
  clear();
}

// The three special states have numbers but no instructions.
void Determinizer::clear() {
  states_.assign(kFirstReal, {});
  pool_.clear();
  ids_.clear();
  bytes_used_ = 0;
}

/// The neighbour as far as the program cares about it. Kinds that no look of the program asks for
/// are mapped to kOther, so that they do not multiply states.
Neighbour Determinizer::kept(Neighbour neighbour) const {
  const bool words = (program_.looks & kWordLooks) != 0;
  const bool edges = words || (program_.looks & kEdgeLooks) != 0;
  if (neighbour == Neighbour::kEdge) return edges ? neighbour : Neighbour::kOther;
  if (neighbour == Neighbour::kLineFeed) {
    return (program_.looks & kLineLooks) != 0 ? neighbour : Neighbour::kOther;
  }
  return words ? neighbour : Neighbour::kOther;
}

Neighbour Determinizer::read_neighbour(Byte byte) const {
  const bool plain_line_feed = texts_ == Texts::kStrings && byte == '\n';
  return plain_line_feed ? Neighbour::kLineFeed : neighbour_of(byte);
}

// No look is followed here: whether it holds depends on the first byte, which step() knows.
Determinizer::State Determinizer::start(bool anchored, Neighbour before) {
  list_.clear();
  ++generation_;
  resolving_ = false;
  const bool matched = append_closure(anchored ? program_.start : program_.unanchored);
  if (matched && mode_ == Mode::kExists) return kYes;
  return intern(kept(before), false);
}

// Two phases: the looks of the old state are followed now that the next byte is known (resolve),
// then every remaining reader moves over the byte. With kFirst the readers after one that leads to
// a match are dropped, since they are less preferred.
Determinizer::State Determinizer::step(State state, unsigned symbol) {
  if (state < kFirstReal) return state;
  const bool at_end = symbol == end_symbol();
  const Byte byte = at_end ? Byte{0} : representative_[symbol];
  const Neighbour after = at_end ? Neighbour::kEdge : read_neighbour(byte);
  const bool matched = resolve(states_[state], after);
  if (unknown_) return kQuit;
  if (matched && mode_ == Mode::kExists) return kYes;
  list_.clear();
  ++generation_;
  resolving_ = false;
  if (!at_end) {
    for (const InstId reader : readers_) {
      const Transition* const transition = program_.transition_on(program_.insts[reader], byte);
      if (transition == nullptr || !append_closure(transition->next)) continue;
      if (mode_ == Mode::kExists) return kYes;
      if (mode_ == Mode::kFirst) break;
    }
  }
  if (list_.empty() && !matched) return kDead;
  return intern(kept(after), matched);
}

/// Fills `readers_` with the instructions that read the next byte, in order of preference, and
/// returns whether a match ends here. Sets `unknown_` if a look could not be decided.
bool Determinizer::resolve(const Known& state, Neighbour after) {
  before_ = static_cast<Neighbour>(state.flags & 0xFF);
  after_ = after;
  unknown_ = false;
  resolving_ = true;
  list_.clear();
  ++generation_;
  bool matched = false;
  for (std::uint32_t i = 0; i < state.count && !(matched && mode_ != Mode::kLongest); ++i) {
    matched |= append_closure(pool_[state.first + i]);
    if (unknown_) return false;
  }
  readers_.clear();
  for (const InstId id : list_) {
    if (program_.insts[id].op == Inst::Op::kBytes) readers_.push_back(id);
  }
  return matched;
}

/// Appends to `list_` what is reached from `from` without reading. Returns true if that holds a
/// match, after which, in order of preference, nothing is appended unless all ends count. With
/// looks in the program and outside of resolve(), only `from` itself is appended.
bool Determinizer::append_closure(InstId from) {
  if (program_.looks != 0 && !resolving_) {
    if (std::exchange(visited_[from], generation_) != generation_) list_.push_back(from);
    return false;
  }
  bool matched = false;
  stack_.assign(1, from);
  while (!stack_.empty()) {
    const InstId id = stack_.back();
    stack_.pop_back();
    if (visited_[id] == generation_) continue;
    visited_[id] = generation_;
    matched |= visit(id);
    if (unknown_) return false;
    if (matched && mode_ != Mode::kLongest) return true;
  }
  return matched;
}

/// Handles one instruction of the closure: keeps it, or pushes what it leads to. Returns true for a
/// match.
bool Determinizer::visit(InstId id) {
  const Inst& inst = program_.insts[id];
  switch (inst.op) {
    case Inst::Op::kBytes:
      list_.push_back(id);
      return false;
    case Inst::Op::kMatch:
      list_.push_back(id);
      return true;
    case Inst::Op::kSave:
      stack_.push_back(inst.next);
      return false;
    case Inst::Op::kSplit: {
      const auto targets = program_.targets_of(inst);
      stack_.insert(stack_.end(), targets.rbegin(), targets.rend());
      return false;
    }
    case Inst::Op::kLook:
      break;
  }
  const Answer answer = holds(inst.look);
  if (answer == Answer::kUnknown) unknown_ = true;
  if (answer == Answer::kYes) stack_.push_back(inst.next);
  return false;
}

/// Whether a look holds between `before_` and `after_`. kUnknown where one side is not ASCII and
/// the look asks whether it is a word character.
Determinizer::Answer Determinizer::holds(Look look) const {
  const Neighbour left = program_.reversed ? after_ : before_;
  const Neighbour right = program_.reversed ? before_ : after_;
  const auto answer = [](bool yes) { return yes ? Answer::kYes : Answer::kNo; };
  const bool left_unknown = left == Neighbour::kNonAscii;
  const bool right_unknown = right == Neighbour::kNonAscii;
  const bool boundary = (left == Neighbour::kWord) != (right == Neighbour::kWord);
  switch (look) {
    case Look::kLineStart:
      return answer(left == Neighbour::kEdge || left == Neighbour::kLineFeed);
    case Look::kLineEnd:
      return answer(right == Neighbour::kEdge || right == Neighbour::kLineFeed);
    case Look::kTextStart:
      return answer(left == Neighbour::kEdge);
    case Look::kTextEnd:
      return answer(right == Neighbour::kEdge);
    case Look::kAsciiBoundary:
      return answer(boundary);
    case Look::kNotAsciiBoundary:
      return answer(!boundary);
    case Look::kWordStartHalf:
      return left_unknown ? Answer::kUnknown : answer(left != Neighbour::kWord);
    case Look::kWordEndHalf:
      return right_unknown ? Answer::kUnknown : answer(right != Neighbour::kWord);
    case Look::kWordBoundary:
    case Look::kNotWordBoundary:
      break;
  }
  if (left_unknown || right_unknown) return Answer::kUnknown;
  return answer(boundary == (look == Look::kWordBoundary));
}

/// The number of the state with the instructions of `list_`. Unless the order of instructions means
/// preference, they are sorted first, so that equal sets are one state.
Determinizer::State Determinizer::intern(Neighbour before, bool matched) {
  if (mode_ != Mode::kFirst) std::sort(list_.begin(), list_.end());
  const std::uint32_t flags = static_cast<std::uint32_t>(before) | (matched ? kMatched : 0);
  std::u32string key(1, static_cast<char32_t>(flags));
  key.append(list_.begin(), list_.end());
  const auto [place, is_new] = ids_.try_emplace(std::move(key), static_cast<State>(states_.size()));
  if (is_new) {
    states_.push_back({static_cast<std::uint32_t>(pool_.size()),
                       static_cast<std::uint32_t>(list_.size()), flags});
    pool_.insert(pool_.end(), list_.begin(), list_.end());
    bytes_used_ += 2 * sizeof(InstId) * list_.size() + sizeof(Known) + 64;
  }
  return place->second;
}

Determinizer::State Determinizer::restart_with(State state) {
  if (state < kFirstReal) {
    clear();
    return state;
  }
  const Known known = states_[state];
  list_.assign(pool_.begin() + known.first, pool_.begin() + known.first + known.count);
  clear();
  return intern(static_cast<Neighbour>(known.flags & 0xFF), (known.flags & kMatched) != 0);
}

}  // namespace presso::scan_detail
