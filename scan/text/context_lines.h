// SPDX-License-Identifier: MIT
// Remembers what is needed for the lines around found lines (-A, -B, -C): how many lines after the
// last match are still to be reported, and the last lines before the text at hand, which a later
// match may ask for. These lines are copied, so that no chunk has to be kept for them; memory is
// that of before_context lines. Tested by tests/unit/scan/text/scan_context_test.cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "presso/lines.h"
#include "scan/matching/record_borders.h"

namespace presso::scan_detail {

/// A line of an earlier text.
struct KeptLine {
  std::vector<Byte> text;
  std::uint64_t offset = 0;  ///< in the plain text
};

/// The context of one scan; used by the thread that reports.
class ContextLines {
 public:
  /// Without a callback nobody gets context, so none is kept.
  /// `records`: where they begin in the text at hand, which counts in place of lines; nullptr:
  /// lines do. Kept by reference.
  ContextLines(const ScanOptions& options, bool has_callback, RecordBorders* records);

  bool wanted() const { return wanted_; }
  /// Whether the next line is to be reported even if it does not match.
  bool reporting() const { return passthru_ || after_left_ > 0; }
  /// What a line is that does not match: context after a match, or something else.
  LineKind kind() const { return after_left_ > 0 ? LineKind::kAfter : LineKind::kOther; }
  /// How many lines after the last match are still to be reported.
  std::uint64_t after_left() const { return after_left_; }

  /// Notes that a match was reported. `limit_reached`: it comes after the last of
  /// ScanOptions::max_lines, and so it only uses up one of the lines after that.
  void matched(bool limit_reached);
  /// Notes that a line after a match was reported.
  void followed();

  /// Keeps the last lines of `text` from `begin` on for later; `offset` is that of its first byte.
  void keep(Bytes text, std::size_t begin, std::uint64_t offset);
  /// Where the line or record ends that begins at `begin`, which never decreases within a text.
  std::size_t unit_end(Bytes text, std::size_t begin) const;
  /// Drops kept lines, where the text before is no neighbour of what follows.
  void forget() { kept_.clear(); }
  /// Notes a hole in the text: lines on one side of it are no context for those on the other.
  void cut();
  const std::deque<KeptLine>& kept() const { return kept_; }

  /// Where the wanted lines before `end` begin, but not before `begin`. Sets `lines` to their
  /// number.
  std::size_t before_begin(Bytes text, std::size_t begin, std::size_t end,
                           std::uint64_t& lines) const;
  std::uint64_t before() const { return before_; }

  /// The value for MatchedLine::after_gap of the line at `offset`; remembers the line.
  bool gap_before(std::uint64_t offset, std::size_t bytes);

 private:
  RecordBorders* records_;
  bool wanted_;
  bool passthru_;
  std::uint64_t before_;
  std::uint64_t after_;
  std::uint64_t after_left_ = 0;
  std::deque<KeptLine> kept_;
  bool reported_any_ = false;
  std::uint64_t reported_end_ = 0;  ///< after the last line reported
};

}  // namespace presso::scan_detail
