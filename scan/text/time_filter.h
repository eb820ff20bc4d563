// SPDX-License-Identifier: MIT
// Keeps, of the lines that a search has found, those whose time is wanted (ScanOptions::times). A
// line without a time of its own has that of the line before it. Texts come in order, so that the
// last time of one goes on in the next; only found lines are read, and the end of each text. Where
// blocks were left out in between, the last time in them is asked for when a line needs it. Used by
// the assembler. Tested by tests/unit/scan/text/scan_times_test.cpp.
#pragma once

#include <functional>
#include <optional>

#include "presso/lines.h"
#include "scan/matching/line_scan.h"

namespace presso::scan_detail {

class TimeFilter {
 public:
  /// The time of the lines that follow, up to one with a time of its own; nullopt: none is wanted.
  using LookBack = std::function<std::optional<std::int64_t>()>;

  /// `window` is kept by reference.
  explicit TimeFilter(const TimeWindow& window) : window_(window) {}

  /// Whether it is known how lines tell their time.
  bool has_form() const { return reader_.has_value(); }
  /// Finds it out from the text's beginning.
  void find_form(Bytes text);
  void set_reader(const TimeReader& reader) { reader_ = reader; }

  /// Drops the found lines of the next text that are not wanted.
  void keep_wanted(Bytes text, Findings& findings);
  /// Goes past the next text, of which nothing was found.
  void pass(Bytes text) { move_past(text, 0, text.size()); }
  /// Lines before a time of their own are not wanted: a hole came before them, or blocks that hold
  /// no wanted time.
  void forget();
  /// What they are is asked for.
  void forget(LookBack look_back);
  /// The time of the last line of `text` that has one.
  std::optional<std::int64_t> last_in(Bytes text) const;
  bool has_zone() const { return reader_ && reader_->has_zone(); }

 private:
  void move_past(Bytes text, std::size_t begin, std::size_t end);
  bool wants_line(Bytes text, FoundLine& line);

  const TimeWindow& window_;
  std::optional<TimeReader> reader_;
  std::optional<std::int64_t> last_;  ///< the time of lines that follow, up to one with its own
  LookBack look_back_;                ///< asked for last_, unless it is empty
};

}  // namespace presso::scan_detail
