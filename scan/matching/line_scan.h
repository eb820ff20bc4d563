// SPDX-License-Identifier: MIT
// Goes from matches to lines: searches one text of whole lines for the lines to be reported. Line
// ends are looked for only around matches; the text is never split into lines first, except for
// `invert` with a callback, which asks for nearly all of them. Where records are searched in place
// of lines (record_borders.h), a match's line is widened to its record, and all that is said here
// of lines is true of records. Tested by tests/unit/scan/text/scan_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "presso/lines.h"
#include "scan/bytes/kernels.h"
#include "scan/matching/matcher.h"
#include "scan/matching/record_borders.h"

namespace presso::scan_detail {

/// What the caller wants to know. Everything that is off saves time; with nothing on, lines are
/// only counted, which an engine may do in its own faster way.
struct LineScanOptions {
  bool invert = false;
  bool line_numbers = false;  ///< count '\n'
  bool matches = false;       ///< all matches of each line
  bool record = false;        ///< fill Findings::lines and spans; else only counts
  std::uint64_t max_lines = ~std::uint64_t{0};
};

/// A line to be reported, within its text.
struct FoundLine {
  std::size_t begin = 0;
  std::size_t end = 0;         ///< after its '\n'
  std::uint64_t number = 0;    ///< lines before it in the text; with line_numbers
  std::size_t first_span = 0;  ///< in Findings::spans
  std::size_t span_count = 0;
  /// Where the text is an excerpt: how much further on the line is in the text it is taken from.
  std::uint64_t moved = 0;
  // Where times are asked for (scan/text/time_filter.h):
  std::int64_t time = 0;
  bool has_zone = false;
};

/// The findings in one text. Offsets are bytes from the text's beginning.
struct Findings {
  std::uint64_t lines = 0;       ///< to be reported
  std::uint64_t matches = 0;     ///< in them, with LineScanOptions::matches
  std::uint64_t newlines = 0;    ///< in the text; with line_numbers
  std::vector<FoundLine> found;  ///< with record
  std::vector<MatchSpan> spans;  ///< relative to their line; with record and matches
};

/// Scans texts for one thread and keeps its scratch memory between them. Refers to the matcher,
/// which must outlive it.
class LineScanner {
 public:
  /// `records`: searches these in place of lines; of those with a match, only ones that meet all
  /// `conditions` count.
  LineScanner(const Matcher& matcher, const LineScanOptions& options, CpuLevel level,
              std::optional<RecordBorders> records = {},
              std::vector<RecordCondition> conditions = {});

  /// `text`: whole lines or records, the last one with or without '\n'. `offset` is for records, as
  /// in RecordBorders::start().
  Findings scan(Bytes text, std::uint64_t offset = 0);
  /// nullptr where lines are searched.
  RecordBorders* records() { return records_ ? &*records_ : nullptr; }

 private:
  void scan_matching(Bytes text, Findings& findings);
  void scan_inverted(Bytes text, Findings& findings);
  void scan_matching_records(Bytes text, Findings& findings);
  void scan_inverted_records(Bytes text, Findings& findings);
  bool meets_conditions(Bytes record);
  void add_gap(Bytes text, std::size_t begin, std::size_t end, Findings& findings);
  void add_line(Bytes text, std::size_t begin, std::size_t end, Findings& findings);
  void take_matches(Bytes text, std::size_t begin, std::size_t end, MatchSpan first,
                    Findings& findings);
  /// Neither lines nor matches are wanted, and every line counts.
  bool only_counts() const {
    return !options_.record && !options_.matches && options_.max_lines == ~std::uint64_t{0};
  }
  bool full(const Findings& findings) const { return findings.lines >= options_.max_lines; }
  std::size_t newlines(Bytes text, std::size_t begin, std::size_t end) const;

  LineScanOptions options_;
  const bool crlf_;
  const Kernels& kernels_;
  std::unique_ptr<Searcher> searcher_;
  std::optional<RecordBorders> records_;
  std::vector<RecordCondition> conditions_;
  std::size_t counted_ = 0;  ///< '\n' before here are in Findings::newlines
};

/// The offset after the first '\n' at `from` or later, or text.size().
std::size_t line_end(Bytes text, std::size_t from);
/// The number of '\n'.
std::uint64_t count_line_feeds(Bytes text);
/// The offset after the last '\n' in [floor, at), or `floor`.
std::size_t line_begin(Bytes text, std::size_t floor, std::size_t at);
/// The match without the line's "\r\n", of which `$` may have read the '\r', and without the '\r'
/// at the end of the text. nullopt for an empty match between '\r' and '\n'. For Matcher::crlf().
std::optional<MatchSpan> cut_at_return(Bytes text, const MatchSpan& match);

}  // namespace presso::scan_detail
