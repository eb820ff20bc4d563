// SPDX-License-Identifier: MIT
// LineReporter: each text is walked once, from found line to found line; limits and the check for
// binary files are asked before each call of the callback.
#include "scan/text/line_reporter.h"

#include <algorithm>

#include "scan/matching/line_scan.h"
#include "scan/matching/null_data.h"

namespace presso::scan_detail {
namespace {

Bytes part(Bytes text, const MatchSpan& place) {
  return text.subspan(place.begin, place.end - place.begin);
}

}  // namespace

/// Arguments are kept by reference.
LineReporter::LineReporter(const Matcher& matcher, const ScanOptions& options,
                           const LineCallback& on_line, std::optional<RecordBorders> records)
    : options_(options),
      on_line_(on_line),
      spans_lines_(matcher.spans_lines()),
      null_data_(matcher.null_data()),
      several_patterns_(matcher.pattern_count() > 1),
      records_(std::move(records)),
      binary_(options, static_cast<bool>(on_line)),
      context_(options, static_cast<bool>(on_line), records_ ? &*records_ : nullptr) {
  if (options.which_pattern) pattern_finder_ = matcher.pattern_finder();
}

bool LineReporter::goes_on() {
  if (options_.is_cancelled()) stopped_ = true;
  return !stopped_;
}

void LineReporter::add_to(ScanSummary& summary) const {
  summary.lines += lines_;
  summary.matches += matches_;
  summary.binary_offset = binary_.nul();
}

void LineReporter::count(std::uint64_t lines, std::uint64_t matches) {
  lines_ += std::min(lines, options_.max_lines - lines_);
  matches_ += matches;
  stopped_ = lines_ >= options_.max_lines;
}

// --- One text -----------------------------------------------------------------------------------

/// The text that the next lines are found in. `after_hole`: what was kept of the text before is no
/// context of it.
void LineReporter::begin_text(Bytes text, std::uint64_t offset, std::uint64_t lines_before,
                              bool after_hole, std::uint64_t removed) {
  if (records_ && context_.wanted()) records_->start(text, offset + removed);
  text_ = text;
  offset_ = offset;
  settled_ = 0;
  settled_lines_ = lines_before;
  if (after_hole) context_.cut();
}

/// Reports found lines with the context before them; calls come in the order of the text.
void LineReporter::report(const FoundLines& found) {
  if (context_.wanted()) {
    report_others(found.place.begin);
    if (!stopped_) report_before(found);
    if (stopped_) return;
  }
  report_found(found);
  settled_ = found.place.end;
  if (!context_.wanted()) return;
  settled_lines_ = found.before + (records_ ? lines_in(part(text_, found.place)) : found.count);
}

void LineReporter::end_text() {
  if (!context_.wanted()) return;
  if (!stopped_) report_others(text_.size());
  context_.keep(text_, settled_, offset_);
}

/// Counts and reports a found line. A NUL in it may end the scan, before or after it is counted, as
/// BinaryRule says.
void LineReporter::report_found(const FoundLines& found) {
  const Bytes text = part(text_, found.place);
  const std::uint64_t offset = offset_ + found.place.begin + found.moved;
  const bool ends_scan = ends_scan_at(text, offset);
  if (ends_scan && !binary_.counts_last_line()) return stop();
  const bool limit_was_reached = limit_reached();
  ++found_;
  lines_ += found.count;
  matches_ += found.matches.size();
  if (ends_scan) return stop();
  context_.matched(limit_was_reached);
  if (on_line_) {
    MatchedLine line;
    line.text = text;
    line.offset = offset;
    line.number = found.before + 1;
    line.matches = found.matches;
    line.time = found.time;
    line.has_zone = found.has_zone;
    deliver(line, text_, found.place.begin);
  }
  stop_after_limit();
}

// --- Lines around the found ones ----------------------------------------------------------------

/// Reports lines before `end` that follow a match or that passthru asks for.
void LineReporter::report_others(std::size_t end) {
  while (settled_ < end && context_.reporting() && goes_on()) {
    const MatchSpan place{settled_, context_.unit_end(text_, settled_)};
    report_context(text_, place, offset_ + settled_, settled_lines_, context_.kind());
    settled_ = place.end;
    settled_lines_ += lines_in(part(text_, place));
  }
}

/// Reports the lines before a match, of which some may lie in earlier texts.
void LineReporter::report_before(const FoundLines& found) {
  std::uint64_t units = 0;
  std::size_t at = context_.before_begin(text_, settled_, found.place.begin, units);
  const std::uint64_t lines = records_ ? lines_in(part(text_, {at, found.place.begin})) : units;
  std::uint64_t before = found.before - lines;
  if (at == 0 && units < context_.before()) report_kept(context_.before() - units, before);
  context_.forget();
  while (at < found.place.begin && goes_on()) {
    const MatchSpan place{at, context_.unit_end(text_, at)};
    report_context(text_, place, offset_ + at, before, LineKind::kBefore);
    before += lines_in(part(text_, place));
    at = place.end;
  }
}

/// Reports the last `wanted` of the kept lines; `lines_before` are the lines before the text at
/// hand.
void LineReporter::report_kept(std::uint64_t wanted, std::uint64_t lines_before) {
  const std::deque<KeptLine>& kept = context_.kept();
  const std::size_t count = std::min<std::size_t>(wanted, kept.size());
  std::uint64_t left = 0;
  for (std::size_t i = kept.size() - count; i < kept.size(); ++i) left += lines_in(kept[i].text);
  for (std::size_t i = kept.size() - count; i < kept.size() && goes_on(); ++i) {
    const KeptLine& line = kept[i];
    report_context(line.text, {0, line.text.size()}, line.offset, lines_before - left,
                   LineKind::kBefore);
    left -= lines_in(line.text);
  }
}

/// Reports a line of context, which counts for no limit except that of lines after the last match.
void LineReporter::report_context(Bytes text, const MatchSpan& place, std::uint64_t offset,
                                  std::uint64_t lines_before, LineKind kind) {
  MatchedLine line;
  line.kind = kind;
  line.text = part(text, place);
  line.offset = offset;
  line.number = lines_before + 1;
  if (ends_scan_at(line.text, offset)) return stop();
  if (context_matches_) line.matches = context_matches_(text, place);
  if (kind == LineKind::kAfter) context_.followed();
  deliver(line, text, place.begin);
  stop_after_limit();
}

// --- The callback -------------------------------------------------------------------------------

bool LineReporter::ends_scan_at(Bytes line, std::uint64_t offset) {
  looked_at_end_ = offset + line.size();
  return binary_.ends_scan_at(line, offset);
}

bool LineReporter::limit_reached() const {
  return (limits_matches_ ? matches_ : found_) >= options_.max_lines;
}

/// Stops at the limit; lines after the last match are still reported.
void LineReporter::stop_after_limit() {
  if (limit_reached() && context_.after_left() == 0) stopped_ = true;
}

/// Calls the callback with a line, which begins at `begin` in `text`.
void LineReporter::deliver(MatchedLine& line, Bytes text, std::size_t begin) {
  if (!goes_on()) return;
  if (!options_.line_numbers) line.number = 0;
  if (options_.which_pattern) tell_patterns(line, text, begin);
  if (null_data_) {
    exchanged_.assign(line.text.begin(), line.text.end());
    exchange_nul_and_line_feed(exchanged_);
    line.text = exchanged_;
  }
  line.after_gap = context_.gap_before(line.offset, line.text.size());
  if (!on_line_(line)) stopped_ = true;
}

/// Finds out which pattern each match of the line is of. Matches that span lines are judged in the
/// whole text, others in their line.
void LineReporter::tell_patterns(MatchedLine& line, Bytes text, std::size_t begin) {
  patterns_.clear();
  if (!pattern_finder_ && several_patterns_) return;
  Bytes around = spans_lines_ ? text : line.text;
  const std::size_t moved = spans_lines_ ? begin : 0;
  for (const MatchSpan& match : line.matches) {
    MatchSpan place{match.begin + moved, match.end + moved};
    if (records_) {
      const std::size_t from = line_begin(line.text, 0, match.begin);
      around = line.text.subspan(from, line_end(line.text, match.end) - from);
      place = {match.begin - from, match.end - from};
    }
    patterns_.push_back(pattern_finder_ ? pattern_finder_->pattern_of(around, place) : 0);
  }
  line.patterns = patterns_;
}

// --- Some lines only ----------------------------------------------------------------------------

/// The part of the text with the lines that were asked for by number, and how many lines are
/// before.
WantedLines wanted_lines(Bytes text, std::uint64_t lines_before, const ScanOptions& options) {
  const auto skip = [&](std::uint64_t line, std::size_t from, std::uint64_t& at_line) {
    for (; at_line < line && from < text.size(); ++at_line) from = line_end(text, from);
    return from;
  };
  WantedLines wanted;
  std::uint64_t line = lines_before;
  wanted.place.begin = skip(options.first_line - 1, 0, line);
  wanted.before = line;
  wanted.place.end = skip(options.last_line, wanted.place.begin, line);
  wanted.through = line;
  return wanted;
}

}  // namespace presso::scan_detail
