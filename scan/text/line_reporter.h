// SPDX-License-Identifier: MIT
// Takes found lines to the caller: counts them, stops at limits and at binary files, adds the lines
// around them and calls the callback. Searches of lines (assembler.h) and across lines
// (multiline_search.h) both end here. Where records are searched, what is said of lines is true of
// records, apart from line numbers.
//
// Texts come one after another, in order, each with its found lines in order. If lines around the
// found ones are wanted, each text is walked from one found line to the next; lines before a match
// that lie in earlier texts come from ContextLines. ripgrep looks at these only when it has found
// the match, so a NUL in one of them ends the scan before the match is counted.
//
// Used by one thread; the callback runs on it. Tested by the tests of its two users: scan_test.cpp,
// scan_context_test.cpp, scan_binary_test.cpp and scan_multiline_test.cpp in tests/unit/scan/text.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "presso/lines.h"
#include "scan/matching/line_scan.h"
#include "scan/matching/matcher.h"
#include "scan/matching/record_borders.h"
#include "scan/text/binary_check.h"
#include "scan/text/context_lines.h"

namespace presso::scan_detail {

/// One line of the current text that was asked for, or the lines that matches span together.
struct FoundLines {
  MatchSpan place;           ///< in the text, with the line end
  std::uint64_t moved = 0;   ///< where the text is an excerpt: bytes left out of it before the line
  std::uint64_t before = 0;  ///< lines in the plain text before it; with line_numbers only
  std::uint64_t count = 1;   ///< lines
  std::span<const MatchSpan> matches = {};  ///< within `place`
  std::int64_t time = 0;                    ///< with ScanOptions::times
  bool has_zone = false;
};

/// Reports the lines of one scan.
class LineReporter {
 public:
  /// Finds the matches in a context line; `line` is its place in `text`.
  using ContextMatches =
      std::function<std::span<const MatchSpan>(Bytes text, const MatchSpan& line)>;

  /// Keeps everything by reference. The callback may be empty; then lines are only counted.
  /// `records`: finds where records begin, where these are searched.
  LineReporter(const Matcher& matcher, const ScanOptions& options, const LineCallback& on_line,
               std::optional<RecordBorders> records = {});
  LineReporter(const LineReporter&) = delete;
  LineReporter& operator=(const LineReporter&) = delete;

  /// Sets how matches in context lines are found, for ScanOptions::invert together with
  /// ScanOptions::matches.
  void set_context_matches(ContextMatches find) { context_matches_ = std::move(find); }
  /// Makes ScanOptions::max_lines count matches in place of found lines.
  void limit_matches() { limits_matches_ = true; }

  BinaryCheck& binary() { return binary_; }
  bool wants_context() const { return context_.wanted(); }
  /// Whether nothing will be reported any more.
  bool stopped() const { return stopped_; }
  void stop() { stopped_ = true; }
  /// As !stopped(), but asks ScanOptions::cancelled, too.
  bool goes_on();

  /// Counts lines of which only the number is known, when there is no callback nor anything else
  /// that needs their places.
  void count(std::uint64_t lines, std::uint64_t matches);
  /// Sets the text in which found lines lie from now on, at `offset` of the plain text and with
  /// `lines_before` lines before it. `after_hole`: it does not follow the text before. `removed`:
  /// bytes of a byte order mark, which `offset` does not count.
  void begin_text(Bytes text, std::uint64_t offset, std::uint64_t lines_before, bool after_hole,
                  std::uint64_t removed = 0);
  void report(const FoundLines& found);
  /// Reports the wanted lines after the last found one, and keeps those that a later match may
  /// want.
  void end_text();

  /// Adds ScanSummary::lines, matches and binary_offset.
  void add_to(ScanSummary& summary) const;
  /// Where in the plain text the last line ends that was looked at.
  std::uint64_t looked_at_end() const { return looked_at_end_; }

 private:
  /// Reports the matching line itself and counts it.
  void report_found(const FoundLines& found);
  /// Reports lines up to `end` that do not match: context after the last match, or all of them.
  void report_others(std::size_t end);
  /// Reports the context before a match.
  void report_before(const FoundLines& found);
  /// Reports context that was kept from the text before.
  void report_kept(std::uint64_t wanted, std::uint64_t lines_before);
  void report_context(Bytes text, const MatchSpan& place, std::uint64_t offset,
                      std::uint64_t lines_before, LineKind kind);
  void deliver(MatchedLine& line, Bytes text, std::size_t begin);
  /// How many lines of text a found line or a record is; for records with line_numbers only.
  std::uint64_t lines_in(Bytes unit) const {
    if (!records_) return 1;
    return options_.line_numbers ? count_line_feeds(unit) : 0;
  }
  /// Fills in which patterns have matched, if that was asked for.
  void tell_patterns(MatchedLine& line, Bytes text, std::size_t begin);
  /// Whether the line is the one with the NUL that ends a binary file.
  bool ends_scan_at(Bytes line, std::uint64_t offset);
  /// Whether as many lines or matches were reported as were asked for.
  bool limit_reached() const;
  /// Stops when the limit is reached and no context is due any more.
  void stop_after_limit();

  const ScanOptions& options_;
  const LineCallback& on_line_;
  const bool spans_lines_;
  const bool null_data_;
  const bool several_patterns_;
  bool limits_matches_ = false;
  std::optional<RecordBorders> records_;
  BinaryCheck binary_;
  ContextLines context_;
  ContextMatches context_matches_;
  std::unique_ptr<PatternFinder> pattern_finder_;  ///< with which_pattern

  Bytes text_;
  std::uint64_t offset_ = 0;         ///< of text_ in the plain text
  std::size_t settled_ = 0;          ///< lines of text_ before here are reported or left out
  std::uint64_t settled_lines_ = 0;  ///< lines of the plain text before there
  std::uint64_t looked_at_end_ = 0;
  std::uint64_t found_ = 0;  ///< calls of report() that counted
  std::uint64_t lines_ = 0;
  std::uint64_t matches_ = 0;
  bool stopped_ = false;
  std::vector<Byte> exchanged_;          ///< the line being reported, with null_data
  std::vector<std::uint32_t> patterns_;  ///< of the line's matches
};

/// The part of a text in [first_line, last_line] of the options.
struct WantedLines {
  MatchSpan place;
  std::uint64_t before = 0;   ///< lines of the plain text before the part
  std::uint64_t through = 0;  ///< and up to its end
};
/// Finds that part; `lines_before` are the lines of the plain text before `text`.
WantedLines wanted_lines(Bytes text, std::uint64_t lines_before, const ScanOptions& options);

}  // namespace presso::scan_detail
