// SPDX-License-Identifier: MIT
// Keeps, of the lines that a search has found, those whose time is wanted (ScanOptions::times). A
// line without a time of its own has that of the line before it. A record has the time of its first
// line that has one, or that of the line before the record. Texts come in order, so that the
// last time of one goes on in the next; only found lines are read, and the end of each text. Where
// blocks were left out in between, the last time in them is asked for when a line needs it. Used by
// the assembler. Tested by tests/cli/test_scan_times.py.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "presso/lines.h"
#include "scan/blocks/member_times.h"
#include "scan/matching/line_scan.h"

namespace presso::scan_detail {

/// The time of a line, as MatchedLine has it.
struct LineTime {
  std::int64_t time = 0;
  bool has_zone = false;
};

/// How all lines of a text tell their time, as its beginning shows: one element, without a reader
/// where they do not.
std::vector<MemberTimes> times_by_sample(Bytes text, const TimeWindow& window);

class TextTimes;  // the times of a text's own lines

class TimeFilter {
 public:
  /// The time of the lines that follow, up to one with a time of its own; nullopt: none is wanted.
  using LookBack = std::function<std::optional<LineTime>()>;

  /// `window` and `members` are kept by reference; without members take_sample() comes first.
  /// `of_records`: what is found is records.
  TimeFilter(const TimeWindow& window, std::span<const MemberTimes> members, bool of_records)
      : window_(window), members_(members), of_records_(of_records) {}

  bool needs_sample() const { return members_.empty() && !has_sample_; }
  /// Finds out from the text's beginning how all lines tell their time.
  void take_sample(Bytes text);
  /// Whether any lines of the text tell a time.
  bool has_any() const { return any_tells_times(members_); }

  /// Drops the found lines of the next text that are not wanted. `offset`: of the text in the plain
  /// text.
  void keep_wanted(Bytes text, std::uint64_t offset, Findings& findings);
  /// Goes past the next text, of which nothing was found.
  void pass(Bytes text, std::uint64_t offset);
  /// Lines before a time of their own are not wanted: a hole came before them, or blocks that hold
  /// no wanted time.
  void forget();
  /// What they are is asked for.
  void forget(LookBack look_back);
  /// The time of the last line of a text that has one.
  std::optional<LineTime> last_in(Bytes text, std::uint64_t offset) const;

 private:
  void pass(TextTimes& text, std::size_t begin, std::size_t end);
  bool wants_line(TextTimes& text, FoundLine& line);

  const TimeWindow& window_;
  std::span<const MemberTimes> members_;
  const bool of_records_;
  bool has_sample_ = false;
  std::vector<MemberTimes> by_sample_;  ///< members_, where they were empty
  std::optional<LineTime> last_;        ///< the time of lines that follow, up to one with its own
  LookBack look_back_;                  ///< asked for last_, unless it is empty
};

}  // namespace presso::scan_detail
