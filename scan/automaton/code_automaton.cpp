// SPDX-License-Identifier: MIT
// UTF-8 is treated as a number with digits of six bits: the first byte of a character is its
// highest digit, each following byte the next lower one. Forwards, a set of ranges is cut by its
// highest digit and each part is handled by recursion on the remaining digits. Backwards, the
// lowest digit comes first, so that the recursion asks which numbers n have 64 n + digit in the
// set. Equal states are found in a map.

#include "scan/automaton/code_automaton.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace presso::scan_detail {
namespace {

using Ranges = std::vector<CodeRange>;
using Edge = CodeAutomaton::Edge;
using CodeState = CodeAutomaton::State;

/// Code points of one encoded length: a first byte and `tails` bytes of 6 bits each.
struct Length {
  CodePoint low;
  CodePoint high;
  Byte lead;
  unsigned tails;
};
constexpr Length kLengths[] = {{0, 0x7F, 0, 0},
                               {0x80, 0x7FF, 0xC0, 1},
                               {0x800, 0xFFFF, 0xE0, 2},
                               {0x10000, 0x10FFFF, 0xF0, 3}};
constexpr Byte kTail = 0x80;
constexpr unsigned kTailBits = 6;
constexpr CodePoint kTailValues = 1u << kTailBits;

/// Appends the part of `range` that lies in [low, high], if there is one.
void append_part(const CodeRange& range, CodePoint low, CodePoint high, Ranges& to) {
  const CodeRange part{std::max(range.low, low), std::min(range.high, high)};
  if (part.low <= part.high) to.push_back(part);
}

/// The part of `ranges` that this encoded length writes, without the surrogates U+D800 to U+DFFF.
Ranges encodable(const Ranges& ranges, const Length& length) {
  Ranges inside;
  for (const CodeRange& range : ranges) {
    append_part(range, length.low, std::min(length.high, CodePoint{0xD7FF}), inside);
    append_part(range, std::max(length.low, CodePoint{0xE000}), length.high, inside);
  }
  return inside;
}

/// Numbers that share the bits from `shift` on (those are in low .. high) and also the set of
/// allowed bits below, which is `rest`.
struct Group {
  CodePoint low;
  CodePoint high;
  Ranges rest;
};

/// Cuts ascending ranges by their highest digit: a range that covers all lower digits keeps several
/// values of the digit in one group, its ragged ends get groups of their own.
class Grouping {
 public:
  explicit Grouping(unsigned shift) : shift_(shift), mask_((CodePoint{1} << shift) - 1) {}

  void add(const CodeRange& range) {
    CodePoint first = range.low >> shift_;
    CodePoint last = range.high >> shift_;
    if (first == last) return add_part(first, range.low & mask_, range.high & mask_);
    if ((range.low & mask_) != 0) add_part(first++, range.low & mask_, mask_);
    const bool whole_end = (range.high & mask_) == mask_;
    if (!whole_end) --last;
    if (first <= last) groups_.push_back({first, last, {{0, mask_}}});
    if (!whole_end) add_part(last + 1, 0, range.high & mask_);
  }

  const std::vector<Group>& groups() const { return groups_; }

 private:
  void add_part(CodePoint value, CodePoint low, CodePoint high) {
    const bool same = !groups_.empty() && groups_.back().high == value;
    if (!same) groups_.push_back({value, value, {}});
    groups_.back().rest.push_back({low, high});
  }

  unsigned shift_;
  CodePoint mask_;
  std::vector<Group> groups_;
};

/// The numbers n for which 64 n + value is in `ranges`: what the higher digits may be when the
/// lowest one is `value`. Neighbours are joined.
Ranges above_value(const Ranges& ranges, CodePoint value) {
  Ranges above;
  for (const CodeRange& range : ranges) {
    if (range.high < value) continue;
    const CodePoint low =
        range.low <= value ? 0 : (range.low - value + kTailValues - 1) / kTailValues;
    const CodePoint high = (range.high - value) / kTailValues;
    if (low > high) continue;
    if (!above.empty() && above.back().high + 1 >= low) {
      above.back().high = high;
    } else {
      above.push_back({low, high});
    }
  }
  return above;
}

/// Makes one automaton and is used up by that. Equal states are made once (`ids_`), and equal sets
/// of digits are not even expanded twice when reading backwards (`digits_`).
class Builder {
 public:
  CodeAutomaton forwards(const Ranges& ranges) {
    CodeState first;
    for (const Length& length : kLengths) {
      add_digit(encodable(ranges, length), length.tails, length.lead, first);
    }
    made_.begins.push_back(state_of(std::move(first)));
    return std::move(made_);
  }

