// SPDX-License-Identifier: MIT
// LineScanner: goes from match to match and looks for the ends of lines around matches only.
#include "scan/matching/line_scan.h"

#include <string.h>  // memrchr

#include <algorithm>
#include <cstring>
#include <utility>

#include "format/cpu_loops.h"

namespace presso::scan_detail {

std::size_t line_end(Bytes text, std::size_t from) {
  if (from >= text.size()) return text.size();
  const void* found = std::memchr(text.data() + from, '\n', text.size() - from);
  if (found == nullptr) return text.size();
  return static_cast<std::size_t>(static_cast<const Byte*>(found) - text.data()) + 1;
}

std::size_t line_begin(Bytes text, std::size_t floor, std::size_t at) {
  if (floor >= at) return floor;
  const void* found = ::memrchr(text.data() + floor, '\n', at - floor);
  if (found == nullptr) return floor;
  return static_cast<std::size_t>(static_cast<const Byte*>(found) - text.data()) + 1;
}

std::optional<MatchSpan> cut_at_return(Bytes text, const MatchSpan& match) {
  const bool before_end = match.end == text.size() || text[match.end] == '\n';
  const bool after_return = match.end > 0 && text[match.end - 1] == '\r';
  if (!before_end || !after_return) return match;
  if (match.empty()) return std::nullopt;
  return MatchSpan{match.begin, match.end - 1};
}

std::uint64_t count_line_feeds(Bytes text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), Byte{'\n'}));
}

LineScanner::LineScanner(const Matcher& matcher, const LineScanOptions& options, CpuLevel level,
                         std::optional<RecordBorders> records,
                         std::vector<RecordCondition> conditions)
    : options_(options),
      crlf_(matcher.crlf()),
      kernels_(loops_for<Kernels>(level)),
      searcher_(matcher.searcher(level)),
      records_(std::move(records)),
      conditions_(std::move(conditions)) {}

Findings LineScanner::scan(Bytes text, std::uint64_t offset) {
  Findings findings;
  counted_ = 0;
  if (text.empty()) return findings;
  searcher_->start(text);
  if (records_) records_->start(text, offset);
  if (options_.max_lines > 0) {
    if (records_) {
      options_.invert ? scan_inverted_records(text, findings)
                      : scan_matching_records(text, findings);
    } else if (options_.invert) {
      scan_inverted(text, findings);
    } else {
      scan_matching(text, findings);
    }
  }
  if (options_.line_numbers) findings.newlines += newlines(text, counted_, text.size());
  return findings;
}

/// Goes from match to match; after each one the search continues in the next line.
void LineScanner::scan_matching(Bytes text, Findings& findings) {
  if (only_counts()) {
    if (const std::optional<std::size_t> count = searcher_->count_lines()) {
      findings.lines = *count;
      return;
    }
  }
  std::size_t at = 0;
  while (at < text.size() && !full(findings)) {
    const std::optional<MatchSpan> match = searcher_->next(at);
    if (!match) break;
    const std::size_t begin = line_begin(text, at, match->begin);
    const std::size_t end = line_end(text, match->end);
    add_line(text, begin, end, findings);
    if (options_.matches) take_matches(text, begin, end, *match, findings);
    at = end;
  }
}

/// Goes through the lines between matching lines. If they are only counted, their '\n' are counted
/// instead.
void LineScanner::scan_inverted(Bytes text, Findings& findings) {
  if (only_counts()) {
    if (const std::optional<std::size_t> count = searcher_->count_lines()) {
      const bool unfinished = text.back() != '\n';
      findings.lines = newlines(text, 0, text.size()) + (unfinished ? 1 : 0) - *count;
      return;
    }
  }
  std::size_t at = 0;
  while (at < text.size() && !full(findings)) {
    const std::optional<MatchSpan> match = searcher_->next(at);
    const std::size_t gap_end = match ? line_begin(text, at, match->begin) : text.size();
    add_gap(text, at, gap_end, findings);
    if (!match) break;
    at = line_end(text, match->end);
  }
}

