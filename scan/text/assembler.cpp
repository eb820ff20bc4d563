// SPDX-License-Identifier: MIT
// Assembler: it takes text that workers have read and, in assembler_skipped.cpp, blocks that the
// index left out. Both end in segments, which are counted, cut to the wanted lines and reported in
// order.

#include "scan/text/assembler.h"

#include <algorithm>
#include <utility>

#include "scan/blocks/block_index.h"

namespace presso::scan_detail {

/// Arguments are kept by reference. Where the index has left out the file's beginning, counting
/// starts with what the index knows of it.
Assembler::Assembler(const Matcher& matcher, const ScanOptions& options,
                     const LineCallback& on_line, ChunkSource& chunks,
                     std::span<const MemberTimes> times)
    : options_(options),
      chunks_(chunks),
      line_options_(line_scan_options(options, static_cast<bool>(on_line))),
      lacks_record_times_(options.records && options.records->kind == RecordRule::Kind::kTime &&
                          !any_tells_times(times)),
      scanner_(matcher, line_options_, options.decode.level, record_borders(options, times),
               record_conditions(options)),
      seam_records_(record_borders(options, times)),
      reporter_(matcher, options, on_line, record_borders(options, times)) {
  if (options.times) times_.emplace(*options.times, times, options.records.has_value());
  if (const BlockIndex* const index = chunks.index()) {
    line_count_ = index->lines_before();
    removed_ = index->is_behind_mark() ? kMarkBytes : 0;
  }
  if (!options.invert || !options.matches || !reporter_.wants_context()) return;
  std::optional<RecordBorders> whole;
  if (options.records) whole.emplace();
  context_scanner_.emplace(matcher, LineScanOptions{.matches = true, .record = true},
                           options.decode.level, std::move(whole), record_conditions(options));
  reporter_.set_context_matches([this](Bytes text, const MatchSpan& line) {
    context_findings_ = context_scanner_->scan(text.subspan(line.begin, line.end - line.begin));
    return std::span<const MatchSpan>(context_findings_.spans);
  });
}

/// Takes the next chunk in the order of the file. False where no more is wanted; an error ends the
/// scan, after what was found before it has been reported.
Result<bool> Assembler::add(SearchedChunk searched) {
  if (times_ && times_->needs_sample()) return add_to_sample(std::move(searched));
  return add_known(std::move(searched));
}

/// Holds chunks back until the beginning of the text has shown how lines tell their time.
Result<bool> Assembler::add_to_sample(SearchedChunk searched) {
  const bool is_last = searched.error.has_value();
  if (!is_last) sample_.append(searched.chunk.text.bytes().subspan(searched.text_begin));
  held_.push_back(std::move(searched));
  if (!is_last && sample_.size() < kTimeSampleBytes) return true;
  return add_held();
}

Result<bool> Assembler::add_held() {
  times_->take_sample(sample_.bytes());
  for (SearchedChunk& held : std::exchange(held_, {})) {
    PRESSO_ASSIGN(const bool more, add_known(std::move(held)));
    if (!more) return false;
  }
  return true;
}

Result<bool> Assembler::add_known(SearchedChunk searched) {
  if (searched.error) return std::move(*searched.error);
  const bool lacks_times = lacks_record_times_ || (times_ && !times_->has_any());
  if (lacks_times && searched.chunk.text.size() > 0) {
    return make_error(ErrorCode::kInvalidArgument,
                      "its first lines have no time that is known, or the order of day and month "
                      "is doubtful");
  }
  count_block(searched.chunk);
  if (searched.chunk.damage) {
    return add_damage(std::move(*searched.chunk.damage), searched.chunk.lost_lines);
  }
  if (searched.chunk.skipped) {
    options_.records ? add_skipped_of_records(*searched.chunk.skipped)
                     : add_skipped(*searched.chunk.skipped);
  } else {
    reporter_.binary().probe(searched.chunk.text.bytes().subspan(searched.text_begin));
    report_waiting();
    if (options_.on_progress) options_.on_progress(plain_end_ + searched.chunk.text.size());
    add_text(std::move(searched));
  }
  if (failure_) return *failure_;
  if (past_last_line_ && !reporter_.stopped()) {
    finish();
    return false;
  }
  return !reporter_.stopped();
}

/// Takes a part of the text that was searched elsewhere, by a GPU: counts and places, and of the
/// text only what lines need.
Result<bool> Assembler::add(SearchedExcerpt excerpt) {
  summary_.blocks += excerpt.blocks;
  summary_.blocks_read += excerpt.blocks;
  summary_.bytes_read += excerpt.stored_bytes;
  reporter_.binary().probe(excerpt.probe.bytes());
  report_waiting();
  plain_end_ = excerpt.offset + excerpt.bytes;
  if (options_.on_progress) options_.on_progress(plain_end_);
  begin_seam(excerpt.offset);
  seam_.append(excerpt.head.bytes());
  if (!excerpt.has_newline) return !reporter_.stopped();
  close_seam(true);
  seam_.append(excerpt.tail.bytes());
  seam_.set_offset(plain_end_ - excerpt.tail.size());
  Segment inner;
  inner.buffer = std::move(excerpt.lines);
  inner.size = inner.buffer.size();
  inner.offset = excerpt.offset + excerpt.head.size();
  inner.findings = std::move(excerpt.findings);
  push(std::move(inner));
  // An excerpt has text up to its first line end and after its last, which are joined to the
  // neighbours.
  return !reporter_.stopped();
}

void Assembler::finish() {
  if (!held_.empty()) {
    const Result<bool> more = add_held();
    if (!more.ok()) failure_ = more.error();
    if (!more.ok() || !*more) return;
  }
  reporter_.binary().end_probe();
  close_seam(false);
  report_waiting();
}

/// Counts the block to the summary.
void Assembler::count_block(const Chunk& chunk) {
  summary_.index_used = chunks_.index() != nullptr;
  if (!chunk.is_block) return;
  ++summary_.blocks;
  ++summary_.blocks_read;
  summary_.bytes_read += chunk.stored_bytes;
}

/// The summary so far; final after finish().
ScanSummary Assembler::summary() const {
  ScanSummary summary = summary_;
  reporter_.add_to(summary);
  summary.plain_bytes = reporter_.stopped() ? reporter_.looked_at_end() : plain_end_;
  // As ripgrep counts, the text of a binary file ends at the NUL.
  if (summary.binary_offset) {
    summary.plain_bytes = std::min(summary.plain_bytes, *summary.binary_offset);
  }
  return summary;
}

// --- Chunks to segments -------------------------------------------------------------------------

/// Takes a damaged block: ends the line at hand, reports what is known, and goes on after the hole,
/// or with fail_fast returns the error.
Result<bool> Assembler::add_damage(DamagedBlock damage, std::uint64_t lost_lines) {
  if (options_.fail_fast) {
    finish();
    return failure_ ? *failure_ : std::move(damage.error);
  }
  close_seam(false);
  if (failure_) return *failure_;
  line_count_ += lost_lines;
  // If not even a header could be read, the hole begins where the text before it ended.
  if (damage.plain_bytes == 0) damage.plain_offset = plain_end_;
  plain_end_ = damage.plain_offset + damage.plain_bytes;
  report_hole(damage);
  return !reporter_.stopped();
}

void Assembler::report_hole(const DamagedBlock& damage) {
  after_hole_ = true;
  if (times_) times_->forget();
  ++summary_.damaged_blocks;
  if (reporter_.goes_on() && options_.on_damage) options_.on_damage(damage);
}

/// Splits a chunk into the end of the unfinished line, the inner text, and the beginning of the
/// next line.
void Assembler::add_text(SearchedChunk searched) {
  Buffer& buffer = searched.chunk.text;
  const Bytes text = buffer.bytes();
  plain_end_ = searched.chunk.offset + text.size();
  removed_ += searched.text_begin;
  const std::uint64_t offset = searched.chunk.offset - removed_;
  begin_seam(offset + searched.text_begin);
  if (!searched.has_border) {
    seam_.append(text.subspan(searched.text_begin));
    ++unmatched_blocks_;
    chunks_.recycle(std::move(buffer));
    if (options_.records && seam_.text().size() > options_.records->most_bytes) shorten_seam();
    return;
  }
  seam_.append(text.subspan(searched.text_begin, searched.inner_begin - searched.text_begin));
  const bool matched = close_seam(true) || searched.findings.lines > 0;
  seam_.append(text.subspan(searched.inner_end));
  if (!matched && chunks_.index() != nullptr) {
    ++(seam_.empty() ? summary_.blocks_read_in_vain : unmatched_blocks_);
  }
  seam_.set_offset(offset + searched.inner_end);
  Segment inner;
  inner.buffer = std::move(buffer);
  inner.is_chunk = true;
  inner.begin = searched.inner_begin;
  inner.size = searched.inner_end - searched.inner_begin;
  inner.offset = offset + searched.inner_begin;
  inner.findings = std::move(searched.findings);
  push(std::move(inner));
}

/// Sets where the next line begins, if no line is unfinished.
void Assembler::begin_seam(std::uint64_t offset) {
  if (seam_.empty()) seam_.set_offset(offset);
}

/// Ends the unfinished line here. Returns whether it is to be reported.
bool Assembler::close_seam(bool by_newline) {
  const std::uint64_t unmatched = std::exchange(unmatched_blocks_, 0);
  const std::uint64_t lines_before = line_count_;
  const bool complete = seam_.is_complete();
  bool found = false;
  if (complete) {
    found = search_seam();
  } else if (!begins_at_other_time() && seam_.may_match(*chunks_.index())) {
    complete_seam();
    found = search_seam();
  }
  seam_.clear();
  // A line with missing parts counts as the one line that it is: it may not have been read, and
  // damage may have taken its line feed.
  if (!complete && by_newline && line_options_.line_numbers) line_count_ = lines_before + 1;
  if (!found && chunks_.index() != nullptr) summary_.blocks_read_in_vain += unmatched;
  return found;
}

/// Searches the unfinished line, all of which is there, and leaves it empty. Returns whether it was
/// passed on.
bool Assembler::search_seam() {
  if (seam_.text().empty()) return false;
  Segment segment;
  segment.findings = scanner_.scan(seam_.text(), seam_.offset() + removed_);
  segment.offset = seam_.offset();
  segment.size = seam_.text().size();
  if (segment.findings.lines == 0 && !reporter_.wants_context()) {
    if (times_) times_->pass(seam_.text(), seam_.offset() + removed_);
    line_count_ += segment.findings.newlines;
    seam_.clear();
    return false;
  }
  segment.buffer = seam_.take_text();
  push(std::move(segment));
  return true;
}

// --- Segments to the reporter -------------------------------------------------------------------

/// Counts a segment, cuts it to the wanted lines and queues it if anything of it is wanted.
void Assembler::push(Segment segment) {
  segment.lines_before = line_count_;
  line_count_ += segment.findings.newlines;
  if (times_) times_->keep_wanted(segment.text(), segment.offset + removed_, segment.findings);
  if (options_.limits_lines()) keep_wanted_lines(segment);
  const bool wanted = segment.findings.lines > 0 || (reporter_.wants_context() && segment.size > 0);
  if (!wanted || failure_ || reporter_.stopped()) return release(segment);
  segment.after_hole = std::exchange(after_hole_, false);
  waiting_.push_back(std::move(segment));
  report_waiting();
}

/// Reports the segments that waited for the decision whether the file is binary.
void Assembler::report_waiting() {
  BinaryCheck& binary = reporter_.binary();
  if (binary.ends_scan()) reporter_.stop();
  if (binary.undecided()) return;
  for (; !waiting_.empty() && !reporter_.stopped(); waiting_.pop_front()) {
    report(waiting_.front());
    release(waiting_.front());
  }
}

/// Reports the found lines of one segment in their order.
void Assembler::report(const Segment& segment) {
  const Findings& findings = segment.findings;
  if (!line_options_.record) return reporter_.count(findings.lines, findings.matches);
  reporter_.begin_text(segment.text(), segment.offset, segment.lines_before, segment.after_hole,
                       removed_);
  for (const FoundLine& line : findings.found) {
    if (reporter_.stopped()) break;
    reporter_.report(
        {.place = {line.begin, line.end},
         .moved = line.moved,
         .before = segment.lines_before + line.number,
         .matches = std::span(findings.spans).subspan(line.first_span, line.span_count),
         .time = line.time,
         .has_zone = line.has_zone});
  }
  reporter_.end_text();
}

/// Gives a segment's buffer back. Buffers of unfinished lines stay out of the chunks' pool: they
/// are smaller than what is taken from it.
void Assembler::release(Segment& segment) {
  if (segment.is_chunk) chunks_.recycle(std::move(segment.buffer));
}

/// Cuts a segment to the lines in [first_line, last_line].
void Assembler::keep_wanted_lines(Segment& segment) {
  const WantedLines wanted = wanted_lines(segment.text(), segment.lines_before, options_);
  past_last_line_ = wanted.through >= options_.last_line;
  std::vector<FoundLine>& found = segment.findings.found;
  std::erase_if(found, [&](const FoundLine& line) {
    return line.begin < wanted.place.begin || line.begin >= wanted.place.end;
  });
  for (FoundLine& line : found) {
    line.begin -= wanted.place.begin;
    line.end -= wanted.place.begin;
    line.number -= wanted.before - segment.lines_before;
  }
  segment.findings.lines = found.size();
  segment.begin += wanted.place.begin;
  segment.size = wanted.place.end - wanted.place.begin;
  segment.offset += wanted.place.begin;
  segment.lines_before = wanted.before;
}

}  // namespace presso::scan_detail