  CodeAutomaton backwards(const Ranges& ranges) {
    for (const Length& length : kLengths) {
      const Ranges own = encodable(ranges, length);
      if (!own.empty()) made_.begins.push_back(last_digit(own, length, length.tails));
    }
    return std::move(made_);
  }

 private:
  /// Edges on the highest of `tails` + 1 digits; `mark` is the byte's other bits.
  void add_digit(const Ranges& ranges, unsigned tails, Byte mark, CodeState& state) {
    Grouping grouping(kTailBits * tails);
    for (const CodeRange& range : ranges) grouping.add(range);
    for (const Group& group : grouping.groups()) {
      add_edge(mark, group.low, group.high, tails_of(group.rest, tails), state);
    }
  }

  /// The state that reads the `tails` bytes after a first byte, or kEnd when there are none.
  std::uint32_t tails_of(const Ranges& ranges, unsigned tails) {
    if (tails == 0) return CodeAutomaton::kEnd;
    CodeState state;
    add_digit(ranges, tails - 1, kTail, state);
    return state_of(std::move(state));
  }

  /// The state that reads the lowest digit of `ranges` first and the higher digits after it. The
  /// first byte of the character, with its length mark, comes last.
  std::uint32_t last_digit(const Ranges& ranges, const Length& length, unsigned tails) {
    const auto key = std::tuple(length.tails, tails, pairs_of(ranges));
    if (const auto known = digits_.find(key); known != digits_.end()) return known->second;
    CodeState state;
    if (tails == 0) {
      for (const CodeRange& range : ranges) {
        add_edge(length.lead, range.low, range.high, CodeAutomaton::kEnd, state);
      }
    }
    for (CodePoint value = 0; tails > 0 && value < kTailValues; ++value) {
      const Ranges above = above_value(ranges, value);
      if (above.empty()) continue;
      add_edge(kTail, value, value, last_digit(above, length, tails - 1), state);
    }
    const std::uint32_t id = state_of(std::move(state));
    digits_.emplace(key, id);
    return id;
  }

  static std::vector<std::pair<CodePoint, CodePoint>> pairs_of(const Ranges& ranges) {
    std::vector<std::pair<CodePoint, CodePoint>> pairs;
    for (const CodeRange& range : ranges) pairs.emplace_back(range.low, range.high);
    return pairs;
  }

  /// Adds an edge for the bytes mark | low to mark | high. Neighbouring bytes that lead to the same
  /// state become one edge, which relies on edges being added in ascending order.
  static void add_edge(Byte mark, CodePoint low, CodePoint high, std::uint32_t to,
                       CodeState& state) {
    const auto first = static_cast<Byte>(mark | low);
    const auto last = static_cast<Byte>(mark | high);
    if (!state.empty() && state.back().to == to && state.back().high + 1 == first) {
      state.back().high = last;
    } else {
      state.push_back({first, last, to});
    }
  }

  /// The number of an equal state that is already known, or of this one as a new state.
  std::uint32_t state_of(CodeState state) {
    const auto [place, is_new] =
        ids_.emplace(state, static_cast<std::uint32_t>(made_.states.size()));
    if (is_new) made_.states.push_back(std::move(state));
    return place->second;
  }

  CodeAutomaton made_;
  std::map<CodeState, std::uint32_t> ids_;
  std::map<std::tuple<unsigned, unsigned, std::vector<std::pair<CodePoint, CodePoint>>>,
           std::uint32_t>
      digits_;
};

}  // namespace

CodeAutomaton make_code_automaton(const std::vector<CodeRange>& ranges, bool reverse) {
  return reverse ? Builder().backwards(ranges) : Builder().forwards(ranges);
}

}  // namespace presso::scan_detail
