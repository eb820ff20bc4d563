// SPDX-License-Identifier: MIT
// Searches a text in memory for matches that may span lines. Lines that matches share, or that
// follow each other, are reported together, as ripgrep does: one MatchedLine with several lines.
//
// This is separate from the search of lines (assembler.h), because there every stage relies on a
// match ending with its line. Tested by tests/unit/scan/text/scan_multiline_test.cpp and
// tests/cli/scan_against_rg.py.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "presso/lines.h"
#include "scan/matching/matcher.h"
#include "scan/text/line_reporter.h"

namespace presso::scan_detail {

/// Searches one text after another, in order. Used by one thread.
class MultilineSearch {
 public:
  /// Keeps everything by reference.
  MultilineSearch(const Matcher& matcher, const ScanOptions& options, const LineCallback& on_line);
  MultilineSearch(const MultilineSearch&) = delete;
  MultilineSearch& operator=(const MultilineSearch&) = delete;

  /// Searches all text that lies between two damaged blocks; `offset` is that of its first byte in
  /// the plain text. Returns false if the scan need not go on.
  bool search(Bytes text, std::uint64_t offset);
  /// Adds ScanSummary::lines, matches and binary_offset.
  void add_to(ScanSummary& summary) const { reporter_.add_to(summary); }

 private:
  /// Decides whether the file is binary; false where that ends the scan.
  bool settle_binary();
  /// Cuts the text to the lines that were asked for by number; returns how many bytes are left out
  /// before.
  std::size_t keep_wanted_lines();
  /// Reports lines with matches, and with several matches only once.
  void search_matching();
  /// Reports the lines between matches.
  void search_inverted();
  void add_lines(const MatchSpan& lines);
  /// Finds all matches within these lines, for their places.
  void find_matches(const MatchSpan& lines);
  /// How many lines are before the place; counts on from the last answer.
  std::uint64_t lines_before(std::size_t at);
  /// The whole lines that the match touches, which do not begin before `floor`.
  MatchSpan lines_of(const MatchSpan& match, std::size_t floor) const;
  /// Where the line with the match's last byte ends.
  std::size_t end_of_lines(std::size_t match_end) const;

  const ScanOptions& options_;
  const bool only_counts_;
  const bool crlf_;
  std::unique_ptr<Searcher> searcher_;
  LineReporter reporter_;

  Bytes text_;
  std::size_t counted_ = 0;         ///< '\n' before here are in line_count_
  std::uint64_t line_count_ = 0;    ///< '\n' of the plain text so far
  std::vector<MatchSpan> matches_;  ///< as places in the lines to be reported next
  std::uint64_t removed_ = 0;       ///< bytes of a byte order mark, which offsets do not count
  bool first_ = true;
};

}  // namespace presso::scan_detail
