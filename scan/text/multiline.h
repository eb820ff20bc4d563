// SPDX-License-Identifier: MIT
// Searching for matches that may span lines. All of the text is read into memory, up to
// ScanOptions::multiline_limit, decoded by all threads and searched by one. Lines that matches
// share or that follow each other are reported together, ripgrep's way: one MatchedLine with
// several lines. A damaged block divides the text; no match and no context reaches across it.
//
// A path of its own beside the line-based one (assembler.h), because there every stage knows that a
// match ends with its line. Tested by tests/unit/scan/text/scan_multiline_test.cpp and
// tests/cli/scan_against_rg.py.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "presso/scan.h"
#include "scan/blocks/chunk_source.h"
#include "scan/matching/matcher.h"
#include "scan/text/context_lines.h"

namespace presso::scan_detail {

/// Searches one text after another, in order.
class MultilineScan {
 public:
  MultilineScan(const Matcher& matcher, const ScanOptions& options, const LineCallback& on_line);

  /// `text`: all that lies between two damaged blocks; `offset`: of its first byte in the plain
  /// text. False when the scan need not go on.
  bool search(Bytes text, std::uint64_t offset);
  ScanSummary& summary() { return summary_; }

 private:
  bool settle_binary();
  void keep_wanted_lines();
  void search_matching();
  void search_inverted();
  void add_lines(const MatchSpan& lines);
  void report_context_before(std::size_t begin);
  void report_group(const MatchSpan& lines);
  void report_context(std::size_t end, LineKind kind);
  void deliver(LineKind kind, const MatchSpan& lines);
  void find_matches(const MatchSpan& lines);
  void tell_patterns(const MatchSpan& lines);
  bool ended_by_nul(const MatchSpan& lines);
  std::uint64_t line_number(std::size_t at);
  MatchSpan lines_of(const MatchSpan& match, std::size_t floor) const;
  std::size_t end_of_lines(std::size_t match_end) const;
  bool limit_reached() const;
  bool goes_on();

  const ScanOptions& options_;
  const LineCallback& on_line_;
  const BinaryRule rule_;
  std::unique_ptr<Searcher> searcher_;
  std::unique_ptr<PatternFinder> pattern_finder_;
  bool several_patterns_ = false;
  ContextLines context_;
  ScanSummary summary_;

  Bytes text_;
  std::uint64_t offset_ = 0;  ///< of text_ in the plain text
  std::size_t visited_ = 0;   ///< lines before here are reported or left out
  std::size_t counted_ = 0;   ///< '\n' before here are in lines_before_
  std::uint64_t lines_before_ = 0;
  std::uint64_t groups_ = 0;
  std::vector<MatchSpan> matches_;  ///< of the group, within it
  std::vector<std::uint32_t> patterns_;
  std::uint64_t removed_ = 0;  ///< bytes of a byte order mark
  bool first_ = true;
  bool stopped_ = false;
};

/// `expected_bytes` of text, where known, are made room for at once; more than the limit is an
/// error before anything is read. Errors: kUnsupported above the limit; those of reading.
Result<ScanSummary> scan_multiline(ChunkSource& chunks, const Matcher& matcher,
                                   const ScanOptions& options, const LineCallback& on_line,
                                   std::uint64_t expected_bytes);

}  // namespace presso::scan_detail
