// SPDX-License-Identifier: MIT
// TimeFilter: lines are walked backwards from where a time is needed, never twice.
#include "scan/text/time_filter.h"

#include <utility>

namespace presso::scan_detail {

void TimeFilter::find_form(Bytes text) {
  const auto form = find_time_form(text, window_.hint);
  if (!form) return;
  Result<TimeReader> reader = TimeReader::make(*form, window_.latest);
  if (reader.ok()) reader_ = std::move(*reader);
}

void TimeFilter::forget() {
  last_.reset();
  look_back_ = nullptr;
}

void TimeFilter::forget(LookBack look_back) {
  look_back_ = std::move(look_back);
}

std::optional<std::int64_t> TimeFilter::last_in(Bytes text) const {
  for (std::size_t end = text.size(); reader_ && end > 0;) {
    const std::size_t begin = line_begin(text, 0, end - 1);
    if (const auto time = reader_->time_of(text.subspan(begin, end - begin))) return time;
    end = begin;
  }
  return std::nullopt;
}

void TimeFilter::move_past(Bytes text, std::size_t begin, std::size_t end) {
  const auto last = last_in(text.subspan(begin, end - begin));
  if (!last) return;
  last_ = last;
  look_back_ = nullptr;
}

bool TimeFilter::wants_line(Bytes text, FoundLine& line) {
  if (const auto time = reader_->time_of(text.subspan(line.begin, line.end - line.begin))) {
    last_ = time;
    look_back_ = nullptr;
  } else if (look_back_) {
    last_ = std::exchange(look_back_, nullptr)();
  }
  if (!last_) return false;
  line.time = *last_;
  const TimeWindow::Range& range = reader_->has_zone() ? window_.moments : window_.clocks;
  return line.time >= range.since && line.time < range.until;
}

void TimeFilter::keep_wanted(Bytes text, Findings& findings) {
  std::size_t settled = 0;
  std::erase_if(findings.found, [&](FoundLine& line) {
    if (!reader_) return true;
    move_past(text, settled, line.begin);
    settled = line.end;
    return !wants_line(text, line);
  });
  findings.lines = findings.found.size();
  move_past(text, settled, text.size());
}

}  // namespace presso::scan_detail
