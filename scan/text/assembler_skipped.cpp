// SPDX-License-Identifier: MIT
// The part of the assembler for blocks that the index left out (scan/blocks/block_index.h). Only
// their line ends are known. A line that reaches into such a block is completed, by reading the
// block, only if a match may begin in what is known of the line. Tested by
// tests/unit/scan/blocks/scan_index_test.cpp.
#include <algorithm>
#include <utility>
#include <vector>

#include "scan/blocks/block_index.h"
#include "scan/matching/line_scan.h"
#include "scan/text/assembler.h"

namespace presso::scan_detail {

/// Whether the line may match, by what is there of it and by what the index knows of the rest.
bool Seam::may_match(const BlockIndex& index) const {
  std::size_t begin = 0;
  for (const MissingPart& part : missing_) {
    if (index.may_begin_in(text().subspan(begin, part.at - begin), true)) return true;
    begin = part.at;
  }
  return index.may_begin_in(text().subspan(begin), false);
}

void Assembler::add_skipped(const SkippedBlocks& skipped) {
  for (std::uint64_t i = 0; i < skipped.count && !failure_; ++i) {
    add_skipped_block(skipped.first + i);
  }
}

/// Does what add_text() does, from the facts about the block in place of its text.
void Assembler::add_skipped_block(std::uint64_t block) {
  const LineFacts& facts = chunks_.index()->facts(block);
  const auto bytes = static_cast<std::size_t>(chunks_.index()->plain_bytes(block));
  const std::uint64_t begin = chunks_.index()->plain_offset(block);
  plain_end_ = begin + bytes;
  ++summary_.blocks;
  ++summary_.blocks_skipped;
  const std::uint64_t offset = begin - removed_;
  begin_seam(offset);
  if (facts.newlines == 0) {
    seam_.append_missing(block, 0, bytes);
    return forget_times(block);
  }
  seam_.append_missing(block, 0, facts.first_newline + std::size_t{1});
  close_seam(true);
  if (line_options_.line_numbers) line_count_ += facts.newlines - 1;
  const std::size_t rest = facts.last_newline + std::size_t{1};
  seam_.set_offset(offset + rest);
  if (rest < bytes) seam_.append_missing(block, rest, bytes);
  forget_times(block);
}

/// Lines after the block that have no time of their own have that of one in it.
void Assembler::forget_times(std::uint64_t block) {
  if (!times_) return;
  if (chunks_.index()->skipped_by_time(block)) return times_->forget();
  times_->forget([this, block] { return last_time(block); });
}

bool Assembler::begins_at_other_time() const {
  const std::optional<std::uint64_t> block = seam_.missing_begin();
  return times_ && block && chunks_.index()->skipped_by_time(*block);
}

std::optional<LineTime> Assembler::last_time(std::uint64_t block) {
  constexpr std::size_t kMostOfNext = std::size_t{4} << 10;
  const BlockIndex& index = *chunks_.index();
  // What the block after it has of the line that begins in this one.
  std::vector<Byte> next;
  if (block + 1 < index.end_block()) {
    Result<Chunk> chunk = chunks_.load(WholeBlock{block + 1});
    if (chunk.ok() && !chunk->damage) {
      const Bytes text = chunk->text.bytes();
      const Bytes end = text.subspan(0, std::min(line_end(text, 0), kMostOfNext));
      next.assign(end.begin(), end.end());
    }
  }
  for (;; --block) {
    if (index.skipped_by_time(block)) return std::nullopt;
    Result<Chunk> chunk = chunks_.load(WholeBlock{block});
    if (!chunk.ok()) {
      failure_ = std::move(chunk.error());
      return std::nullopt;
    }
    if (!index.wanted(block)) count_read_part(block, chunk->stored_bytes);
    if (chunk->damage) return std::nullopt;
    chunk->text.append(next);
    const Bytes text = chunk->text.bytes();
    const bool is_first = block == index.first_block();
    const Bytes begin = text.subspan(0, is_first ? 0 : line_end(text, 0));
    const auto last = times_->last_in(text.subspan(begin.size()), index.plain_offset(block));
    if (last || is_first) return last;
    const Bytes end = begin.subspan(0, std::min(begin.size(), kMostOfNext));
    next.assign(end.begin(), end.end());
    chunks_.recycle(std::move(chunk->text));
  }
}

/// Reads the missing parts of the line. Afterwards the seam holds the line or, if a damaged block
/// cut it, what follows the damage; what came before it has been searched.
void Assembler::complete_seam() {
  const Buffer known = seam_.take_text();
  std::size_t taken = 0;
  for (const Seam::MissingPart& part : seam_.take_missing()) {
    seam_.append(known.bytes().subspan(taken, part.at - taken));
    taken = part.at;
    if (!append_part(part)) return seam_.clear();
  }
  seam_.append(known.bytes().subspan(taken));
}

/// Appends one missing part. Returns false if the scan fails, with failure_ set.
bool Assembler::append_part(const Seam::MissingPart& part) {
  Result<Chunk> chunk = chunks_.load(WholeBlock{part.block});
  if (!chunk.ok()) {
    failure_ = std::move(chunk.error());
    return false;
  }
  count_read_part(part.block, chunk->stored_bytes);
  if (!chunk->damage) {
    seam_.append(chunk->text.bytes().subspan(part.begin, part.end - part.begin));
    chunks_.recycle(std::move(chunk->text));
    return true;
  }
  search_seam();
  if (options_.fail_fast) {
    failure_ = std::move(chunk->damage->error);
    return false;
  }
  // One line may end and another begin in the same block, which is one hole.
  if (std::exchange(last_hole_, part.block) == part.block) {
    after_hole_ = true;
  } else {
    report_hole(*chunk->damage);
  }
  seam_.set_offset(chunk->offset + part.end - removed_);
  return true;
}

/// Counts a block as read after all, once for both lines that may end and begin in it.
void Assembler::count_read_part(std::uint64_t block, std::uint64_t stored_bytes) {
  if (std::exchange(last_missing_read_, block) == block) return;
  --summary_.blocks_skipped;
  ++summary_.blocks_read;
  summary_.bytes_read += stored_bytes;
}

}  // namespace presso::scan_detail
