// SPDX-License-Identifier: MIT
// What has to be remembered for lines around found lines: how many behind the last one are still to
// come, and the last lines before the text at hand, which a match further on may ask for. They are
// copied, so that no chunk has to be kept for them. Tested by
// tests/unit/scan/text/scan_context_test.cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "presso/scan.h"
#include "scan/matching/line_scan.h"

namespace presso::scan_detail {

/// A line from an earlier text.
struct KeptLine {
  std::vector<Byte> text;
  std::uint64_t offset = 0;
};

class ContextLines {
 public:
  /// `enabled`: there is somebody to give them to.
  ContextLines(const Matcher& matcher, const ScanOptions& options, bool enabled);

  bool wanted() const { return wanted_; }
  /// Lines behind the last match are to be reported: so many of them, or all.
  bool reporting() const { return passthru_ || after_left_ > 0; }
  LineKind kind() const { return after_left_ > 0 ? LineKind::kAfter : LineKind::kOther; }
  std::uint64_t after_left() const { return after_left_; }

  /// A match was reported, the last but `limit_reached`: then the lines behind it only run out.
  void matched(bool limit_reached);
  /// A line behind a match was reported.
  void followed();

  /// Keeps the last lines of `text` for later; `offset` is that of its first byte.
  void keep(Bytes text, std::uint64_t offset);
  void forget() { kept_.clear(); }
  /// Nothing before or behind a hole belongs together.
  void cut();
  const std::deque<KeptLine>& kept() const { return kept_; }

  /// Where the wanted lines before `end` begin, at `begin` or later; `lines` is set to their
  /// number.
  std::size_t before_begin(Bytes text, std::size_t begin, std::size_t end,
                           std::uint64_t& lines) const;
  std::uint64_t before() const { return before_; }

  /// What to set MatchedLine::after_gap to; remembers the line.
  bool gap_before(std::uint64_t offset, std::size_t bytes);
  /// The matches in a context line, where they are wanted (ScanOptions::invert).
  std::span<const MatchSpan> matches_in(Bytes line);

 private:
  bool wanted_;
  bool passthru_;
  std::uint64_t before_;
  std::uint64_t after_;
  std::uint64_t after_left_ = 0;
  std::deque<KeptLine> kept_;
  bool reported_any_ = false;
  std::uint64_t reported_end_ = 0;    ///< behind the last line reported
  std::optional<LineScanner> spans_;  ///< with invert and matches
  Findings found_spans_;
};

}  // namespace presso::scan_detail
