// SPDX-License-Identifier: MIT
#include "scan/text/assembler.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "scan/blocks/block_index.h"
#include "scan/matching/null_data.h"

namespace presso::scan_detail {
namespace {

constexpr std::uint64_t kEverything = std::numeric_limits<std::uint64_t>::max();
constexpr Byte kByteOrderMark[3] = {0xEF, 0xBB, 0xBF};

bool treats_nul_as_line_end(BinaryRule rule) {
  return rule != BinaryRule::kText && rule != BinaryRule::kMapped;
}

std::optional<std::size_t> find_nul(Bytes text) {
  if (text.empty()) return std::nullopt;
  const void* found = std::memchr(text.data(), 0, text.size());
  if (found == nullptr) return std::nullopt;
  return static_cast<std::size_t>(static_cast<const Byte*>(found) - text.data());
}

}  // namespace

bool begins_with_mark(Bytes text) {
  return text.size() >= sizeof kByteOrderMark &&
         std::memcmp(text.data(), kByteOrderMark, sizeof kByteOrderMark) == 0;
}

LineScanOptions line_scan_options(const ScanOptions& options, bool has_callback) {
  LineScanOptions result;
  result.invert = options.invert;
  result.line_numbers = options.line_numbers && has_callback;
  result.matches = options.matches;
  // Counts that stop at a place inside a chunk need places.
  const bool stops_inside = options.matches && options.max_lines != ~std::uint64_t{0};
  result.record = has_callback || stops_inside || options.binary == BinaryRule::kQuit;
  result.max_lines = options.max_lines;
  if (options.limits_lines()) {
    result.line_numbers = true;
    result.record = true;
    result.max_lines = ~std::uint64_t{0};
    return result;
  }
  // Lines behind the last one are shown with their matches.
  if (has_callback && result.max_lines < ~options.after_context) {
    result.max_lines += options.after_context;
  }
  return result;
}

SearchedChunk search_chunk(Chunk chunk, BinaryRule rule, LineScanner& scanner) {
  SearchedChunk searched;
  searched.chunk = std::move(chunk);
  if (searched.chunk.damage || searched.chunk.skipped) return searched;
  const MutableBytes text = searched.chunk.text.mutable_bytes();
  if (searched.chunk.offset == 0 && begins_with_mark(text)) {
    searched.text_begin = sizeof kByteOrderMark;
  }
  if (treats_nul_as_line_end(rule)) {
    searched.nul = find_nul(text.subspan(searched.text_begin));
    if (searched.nul) std::replace(text.begin(), text.end(), Byte{0}, Byte{'\n'});
  }
  searched.inner_end = line_begin(text, searched.text_begin, text.size());
  searched.has_newline = searched.inner_end > searched.text_begin;
  if (!searched.has_newline) return searched;
  searched.inner_begin = line_end(text, searched.text_begin);
  searched.findings = scanner.scan(
      Bytes(text).subspan(searched.inner_begin, searched.inner_end - searched.inner_begin));
  return searched;
}

Assembler::Assembler(const Matcher& matcher, const ScanOptions& options,
                     const LineCallback& on_line, ChunkSource& chunks)
    : options_(options),
      on_line_(on_line),
      chunks_(chunks),
      line_options_(line_scan_options(options, static_cast<bool>(on_line))),
      scanner_(matcher, line_options_, options.level),
      context_(matcher, options, static_cast<bool>(on_line)),
      rule_(options.binary),
      fills_(options.binary == BinaryRule::kStdin) {
  several_patterns_ = matcher.pattern_count() > 1;
  if (options.which_pattern) pattern_finder_ = matcher.pattern_finder();
  // Counts go on behind a NUL, but for kQuit.
  if (!on_line_ && rule_ != BinaryRule::kQuit) rule_ = BinaryRule::kText;
}

Result<bool> Assembler::add(SearchedChunk searched) {
  if (searched.error) return std::move(*searched.error);
  count_block(searched.chunk);
  if (searched.chunk.skipped) {
    add_skipped(*searched.chunk.skipped);
    flush(safe_end());
    if (failure_) return *failure_;
    return !stopped_;
  }
  if (searched.chunk.damage) return add_damage(std::move(*searched.chunk.damage));
  if (searched.text_begin > 0 && options_.binary == BinaryRule::kMapped) leave_mapping();
  if (left_mapping_ && find_nul(searched.chunk.text.bytes())) {
    searched = search_chunk(std::move(searched.chunk), BinaryRule::kStream, scanner_);
  }
  track(searched);
  if (options_.on_progress) options_.on_progress(plain_end_ + searched.chunk.text.size());
  add_text(std::move(searched));
  flush(safe_end());
  if (failure_) return *failure_;
  if (past_last_line_ && !stopped_) {
    finish();
    return false;
  }
  return !stopped_;
}

Result<bool> Assembler::add(SearchedExcerpt excerpt) {
  summary_.blocks += excerpt.blocks;
  summary_.blocks_read += excerpt.blocks;
  summary_.bytes_read += excerpt.stored_bytes;
  if (rule_ == BinaryRule::kMapped && !summary_.binary_offset) track_mapped(excerpt.probe.bytes());
  plain_end_ = excerpt.offset + excerpt.bytes;
  if (options_.on_progress) options_.on_progress(plain_end_);
  if (seam_is_empty()) seam_offset_ = excerpt.offset;
  seam_.append(excerpt.head.bytes());
  if (excerpt.has_newline) {
    close_seam(true);
    seam_.append(excerpt.tail.bytes());
    seam_offset_ = plain_end_ - excerpt.tail.size();
    Segment inner;
    inner.is_seam = true;  // the buffer is no chunk's
    inner.buffer = std::move(excerpt.lines);
    inner.size = inner.buffer.size();
    inner.offset = excerpt.offset + excerpt.head.size();
    inner.findings = std::move(excerpt.findings);
    push(std::move(inner));
  }
  flush(safe_end());
  return !stopped_;
}

void Assembler::count_block(const Chunk& chunk) {
  summary_.index_used = chunks_.index() != nullptr;
  if (!chunk.is_block) return;
  ++summary_.blocks;
  ++summary_.blocks_read;
  summary_.bytes_read += chunk.stored_bytes;
}

ScanSummary Assembler::summary() const {
  ScanSummary summary = summary_;
  summary.plain_bytes = stopped_ ? reported_end_ : plain_end_;
  // ripgrep's count for a mapped file ends there.
  if (rule_ == BinaryRule::kMapped && summary.binary_offset) {
    summary.plain_bytes = std::min(summary.plain_bytes, *summary.binary_offset);
  }
  return summary;
}

/// ripgrep reads a file that begins with a byte order mark as a stream. Workers know only their own
/// chunk, so that those that hold a NUL are searched once more, as lines of a stream: a rare pair.
void Assembler::leave_mapping() {
  left_mapping_ = true;
  if (rule_ == BinaryRule::kMapped) rule_ = BinaryRule::kStream;
}

Result<bool> Assembler::add_damage(DamagedBlock damage) {
  if (options_.fail_fast) {
    finish();
    return std::move(damage.error);
  }
  close_seam(false);
  flush(safe_end());
  behind_hole_ = true;
  // Where not even a header could be read, the hole begins where the text before it ended.
  if (damage.plain_bytes == 0) damage.plain_offset = plain_end_;
  plain_end_ = damage.plain_offset + damage.plain_bytes;
  report_hole(std::move(damage));
  return !stopped_;
}

void Assembler::report_hole(DamagedBlock damage) {
  flush(safe_end());
  ++summary_.damaged_blocks;
  if (options_.is_cancelled()) stopped_ = true;
  if (!stopped_ && options_.on_damage) options_.on_damage(damage);
}

void Assembler::finish() {
  fills_.finish();
  mapped_seen_ = kMappedProbeBytes;
  close_seam(false);
  flush(kEverything);
  if (!stopped_ && fills_.nul() && line_options_.record) summary_.binary_offset = fills_.nul();
}

// --- The binary rule ----------------------------------------------------------------------------

void Assembler::track(const SearchedChunk& searched) {
  const Bytes text = searched.chunk.text.bytes().subspan(searched.text_begin);
  if (summary_.binary_offset) return;
  if (searched.text_begin > 0) fills_.had_byte_order_mark();
  if (rule_ == BinaryRule::kMapped) {
    track_mapped(text);
  } else if (treats_nul_as_line_end(rule_) && !fills_.nul()) {
    fills_.feed(text, searched.chunk.short_read, searched.nul);
  }
}

void Assembler::track_mapped(Bytes text) {
  const std::uint64_t wanted =
      std::min<std::uint64_t>(kMappedProbeBytes - mapped_seen_, text.size());
  const auto nul = find_nul(text.first(static_cast<std::size_t>(wanted)));
  if (nul) summary_.binary_offset = mapped_seen_ + *nul;
  mapped_seen_ += wanted;
}

/// Lines before it may be reported as far as the rule is concerned.
std::uint64_t Assembler::safe_end() const {
  switch (rule_) {
    case BinaryRule::kText:
      return kEverything;
    case BinaryRule::kMapped:
      if (summary_.binary_offset) return kEverything;  // ended_by_nul() says what becomes of them
      return mapped_seen_ < kMappedProbeBytes ? 0 : kEverything;
    case BinaryRule::kStream:
    case BinaryRule::kStdin:
    case BinaryRule::kQuit:
      return fills_.nul() ? kEverything : fills_.safe_end();
  }
  return kEverything;
}

/// Decides for a line to be reported whether it, instead, ends the scan.
bool Assembler::ended_by_nul(Bytes line, std::uint64_t offset) {
  reported_end_ = offset + line.size();
  if (rule_ == BinaryRule::kText) return false;
  if (rule_ == BinaryRule::kMapped) {
    if (summary_.binary_offset) return !options_.lines_behind_nul;
    const auto nul = find_nul(line);
    if (nul) summary_.binary_offset = offset + *nul;
    return nul.has_value() && !options_.lines_behind_nul;
  }
  if (options_.lines_behind_nul && rule_ != BinaryRule::kQuit) return false;
  return fills_.nul() && offset >= fills_.safe_end();
}

void Assembler::end_by_nul() {
  if (fills_.nul()) summary_.binary_offset = fills_.nul();
  stopped_ = true;
}

// --- Chunks to segments -------------------------------------------------------------------------

void Assembler::add_text(SearchedChunk searched) {
  Buffer& buffer = searched.chunk.text;
  const Bytes text = buffer.bytes();
  plain_end_ = searched.chunk.offset + text.size();
  removed_ += searched.text_begin;
  const std::uint64_t offset = searched.chunk.offset - removed_;
  if (seam_is_empty()) seam_offset_ = offset + searched.text_begin;
  if (!searched.has_newline) {
    seam_.append(text.subspan(searched.text_begin));
    ++unmatched_blocks_;
    chunks_.recycle(std::move(buffer));
    return;
  }
  seam_.append(text.subspan(searched.text_begin, searched.inner_begin - searched.text_begin));
  const bool matched = close_seam(true) || searched.findings.lines > 0;
  if (failure_) return;  // nothing after what could not be read is reported
  seam_.append(text.subspan(searched.inner_end));
  if (!matched && chunks_.index() != nullptr)
    ++(seam_.empty() ? summary_.blocks_read_in_vain : unmatched_blocks_);
  seam_offset_ = offset + searched.inner_end;
  Segment inner;
  inner.buffer = std::move(buffer);
  inner.begin = searched.inner_begin;
  inner.size = searched.inner_end - searched.inner_begin;
  inner.offset = offset + searched.inner_begin;
  inner.findings = std::move(searched.findings);
  push(std::move(inner));
}

/// The unfinished line ends here. Returns whether it is to be reported.
bool Assembler::close_seam(bool by_newline) {
  const std::uint64_t unmatched = std::exchange(unmatched_blocks_, 0);
  bool found = false;
  if (missing_.empty()) {
    found = search_seam();
  } else if (missing_parts_matter()) {
    const std::uint64_t lines_before = line_count_;
    read_missing_parts();
    found = search_seam();
    // Where damage took the line feed.
    if (by_newline && line_options_.line_numbers) line_count_ = lines_before + 1;
  } else {
    if (by_newline && line_options_.line_numbers) ++line_count_;
    seam_.clear();
    missing_.clear();
  }
  if (!found && chunks_.index() != nullptr) summary_.blocks_read_in_vain += unmatched;
  return found;
}

/// Searches the line, all of which is there, and leaves it empty.
bool Assembler::search_seam() {
  if (seam_.empty()) return false;
  Segment segment;
  segment.findings = scanner_.scan(seam_.bytes());
  segment.offset = seam_offset_;
  segment.size = seam_.size();
  if (segment.findings.lines == 0 && !wants_context()) {
    line_count_ += segment.findings.newlines;
    seam_.clear();
    return false;
  }
  segment.is_seam = true;
  segment.buffer = std::move(seam_);
  seam_ = Buffer();
  push(std::move(segment));
  return true;
}

// --- Blocks that were left out ------------------------------------------------------------------

void Assembler::add_skipped(SkippedBlocks skipped) {
  for (std::uint64_t i = 0; i < skipped.count && !failure_; ++i) {
    add_skipped_block(skipped.first + i);
  }
}

/// As add_text(), from the facts about the block.
void Assembler::add_skipped_block(std::uint64_t block) {
  const LineFacts& facts = chunks_.index()->facts(block);
  const auto bytes = static_cast<std::size_t>(chunks_.index()->plain_bytes(block));
  const std::uint64_t begin = chunks_.index()->plain_offset(block);
  plain_end_ = begin + bytes;
  ++summary_.blocks;
  ++summary_.blocks_skipped;
  summary_.plain_bytes += bytes;
  const std::uint64_t offset = begin - removed_;
  if (seam_is_empty()) seam_offset_ = offset;
  if (facts.newlines == 0) {
    missing_.push_back({block, 0, bytes, seam_.size()});
    return;
  }
  missing_.push_back({block, 0, facts.first_newline + std::size_t{1}, seam_.size()});
  close_seam(true);
  if (failure_) return;
  if (line_options_.line_numbers) line_count_ += facts.newlines - 1;
  const std::size_t rest = facts.last_newline + std::size_t{1};
  seam_offset_ = offset + rest;
  if (rest < bytes) missing_.push_back({block, rest, bytes, 0});
}

/// Whether a match may begin in what is known of the line.
bool Assembler::missing_parts_matter() const {
  std::size_t begin = 0;
  for (const MissingPart& part : missing_) {
    const Bytes known = seam_.bytes().subspan(begin, part.at - begin);
    if (chunks_.index()->may_begin_in(known, true)) return true;
    begin = part.at;
  }
  return chunks_.index()->may_begin_in(seam_.bytes().subspan(begin), false);
}

/// Completes the line. A damaged block ends it, and what is behind the block begins a new one.
void Assembler::read_missing_parts() {
  const Buffer known = std::exchange(seam_, Buffer());
  std::size_t taken = 0;
  for (const MissingPart& part : std::exchange(missing_, {})) {
    seam_.append(known.bytes().subspan(taken, part.at - taken));
    taken = part.at;
    Result<Chunk> chunk = chunks_.load(WholeBlock{part.block});
    if (!chunk.ok()) {
      failure_ = std::move(chunk.error());
      return seam_.clear();
    }
    if (last_missing_read_ != part.block) {
      last_missing_read_ = part.block;
      --summary_.blocks_skipped;
      ++summary_.blocks_read;
      summary_.bytes_read += chunk->stored_bytes;
    }
    if (chunk->damage) {
      search_seam();
      if (options_.fail_fast) {
        failure_ = std::move(chunk->damage->error);
        return;
      }
      report_hole(std::move(*chunk->damage));
      seam_offset_ = chunk->offset + part.end - removed_;
    } else {
      seam_.append(chunk->text.bytes().subspan(part.begin, part.end - part.begin));
    }
    chunks_.recycle(std::move(chunk->text));
  }
  seam_.append(known.bytes().subspan(taken));
}

void Assembler::push(Segment segment) {
  segment.first_line = line_count_;
  segment.behind_hole = std::exchange(behind_hole_, false);
  line_count_ += segment.findings.newlines;
  if (options_.limits_lines()) keep_wanted_lines(segment);
  const bool has_text = segment.settled < segment.size;
  if (segment.findings.lines == 0 && !(wants_context() && has_text)) return release(segment);
  waiting_.push_back(std::move(segment));
}

/// Buffers of seams stay out of the chunks' pool: they are small, and more than what is taken.
void Assembler::release(Segment& segment) {
  if (!segment.is_seam) chunks_.recycle(std::move(segment.buffer));
}

/// Leaves of a segment what lies in [first_line, last_line].
void Assembler::keep_wanted_lines(Segment& segment) {
  const Bytes text = segment.text();
  const auto skip = [&](std::uint64_t line, std::size_t from, std::uint64_t& at_line) {
    for (; at_line < line && from < text.size(); ++at_line) from = line_end(text, from);
    return from;
  };
  std::uint64_t line = segment.first_line;
  segment.settled = skip(options_.first_line - 1, 0, line);
  segment.settled_lines = line - segment.first_line;
  segment.size = skip(options_.last_line, segment.settled, line);
  past_last_line_ = line >= options_.last_line;
  Findings& findings = segment.findings;
  std::erase_if(findings.found, [&](const FoundLine& found) {
    return found.begin < segment.settled || found.begin >= segment.size;
  });
  findings.lines = findings.found.size();
}

// --- Segments to lines --------------------------------------------------------------------------

/// Reports waiting lines that begin before `before`.
void Assembler::flush(std::uint64_t before) {
  while (!waiting_.empty() && !stopped_) {
    Segment& segment = waiting_.front();
    if (!line_options_.record) {
      flush_counts(segment);
    } else if (wants_context() ? !flush_with_context(segment, before)
                               : !flush_lines(segment, before)) {
      return;
    }
    release(segment);
    waiting_.pop_front();
  }
  // Behind a NUL under kQuit there is nothing more to find.
  if (rule_ == BinaryRule::kQuit && fills_.nul() && !stopped_) {
    summary_.binary_offset = fills_.nul();
    stopped_ = true;
  }
}

void Assembler::flush_counts(const Segment& segment) {
  const std::uint64_t left = options_.max_lines - summary_.lines;
  summary_.lines += std::min(segment.findings.lines, left);
  summary_.matches += segment.findings.matches;
  stopped_ = summary_.lines >= options_.max_lines;
}

/// True where all of the segment's lines were reported (or the scan has ended).
bool Assembler::flush_lines(Segment& segment, std::uint64_t before) {
  const std::vector<FoundLine>& found = segment.findings.found;
  while (segment.reported < found.size() && !stopped_) {
    const FoundLine& line = found[segment.reported];
    if (segment.offset_of(line) >= before) return false;
    ++segment.reported;
    const Bytes text = segment.text().subspan(line.begin, line.end - line.begin);
    if (ended_by_nul(text, segment.offset_of(line))) {
      // ripgrep counts the line that it does not show; under kQuit it never looks at it.
      if (rule_ != BinaryRule::kQuit) count(line);
      end_by_nul();
      break;
    }
    report(segment, line);
  }
  return true;
}

void Assembler::count(const FoundLine& line) {
  ++summary_.lines;
  summary_.matches += line.span_count;
}

void Assembler::report(const Segment& segment, const FoundLine& line) {
  const bool limit_reached = summary_.lines >= options_.max_lines;
  count(line);
  context_.matched(limit_reached);
  if (on_line_) {
    MatchedLine matched;
    matched.text = segment.text().subspan(line.begin, line.end - line.begin);
    matched.offset = segment.offset_of(line);
    matched.number = segment.first_line + line.number + 1;
    matched.matches = std::span(segment.findings.spans).subspan(line.first_span, line.span_count);
    deliver(matched);
  }
  if (summary_.lines >= options_.max_lines && context_.after_left() == 0) stopped_ = true;
}

void Assembler::tell_patterns(MatchedLine& line) {
  patterns_.clear();
  if (!pattern_finder_ && several_patterns_) return;
  for (const MatchSpan& match : line.matches) {
    patterns_.push_back(pattern_finder_ ? pattern_finder_->pattern_of(line.text, match) : 0);
  }
  line.patterns = patterns_;
}

void Assembler::deliver(MatchedLine& line) {
  if (options_.is_cancelled()) {
    stopped_ = true;
    return;
  }
  if (!options_.line_numbers) line.number = 0;
  if (options_.which_pattern) tell_patterns(line);
  if (options_.null_data) {
    exchanged_.assign(line.text.begin(), line.text.end());
    exchange_nul_and_line_feed(exchanged_);
    line.text = exchanged_;
  }
  line.after_gap = context_.gap_before(line.offset, line.text.size());
  if (!on_line_(line)) stopped_ = true;
}

}  // namespace presso::scan_detail
