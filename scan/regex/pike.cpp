// SPDX-License-Identifier: MIT
// Looks by decoding characters, and PikeEngine: sets of threads that step over the text together.
#include "scan/regex/pike.h"

#include <algorithm>
#include <utility>

namespace presso::scan_detail {
namespace {

bool is_ascii_word(Bytes text, std::size_t at) {
  return at < text.size() && text[at] < 0x80 && is_word(text[at]);
}
/// What stands on one side of a place. Bytes that are not UTF-8, and so a broken part of a
/// character, are neither a word character nor another one.
enum class Side { kWord, kNoWord, kInvalid };

Side side_of(const Decoded& beside) {
  if (beside.bytes == 0) return Side::kInvalid;
  return is_word(beside.code) ? Side::kWord : Side::kNoWord;
}
Side before(Bytes text, std::size_t at) {
  if (at == 0) return Side::kNoWord;
  return side_of(decode_last(text.data(), text.data() + at));
}
Side after(Bytes text, std::size_t at) {
  if (at == text.size()) return Side::kNoWord;
  return side_of(decode(text.data() + at, text.data() + text.size()));
}
/// Whether a word character stands on exactly one side of the place.
bool is_boundary(Bytes text, std::size_t at) {
  return (before(text, at) == Side::kWord) != (after(text, at) == Side::kWord);
}

}  // namespace

/// Whether the look holds at the place, by reading the characters around it. Bytes that are not
/// UTF-8 are no word character, so \b may hold beside them; \B, and a half of a boundary that looks
/// at them, does not.
bool look_holds(Look look, Bytes text, std::size_t at) {
  switch (look) {
    case Look::kLineStart:
    case Look::kTextStart:
      return at == 0 || text[at - 1] == '\n';
    case Look::kLineEnd:
    case Look::kTextEnd:
      return at == text.size() || text[at] == '\n';
    case Look::kAsciiBoundary:
    case Look::kNotAsciiBoundary: {
      const bool boundary = (at > 0 && is_ascii_word(text, at - 1)) != is_ascii_word(text, at);
      return boundary == (look == Look::kAsciiBoundary);
    }
    case Look::kWordBoundary:
      return is_boundary(text, at);
    case Look::kNotWordBoundary:
      return before(text, at) != Side::kInvalid && before(text, at) == after(text, at);
    case Look::kWordStartHalf:
      return before(text, at) == Side::kNoWord;
    case Look::kWordEndHalf:
      return after(text, at) == Side::kNoWord;
  }
  return false;
}

/// Makes room for two slots, those of the match itself, even if the program notes none.
PikeEngine::PikeEngine(const Program& program, Texts texts)
    : program_(program), texts_(texts), slots_(std::max<std::size_t>(program.slots, 2)) {
  for (Threads* threads : {&now_, &then_}) threads->mark.assign(program.insts.size(), 0);
  current_.assign(slots_, kNowhere);
}

/// Simulates the NFA (Thompson 1968, Pike's VM) in the order of preference, so the first thread to
/// match wins. Time: O(bytes x instructions).
std::optional<MatchSpan> PikeEngine::find(Bytes text, std::size_t from, std::size_t to,
                                          bool anchored) {
  best_.clear();
  now_.clear();
  const bool behind_last_line = texts_ == Texts::kLines && (text.empty() || text.back() == '\n');
  for (std::size_t at = from; at <= to; ++at) {
    const bool leftmost = best_.empty() && (at == from || !anchored);
    const bool may_begin = leftmost && !(at == text.size() && behind_last_line);
    if (may_begin) {
      std::fill(current_.begin(), current_.end(), kNowhere);
      current_[0] = at;
      add(now_, program_.start, text, at);
    }
    if (now_.order.empty() && !may_begin) break;
    then_.clear();
    step(text, at, at < to);
    std::swap(now_, then_);
  }
  if (best_.empty()) return std::nullopt;
  return MatchSpan{best_[0], best_[1]};
}

/// Moves every thread over text[at]. Threads after one that matches are dropped, since they are
/// less preferred.
void PikeEngine::step(Bytes text, std::size_t at, bool may_read) {
  for (std::size_t i = 0; i < now_.order.size(); ++i) {
    const Inst& inst = program_.insts[now_.order[i]];
    const std::size_t* const slots = now_.slots.data() + i * slots_;
    if (inst.op == Inst::Op::kMatch) {
      best_.assign(slots, slots + slots_);
      best_[1] = at;
      pattern_ = inst.first;
      return;
    }
    if (!may_read) continue;
    const Transition* const transition = program_.transition_on(inst, text[at]);
    if (transition == nullptr) continue;
    current_.assign(slots, slots + slots_);
    add(then_, transition->next, text, at + 1);
  }
}

/// A string begins and ends once, whatever lines it has.
bool PikeEngine::holds(Look look, Bytes text, std::size_t at) const {
  if (texts_ == Texts::kString && look == Look::kTextStart) return at == 0;
  if (texts_ == Texts::kString && look == Look::kTextEnd) return at == text.size();
  return look_holds(look, text, at);
}

/// Adds the instructions that are reached from `start` at `at` without reading, with `current_` as
/// their captures. An explicit stack replaces recursion, so deep patterns cannot overflow the
/// thread's stack.
void PikeEngine::add(Threads& threads, InstId start, Bytes text, std::size_t at) {
  stack_.assign(1, Frame{.id = start});
  while (!stack_.empty()) {
    const Frame frame = stack_.back();
    stack_.pop_back();
    if (frame.restore) {
      current_[frame.slot] = frame.value;
    } else if (threads.mark[frame.id] != threads.generation) {
      threads.mark[frame.id] = threads.generation;
      follow(threads, frame.id, text, at);
    }
  }
}

/// Handles one instruction: keeps it if it reads or matches, otherwise pushes what it leads to, the
/// preferred one last.
void PikeEngine::follow(Threads& threads, InstId id, Bytes text, std::size_t at) {
  const Inst& inst = program_.insts[id];
  switch (inst.op) {
    case Inst::Op::kBytes:
    case Inst::Op::kMatch:
      threads.slots.resize(threads.order.size() * slots_);
      threads.slots.insert(threads.slots.end(), current_.begin(), current_.end());
      threads.order.push_back(id);
      break;
    case Inst::Op::kSplit: {
      const auto targets = program_.targets_of(inst);
      for (auto target = targets.rbegin(); target != targets.rend(); ++target) {
        stack_.push_back({.id = *target});
      }
      break;
    }
    case Inst::Op::kLook:
      if (holds(inst.look, text, at)) stack_.push_back({.id = inst.next});
      break;
    case Inst::Op::kSave:
      stack_.push_back({.restore = true, .slot = inst.first, .value = current_[inst.first]});
      current_[inst.first] = at;
      stack_.push_back({.id = inst.next});
      break;
  }
}

}  // namespace presso::scan_detail
