// SPDX-License-Identifier: MIT
// LineCounter: rows of the automaton as offsets, and a loop over up to eight lanes.
#include "scan/regex/line_counter.h"

#include <algorithm>

#include "scan/matching/line_scan.h"

namespace presso::scan_detail {
namespace {

constexpr std::size_t kSmallestLane = 512;

}  // namespace

/// Copies the table with offsets in place of states. A '\n' after a matching line leads to a copy
/// of the start state, so that counting is a comparison of the state and needs no look at the text.
LineCounter::LineCounter(const LineDfa& dfa)
    : start_(dfa.start * dfa.classes),
      start_behind_match_(dfa.states * dfa.classes),
      first_matching_(dfa.first_matching * dfa.classes) {
  std::copy(dfa.class_of.begin(), dfa.class_of.end(), class_of_.begin());
  const unsigned newline = class_of_['\n'];
  for (std::uint32_t state = 0; state <= dfa.states; ++state) {
    const std::uint32_t as = state < dfa.states ? state : dfa.start;
    for (unsigned symbol = 0; symbol < dfa.classes; ++symbol) {
      const bool counts = symbol == newline && as >= dfa.first_matching;
      const std::uint32_t to = dfa.next[as * dfa.classes + symbol];
      next_.push_back(counts ? start_behind_match_ : to * dfa.classes);
    }
  }
}

/// Cuts the text at line ends into lanes of about the same size, the longest first; short texts get
/// fewer lanes.
std::vector<LineCounter::Lane> LineCounter::cut(Bytes text) const {
  std::vector<Lane> lanes;
  const std::size_t wanted = std::clamp<std::size_t>(text.size() / kSmallestLane, 1, kLanes);
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= wanted && begin < text.size(); ++i) {
    const std::size_t goal = std::max(begin + 1, text.size() / wanted * i);
    const std::size_t end = i == wanted ? text.size() : line_end(text, goal - 1);
    lanes.push_back({text.data() + begin, text.data() + end, start_});
    begin = end;
  }
  std::sort(lanes.begin(), lanes.end(),
            [](const Lane& a, const Lane& b) { return a.end - a.at > b.end - b.at; });
  return lanes;
}

/// Counts the matching lines of the text, in up to eight lanes: pieces that begin at line starts
/// are read side by side, so that the look-ups of one lane do not wait for those of another.
std::size_t LineCounter::count(Bytes text) const {
  std::vector<Lane> lanes = cut(text);
  std::size_t found = 0;
  for (std::size_t live = lanes.size(); live > 0; --live) {
    // The shortest lane that is left ends the round.
    const auto bytes = static_cast<std::size_t>(lanes[live - 1].end - lanes[live - 1].at);
    switch (live) {
      case 8:
        found += advance<8>(lanes.data(), bytes);
        break;
      case 7:
        found += advance<7>(lanes.data(), bytes);
        break;
      case 6:
        found += advance<6>(lanes.data(), bytes);
        break;
      case 5:
        found += advance<5>(lanes.data(), bytes);
        break;
      case 4:
        found += advance<4>(lanes.data(), bytes);
        break;
      case 3:
        found += advance<3>(lanes.data(), bytes);
        break;
      case 2:
        found += advance<2>(lanes.data(), bytes);
        break;
      default:
        found += advance<1>(lanes.data(), bytes);
        break;
    }
    const Lane& done = lanes[live - 1];
    const bool unfinished = done.end > text.data() && done.end[-1] != '\n';
    if (unfinished && done.row >= first_matching_ && done.row != start_behind_match_) ++found;
  }
  return found;
}

/// Reads `bytes` of each of the first kCount lanes in step; returns how many matching lines ended
/// there.
template <std::size_t kCount>
std::size_t LineCounter::advance(Lane* lanes, std::size_t bytes) const {
  const Byte* at[kCount];
  Row row[kCount];
  std::size_t found[kCount] = {};
  for (std::size_t i = 0; i < kCount; ++i) {
    at[i] = lanes[i].at;
    row[i] = lanes[i].row;
  }
  const Row* const next = next_.data();
  const Byte* const class_of = class_of_.data();
  for (std::size_t step = 0; step < bytes; ++step) {
    for (std::size_t i = 0; i < kCount; ++i) {
      row[i] = next[row[i] + class_of[at[i][step]]];
      found[i] += row[i] == start_behind_match_;
    }
  }
  std::size_t total = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    lanes[i].at += bytes;
    lanes[i].row = row[i];
    total += found[i];
  }
  return total;
}

}  // namespace presso::scan_detail
