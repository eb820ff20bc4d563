// SPDX-License-Identifier: MIT
// TimeFilter: lines are walked backwards from where a time is needed, never twice.
#include "scan/text/time_filter.h"

#include <algorithm>
#include <utility>

namespace presso::scan_detail {

std::vector<MemberTimes> times_by_sample(Bytes text, const TimeWindow& window) {
  std::vector<MemberTimes> times(1);
  const auto form = find_time_form(text, window.hint);
  if (!form) return times;
  Result<TimeReader> reader = TimeReader::make(*form, window.latest);
  if (reader.ok()) times.front().reader = std::move(*reader);
  return times;
}

void TimeFilter::take_sample(Bytes text) {
  has_sample_ = true;
  by_sample_ = times_by_sample(text, window_);
  members_ = by_sample_;
}

void TimeFilter::forget() {
  last_.reset();
  look_back_ = nullptr;
}

void TimeFilter::forget(LookBack look_back) {
  look_back_ = std::move(look_back);
}

std::optional<LineTime> TimeFilter::time_of(Bytes line, std::uint64_t offset) const {
  const TimeReader* const reader = time_reader_at(members_, offset);
  if (reader == nullptr) return std::nullopt;
  const auto time = reader->time_of(line);
  if (!time) return std::nullopt;
  return LineTime{*time, reader->has_zone()};
}

std::optional<LineTime> TimeFilter::last_in(Bytes text, std::uint64_t offset) const {
  for (std::size_t end = text.size(); end > 0;) {
    const std::size_t begin = line_begin(text, 0, end - 1);
    if (auto time = time_of(text.subspan(begin, end - begin), offset + begin)) return time;
    end = begin;
  }
  return std::nullopt;
}

std::optional<LineTime> TimeFilter::first_in(Bytes record, std::uint64_t offset) const {
  for (std::size_t begin = 0, end = 0; begin < record.size(); begin = end) {
    end = line_end(record, begin);
    if (auto time = time_of(record.subspan(begin, end - begin), offset + begin)) return time;
  }
  return std::nullopt;
}

void TimeFilter::pass(Bytes text, std::uint64_t offset) {
  const auto last = last_in(text, offset);
  if (!last) return;
  last_ = last;
  look_back_ = nullptr;
}

bool TimeFilter::wants_line(Bytes text, std::uint64_t offset, FoundLine& line) {
  const Bytes found = text.subspan(line.begin, line.end - line.begin);
  const auto time =
      of_records_ ? first_in(found, offset + line.begin) : time_of(found, offset + line.begin);
  if (time) {
    last_ = time;
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
  std::size_t settled = 0;
  const auto pass_to = [&](std::size_t end) {
    pass(text.subspan(settled, end - settled), offset + settled);
    settled = end;
  };
  std::erase_if(findings.found, [&](FoundLine& line) {
    pass_to(line.begin);
    const bool wanted = wants_line(text, offset, line);
    // The last time in a record may be another than its own.
    if (of_records_) {
      pass_to(line.end);
    } else {
      settled = line.end;
    }
    return !wanted;
  });
  findings.lines = findings.found.size();
  pass_to(text.size());
}

}  // namespace presso::scan_detail
