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

/// The times that the lines of a text have themselves. How they tell it is looked up once for all
/// lines of a member, which is nearly always once for the text.
class TextTimes {
 public:
  /// Keeps the bytes and the members by reference. `offset`: of the text in the plain text.
  TextTimes(Bytes text, std::uint64_t offset, std::span<const MemberTimes> members)
      : text_(text), offset_(offset), members_(members) {}

  /// The time of the line [begin, end).
  std::optional<LineTime> of(std::size_t begin, std::size_t end) {
    const std::uint64_t offset = offset_ + begin;
    if (offset < form_.begin || offset >= form_.end) {
      form_ = time_form_at(members_, offset);
      memo_ = {};
    }
    if (form_.reader == nullptr) return std::nullopt;
    const auto time = form_.reader->time_of(text_.subspan(begin, end - begin), memo_);
    if (!time) return std::nullopt;
    return LineTime{*time, form_.reader->has_zone()};
  }
  /// Those of the first and of the last line in [begin, end) that has one.
  std::optional<LineTime> first(std::size_t begin, std::size_t end) {
    for (std::size_t next = begin; begin < end; begin = next) {
      next = std::min(line_end(text_, begin), end);
      if (auto time = of(begin, next)) return time;
    }
    return std::nullopt;
  }
  std::optional<LineTime> last(std::size_t begin, std::size_t end) {
    while (end > begin) {
      const std::size_t at = line_begin(text_, begin, end - 1);
      if (auto time = of(at, end)) return time;
      end = at;
    }
    return std::nullopt;
  }

 private:
  const Bytes text_;
  const std::uint64_t offset_;
  const std::span<const MemberTimes> members_;
  TimeFormRange form_;
  TimeReader::Memo memo_;
};

std::optional<LineTime> TimeFilter::last_in(Bytes text, std::uint64_t offset) const {
  return TextTimes(text, offset, members_).last(0, text.size());
}

void TimeFilter::pass(Bytes text, std::uint64_t offset) {
  TextTimes times(text, offset, members_);
  pass(times, 0, text.size());
}

void TimeFilter::pass(TextTimes& text, std::size_t begin, std::size_t end) {
  const auto last = text.last(begin, end);
  if (!last) return;
  last_ = last;
  look_back_ = nullptr;
}

bool TimeFilter::wants_line(TextTimes& text, FoundLine& line) {
  const auto time = of_records_ ? text.first(line.begin, line.end) : text.of(line.begin, line.end);
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
  TextTimes times(text, offset, members_);
  std::size_t settled = 0;
  const auto pass_to = [&](std::size_t end) {
    pass(times, settled, end);
    settled = end;
  };
  std::erase_if(findings.found, [&](FoundLine& line) {
    pass_to(line.begin);
    const bool wanted = wants_line(times, line);
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