/// Goes from match to match; after each one the search continues in the next record.
void LineScanner::scan_matching_records(Bytes text, Findings& findings) {
  std::size_t at = 0;
  while (at < text.size() && !full(findings)) {
    const std::optional<MatchSpan> match = searcher_->next(at);
    if (!match) break;
    const std::size_t line = line_begin(text, at, match->begin);
    const std::size_t line_after = line_end(text, match->end);
    // A record begins at `at`.
    const std::size_t begin = line == at ? at : records_->last(at, line_after);
    const std::size_t end = records_->next(line_after);
    at = end;
    if (!meets_conditions(text.subspan(begin, end - begin))) continue;
    add_line(text, begin, end, findings);
    if (options_.matches) take_matches(text, begin, end, *match, findings);
  }
}

bool LineScanner::meets_conditions(Bytes record) {
  return std::all_of(conditions_.begin(), conditions_.end(), [&](RecordCondition& condition) {
    condition.searcher->start(record);
    return condition.searcher->next(0).has_value() == condition.wanted;
  });
}

/// Goes through the records, past those with a match.
void LineScanner::scan_inverted_records(Bytes text, Findings& findings) {
  std::optional<MatchSpan> match = searcher_->next(0);
  for (std::size_t at = 0; at < text.size() && !full(findings);) {
    const std::size_t end = records_->next(line_end(text, at));
    // An empty match may stand at the end of an unfinished last line.
    const bool matches = match && (match->begin < end || end == text.size());
    if (!matches || !meets_conditions(text.subspan(at, end - at))) {
      add_line(text, at, end, findings);
    }
    if (matches && end < text.size()) match = searcher_->next(end);
    at = end;
  }
}

/// Reports, or counts, all lines of [begin, end), which hold no match.
void LineScanner::add_gap(Bytes text, std::size_t begin, std::size_t end, Findings& findings) {
  if (!options_.record) {
    findings.lines += newlines(text, begin, end);
    if (end > begin && text[end - 1] != '\n') ++findings.lines;
    return;
  }
  while (begin < end && !full(findings)) {
    const std::size_t next = line_end(text, begin);
    add_line(text, begin, next, findings);
    begin = next;
  }
}

/// Counts one line and records it if wanted. Its number is found by counting '\n' since the
/// previous line, so that numbers cost nothing in texts without a match.
void LineScanner::add_line(Bytes text, std::size_t begin, std::size_t end, Findings& findings) {
  ++findings.lines;
  if (!options_.record) return;
  if (options_.line_numbers) {
    findings.newlines += newlines(text, counted_, begin);
    counted_ = begin;
  }
  findings.found.push_back({begin, end, findings.newlines, findings.spans.size(), 0});
}

/// All matches of the line [begin, end): the first is known. An empty match right after another
/// match does not count.
void LineScanner::take_matches(Bytes text, std::size_t begin, std::size_t end, MatchSpan first,
                               Findings& findings) {
  std::optional<MatchSpan> match = first;
  std::size_t last_end = Error::kNone;
  while (match && match->begin < end) {
    const std::optional<MatchSpan> shown = crlf_ ? cut_at_return(text, *match) : match;
    const bool counts = shown && (!shown->empty() || shown->end != last_end);
    if (counts) {
      ++findings.matches;
      last_end = shown->end;
      if (options_.record) {
        findings.spans.push_back({shown->begin - begin, shown->end - begin});
        ++findings.found.back().span_count;
      }
    }
    const std::size_t next = match->empty() ? match->end + 1 : match->end;
    match = searcher_->next(next);
  }
}

// Counts '\n' in [begin, end); a last line without one is not counted.
std::size_t LineScanner::newlines(Bytes text, std::size_t begin, std::size_t end) const {
  return kernels_.count_byte(text.data() + begin, end - begin, '\n');
}

}  // namespace presso::scan_detail
