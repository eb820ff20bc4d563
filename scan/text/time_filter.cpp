// SPDX-License-Identifier: MIT
// TimeFilter: lines are walked backwards from where a time is needed, never twice.
#include "scan/text/time_filter.h"

#include <algorithm>
#include <utility>

namespace presso::scan_detail {

void TimeFilter::take_sample(Bytes text) {
  has_sample_ = true;
  const auto form = find_time_form(text, window_.hint);
  if (!form) return;
  Result<TimeReader> reader = TimeReader::make(*form, window_.latest);
  if (reader.ok()) by_sample_ = std::move(*reader);
}

bool TimeFilter::has_any() const {
  if (members_.empty()) return by_sample_.has_value();
  return std::any_of(members_.begin(), members_.end(),
                     [](const MemberTimes& member) { return member.reader.has_value(); });
}

/// nullptr where lines tell no time.
const TimeReader* TimeFilter::reader_at(std::uint64_t offset) const {
  const std::optional<TimeReader>* reader = &by_sample_;
  if (!members_.empty()) {
    const auto after = std::upper_bound(
        members_.begin(), members_.end(), offset,
        [](std::uint64_t at, const MemberTimes& member) { return at < member.plain_offset; });
    reader = &(after == members_.begin() ? after : after - 1)->reader;
  }
  return *reader ? &**reader : nullptr;
}

void TimeFilter::forget() {
  last_.reset();
  look_back_ = nullptr;
}

void TimeFilter::forget(LookBack look_back) {
  look_back_ = std::move(look_back);
}

std::optional<LineTime> TimeFilter::last_by(const TimeReader* reader, Bytes text) {
  for (std::size_t end = text.size(); reader != nullptr && end > 0;) {
    const std::size_t begin = line_begin(text, 0, end - 1);
    const auto time = reader->time_of(text.subspan(begin, end - begin));
    if (time) return LineTime{*time, reader->has_zone()};
    end = begin;
  }
  return std::nullopt;
}

std::optional<LineTime> TimeFilter::last_in(Bytes text, std::uint64_t offset) const {
  return last_by(reader_at(offset), text);
}

void TimeFilter::move_past(const TimeReader* reader, Bytes text) {
  const auto last = last_by(reader, text);
  if (!last) return;
  last_ = last;
  look_back_ = nullptr;
}

void TimeFilter::pass(Bytes text, std::uint64_t offset) {
  move_past(reader_at(offset), text);
}

bool TimeFilter::wants_line(const TimeReader* reader, Bytes text, FoundLine& line) {
  std::optional<std::int64_t> time;
  if (reader != nullptr) time = reader->time_of(text.subspan(line.begin, line.end - line.begin));
  if (time) {
    last_ = LineTime{*time, reader->has_zone()};
    look_back_ = nullptr;
  } else if (look_back_) {
    last_ = std::exchange(look_back_, nullptr)();
  }
  if (!last_) return false;
  line.time = last_->time;
  line.has_zone = last_->has_zone;
  const TimeWindow::Range& range = last_->has_zone ? window_.moments : window_.clocks;
  return line.time >= range.since && line.time < range.until;
}

void TimeFilter::keep_wanted(Bytes text, std::uint64_t offset, Findings& findings) {
  const TimeReader* const reader = reader_at(offset);
  std::size_t settled = 0;
  std::erase_if(findings.found, [&](FoundLine& line) {
    move_past(reader, text.subspan(settled, line.begin - settled));
    settled = line.end;
    return !wants_line(reader, text, line);
  });
  findings.lines = findings.found.size();
  move_past(reader, text.subspan(settled));
}

}  // namespace presso::scan_detail
