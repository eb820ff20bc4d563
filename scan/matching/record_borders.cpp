// SPDX-License-Identifier: MIT
// Implements record_borders.h.
#include "scan/matching/record_borders.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "scan/matching/line_scan.h"

namespace presso::scan_detail {

RecordBorders::RecordBorders(const Matcher& start, CpuLevel level)
    : kind_(Kind::kStart),
      automaton_(start.small_line_automaton()),
      forward_(start.searcher(level)),
      backward_(start.searcher(level)),
      near_lines_(automaton_ != nullptr ? kNearLines : 0) {}

void RecordBorders::start(Bytes text, std::uint64_t offset) {
  text_ = text;
  offset_ = offset;
  asked_ = known_ = 0;
  memo_ = {};
  if (forward_) forward_->start(text);
}

std::size_t RecordBorders::next(std::size_t from) {
  if (!kind_ || from >= text_.size()) return text_.size();
  if (asked_ <= from && from < known_) return known_;
  asked_ = from;
  for (std::size_t i = 0; i < near_lines_ && from < text_.size(); ++i) {
    const std::size_t end = line_end(text_, from);
    if (begins_record(from, end)) return known_ = from;
    from = end;
  }
  const bool searches = forward_ && from < text_.size();
  const std::optional<MatchSpan> match = searches ? forward_->next(from) : std::nullopt;
  known_ = match ? line_begin(text_, from, match->begin) : text_.size();
  return known_;
}

std::size_t RecordBorders::last(std::size_t floor, std::size_t end) {
  if (!kind_) return floor;
  for (std::size_t i = 0; i < near_lines_ && end > floor; ++i) {
    const std::size_t begin = line_begin(text_, floor, end - 1);
    if (begins_record(begin, end)) return begin;
    end = begin;
  }
  return backward_ ? last_by_pattern(floor, end) : floor;
}

/// Looks through one line, and then through stretches of lines that grow.
std::size_t RecordBorders::last_by_pattern(std::size_t floor, std::size_t end) {
  constexpr std::size_t kFirstStretch = 256;
  for (std::size_t stretch = 0; end > floor; stretch = std::max(4 * stretch, kFirstStretch)) {
    const std::size_t before = std::min(stretch, end - 1 - floor);
    const std::size_t begin = line_begin(text_, floor, end - 1 - before);
    const Bytes lines = text_.subspan(begin, end - begin);
    backward_->start(lines);
    std::optional<std::size_t> found;
    for (std::size_t at = 0; at < lines.size();) {
      const std::optional<MatchSpan> match = backward_->next(at);
      if (!match) break;
      found = line_begin(lines, at, match->begin);
      at = line_end(lines, match->end);
    }
    if (found) return begin + *found;
    end = begin;
  }
  return floor;
}

bool RecordBorders::begins_record(std::size_t begin, std::size_t end) {
  if (automaton_ != nullptr) {
    std::uint32_t state = automaton_->start;
    for (; begin < end && text_[begin] != '\n' && !automaton_->is_absorbing(state); ++begin) {
      state = automaton_->step(state, text_[begin]);
    }
    return state >= automaton_->first_matching;
  }
  if (kind_ != Kind::kTime) {
    const Byte first = text_[begin];
    const bool closes = kind_ == Kind::kJson && (first == '}' || first == ']');
    return first != ' ' && first != '\t' && !closes;
  }
  const TimeReader* const reader = times_(offset_ + begin);
  if (std::exchange(last_reader_, reader) != reader) memo_ = {};
  return reader != nullptr && reader->time_of(text_.subspan(begin, end - begin), memo_).has_value();
}

}  // namespace presso::scan_detail
