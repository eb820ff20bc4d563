// SPDX-License-Identifier: MIT
// The part of the assembler for records (record_borders.h): what finds them, what becomes of one
// that grows too long, and of blocks that the index left out, in which nothing begins that a match
// must contain. Of these the first ones are read while a record with what may be a match goes on in
// them, and the last ones from where a record begins that goes on after them. Tested by
// tests/unit/scan/text/records_test.cpp and tests/cli/test_scan_records.py.
#include <string>
#include <utility>

#include "scan/blocks/block_index.h"
#include "scan/matching/line_scan.h"
#include "scan/pattern/pattern_access.h"
#include "scan/text/assembler.h"

namespace presso::scan_detail {

std::optional<RecordBorders> record_borders(const ScanOptions& options,
                                            std::span<const MemberTimes> times) {
  if (!options.records) return std::nullopt;
  const RecordRule& rule = *options.records;
  if (rule.kind == RecordRule::Kind::kStart) {
    return RecordBorders(matcher_of(*rule.start), options.decode.level);
  }
  if (rule.kind != RecordRule::Kind::kTime) return RecordBorders(rule.kind);
  return RecordBorders(
      [times](std::uint64_t offset) { return time_form_at(times, offset).reader; });
}

std::vector<RecordCondition> record_conditions(const ScanOptions& options) {
  std::vector<RecordCondition> conditions;
  if (!options.records) return conditions;
  const auto add = [&](const std::vector<Pattern>& patterns, bool wanted) {
    for (const Pattern& pattern : patterns) {
      conditions.push_back({matcher_of(pattern).searcher(options.decode.level), wanted});
    }
  };
  add(options.records->required, true);
  add(options.records->forbidden, false);
  return conditions;
}

/// A record may begin where a chunk border cut its first line, of which no worker knows; the last
/// line, which is not complete yet, may begin one, too.
void Assembler::shorten_seam() {
  const Bytes text = seam_.text();
  const std::size_t lines_end = line_begin(text, 0, text.size());
  seam_records_->start(text.first(lines_end), seam_.offset() + removed_);
  const std::size_t last = seam_records_->last(0, lines_end);
  const std::uint64_t most = options_.records->most_bytes;
  if (lines_end - last > most || text.size() - lines_end > most) {
    failure_ = make_error(ErrorCode::kUnsupported,
                          "the record at offset " + std::to_string(seam_.offset() + last) +
                              " is longer than " + std::to_string(most) + " bytes");
    return;
  }
  if (last == 0) return;
  const std::uint64_t offset = seam_.offset() + last;
  Buffer rest;
  rest.append(text.subspan(last));
  seam_.truncate(last);
  search_seam();
  seam_.clear();
  seam_.set_offset(offset);
  seam_.append(rest.bytes());
}

void Assembler::add_skipped_of_records(const SkippedBlocks& skipped) {
  const BlockIndex& index = *chunks_.index();
  const std::uint64_t end = skipped.first + skipped.count;
  summary_.blocks += skipped.count;
  summary_.blocks_skipped += skipped.count;
  std::uint64_t block = skipped.first;
  for (; block < end && !failure_ && index.may_begin_in(seam_.text(), true); ++block) {
    add_left_out(block);
  }
  // From here on no record has a match that begins before the end of these blocks.
  std::uint64_t from = end;
  bool begins = end == index.end_block();
  while (!begins && from > block && !failure_) begins = begins_record_in(--from);
  if (begins && block < end) {
    line_count_ += count_line_feeds(seam_.text());
    for (; block < from; ++block) line_count_ += index.facts(block).newlines;
    seam_.clear();
    plain_end_ = index.plain_offset(from - 1) + index.plain_bytes(from - 1);
  }
  for (; block < end && !failure_ && !reporter_.stopped(); ++block) add_left_out(block);
}

/// Whether a record begins in a line that lies in the block, or the block is damaged.
bool Assembler::begins_record_in(std::uint64_t block) {
  Result<Chunk> chunk = chunks_.load(WholeBlock{block});
  if (!chunk.ok()) {
    failure_ = std::move(chunk.error());
    return false;
  }
  if (chunk->damage) return true;
  const Bytes text = chunk->text.bytes();
  const std::size_t begin = line_end(text, 0);
  const std::size_t end = line_begin(text, begin, text.size());
  seam_records_->start(text.subspan(begin, end - begin),
                       chunks_.index()->plain_offset(block) + begin);
  return seam_records_->next(0) < end - begin;
}

/// Reads and searches a block after all.
void Assembler::add_left_out(std::uint64_t block) {
  Result<Chunk> chunk = chunks_.load(WholeBlock{block});
  if (!chunk.ok()) {
    failure_ = std::move(chunk.error());
    return;
  }
  --summary_.blocks_skipped;
  ++summary_.blocks_read;
  summary_.bytes_read += chunk->stored_bytes;
  if (!chunk->damage) return add_text(search_chunk(std::move(*chunk), scanner_));
  const Result<bool> more = add_damage(std::move(*chunk->damage), 0);
  if (!more.ok()) failure_ = more.error();
}

}  // namespace presso::scan_detail
