// SPDX-License-Identifier: MIT
// The assembler's part for scans that also report the lines around the found ones. A match further
// on decides which lines are reported, so all texts pass here, in order; each is walked from match
// to match, and what precedes a match beyond its own text comes from ContextLines.
#include <algorithm>

#include "scan/text/assembler.h"

namespace presso::scan_detail {

/// As flush_lines(), with the lines around them.
bool Assembler::flush_with_context(Segment& segment, std::uint64_t before) {
  const std::vector<FoundLine>& found = segment.findings.found;
  if (segment.behind_hole) context_.cut();
  segment.behind_hole = false;
  while (!stopped_) {
    const bool last = segment.reported == found.size();
    const std::size_t end = last ? segment.size : found[segment.reported].begin;
    if (!flush_neighbours(segment, end, before)) return false;
    if (last || stopped_) break;
    const FoundLine& line = found[segment.reported];
    if (segment.offset + line.begin >= before) return false;
    report_with_before(segment, line);
    ++segment.reported;
    segment.settled = line.end;
    segment.settled_lines = line.number + 1;
  }
  const Bytes rest = segment.text().subspan(segment.settled);
  context_.keep(rest, segment.offset + segment.settled);
  return true;
}

/// Lines before `end` that follow a match or that passthru asks for.
bool Assembler::flush_neighbours(Segment& segment, std::size_t end, std::uint64_t before) {
  const Bytes text = segment.text();
  while (segment.settled < end && context_.reporting() && !stopped_) {
    const std::uint64_t offset = segment.offset + segment.settled;
    if (offset >= before) return false;
    const std::size_t next = line_end(text, segment.settled);
    const Bytes line = text.subspan(segment.settled, next - segment.settled);
    const std::uint64_t number = segment.first_line + segment.settled_lines + 1;
    if (ended_by_nul(line, offset)) {
      end_by_nul();
    } else {
      report_context(line, offset, number, context_.kind());
    }
    segment.settled = next;
    ++segment.settled_lines;
  }
  return true;
}

/// A match behind the lines before it. ripgrep looks at them when it has found the match, so that a
/// NUL that it has read by then ends the scan at the first of them, and the match is not counted.
void Assembler::report_with_before(const Segment& segment, const FoundLine& line) {
  const Bytes text = segment.text();
  std::uint64_t lines = 0;
  std::size_t at = context_.before_begin(text, segment.settled, line.begin, lines);
  const std::uint64_t first_number = segment.first_line + line.number + 1;
  const std::uint64_t match_offset = segment.offset + line.begin;
  if (at == 0 && lines < context_.before()) {
    report_kept(context_.before() - lines, match_offset, first_number - lines);
  }
  context_.forget();
  for (; at < line.begin && !stopped_; --lines) {
    const std::size_t end = line_end(text, at);
    const Bytes before = text.subspan(at, end - at);
    report_one_before(before, segment.offset + at, first_number - lines, match_offset);
    at = end;
  }
  if (stopped_) return;
  const Bytes matched = text.subspan(line.begin, line.end - line.begin);
  if (!ended_by_nul(matched, match_offset)) return report(segment, line);
  if (rule_ != BinaryRule::kQuit) count(line);
  end_by_nul();
}

/// The last `wanted` of the lines kept from earlier texts; `number` is that of the line behind.
void Assembler::report_kept(std::uint64_t wanted, std::uint64_t match_offset,
                            std::uint64_t number) {
  const std::deque<KeptLine>& kept = context_.kept();
  std::size_t i =
      kept.size() - static_cast<std::size_t>(std::min<std::uint64_t>(wanted, kept.size()));
  for (; i < kept.size() && !stopped_; ++i) {
    report_one_before(kept[i].text, kept[i].offset, number - (kept.size() - i), match_offset);
  }
}

void Assembler::report_one_before(Bytes line, std::uint64_t offset, std::uint64_t number,
                                  std::uint64_t match_offset) {
  const std::uint64_t decides = rule_ == BinaryRule::kMapped ? offset : match_offset;
  if (ended_by_nul(line, decides)) return end_by_nul();
  report_context(line, offset, number, LineKind::kBefore);
}

void Assembler::report_context(Bytes text, std::uint64_t offset, std::uint64_t number,
                               LineKind kind) {
  MatchedLine line;
  line.kind = kind;
  line.text = text;
  line.offset = offset;
  line.number = number;
  line.matches = context_.matches_in(text);
  if (kind == LineKind::kAfter) context_.followed();
  deliver(line);
  if (summary_.lines >= options_.max_lines && context_.after_left() == 0) stopped_ = true;
}

}  // namespace presso::scan_detail
