// SPDX-License-Identifier: MIT
// SlotBatch: stored blocks lie one after another in the slot; the plain bytes of each begin at a
// multiple of 16. There are gaps only after blocks whose size is not a multiple of that: the last
// ones of files.
#include "decompress/gpu/pipeline/slot_batch.h"

#include <algorithm>
#include <cstring>

namespace presso::gpu {

namespace {

bool fit(std::uint64_t used, std::uint64_t more, std::uint64_t room) {
  return more <= room && used <= room - more;
}

}  // namespace

/// Whether a block suits those before it.
bool SlotBatch::may_join(const BatchPlace& place, bool direct) const {
  if (spans_.empty()) return true;
  const bool follows = places_.front().out_offset + plain_used_ == place.out_offset;
  return fit(plain_used_, place.plain_bytes, rules_.enough_bytes) &&
         (!is_direct_ || (direct && follows));
}

bool SlotBatch::has_room(std::uint32_t stored_bytes, std::uint32_t plain_bytes) const {
  return spans_.size() < capacity_.blocks &&
         fit(stored_used_, stored_bytes, capacity_.stored_bytes) &&
         fit(plain_used_, plain_bytes, capacity_.plain_bytes) &&
         (is_direct_ || fit(plain_used_, plain_bytes, capacity_.output_bytes));
}

Result<bool> SlotBatch::add_block(BatchPlace place, std::uint32_t stored_bytes) {
  const bool direct = rules_.is_direct && rules_.is_direct(place);
  if (!may_join(place, direct)) return false;
  if (spans_.empty()) is_direct_ = direct;
  if (!has_room(stored_bytes, place.plain_bytes)) {
    if (!spans_.empty()) return false;
    PRESSO_ASSIGN(staging_, grow_(stored_bytes, place.plain_bytes));
    capacity_ = grown_for(capacity_, stored_bytes, place.plain_bytes);
  }
  place.slot_block = block_count();
  spans_.push_back({stored_used_, plain_used_, stored_bytes, place.plain_bytes});
  stored_used_ += stored_bytes;
  plain_used_ += round_up(place.plain_bytes, kFrameAlignment);
  places_.push_back(std::move(place));
  return true;
}

bool SlotBatch::use_dictionary(Byte id, const std::shared_ptr<const Dictionary>& dictionary,
                               std::size_t most) {
  // Ids beyond the table have no dictionary in any file; the decoder says so.
  if (id == 0 || id >= kTableDictionaries) return true;
  if (dictionary_used_[id]) return dictionaries_[id] == dictionary;
  const auto held = std::count_if(dictionaries_.begin(), dictionaries_.end(),
                                  [](const auto& one) { return one != nullptr; });
  if (dictionary != nullptr && static_cast<std::size_t>(held) >= most) return false;
  dictionary_used_[id] = true;
  dictionaries_[id] = dictionary;
  return true;
}

void SlotBatch::cut(std::size_t count) {
  if (count >= spans_.size()) return;
  stored_used_ = spans_[count].stored_offset;
  plain_used_ = spans_[count].plain_offset;
  spans_.resize(count);
  while (!places_.empty() && (places_.back().damage || places_.back().slot_block >= count)) {
    places_.pop_back();
  }
  while (!pieces_.empty() && pieces_.back().stored_offset >= stored_used_) pieces_.pop_back();
  if (pieces_.empty()) return;
  PinnedPiece& last = pieces_.back();
  last.bytes = std::min(last.bytes, stored_used_ - last.stored_offset);
}

const Byte* SlotBatch::stored(std::size_t block) const {
  const std::uint64_t at = spans_[block].stored_offset;
  if (pieces_.empty()) return staging_ + at;
  const auto next = std::upper_bound(
      pieces_.begin(), pieces_.end(), at,
      [](std::uint64_t value, const PinnedPiece& piece) { return value < piece.stored_offset; });
  return (next - 1)->from + (at - (next - 1)->stored_offset);
}

// The decoder plans its work by it.
std::uint32_t SlotBatch::largest_plain_bytes() const {
  std::uint32_t largest = 0;
  for (const BlockSpan& span : spans_) largest = std::max(largest, span.plain_bytes);
  return largest;
}

// Looks at one byte of each header, whose checksum the GPU checks later.
bool SlotBatch::has_bit_blocks() const {
  constexpr std::size_t kCodingAt = 11;  // FORMAT.md 5
  for (std::size_t block = 0; block < spans_.size(); ++block) {
    if (spans_[block].stored_bytes < kBlockHeaderBytes) continue;
    if (stored(block)[kCodingAt] == static_cast<Byte>(Coding::kBit)) return true;
  }
  return false;
}

// A header that cannot be parsed is damage, not a block for the CPU.
bool SlotBatch::is_for_cpu(std::size_t block) const {
  if (spans_[block].stored_bytes < kBlockHeaderBytes) return false;
  const auto header = parse_block_header(stored(block));
  return header.ok() && header->has_sub_blocks();
}

bool SlotBatch::has_declined() const {
  return std::find(codes_.begin(), codes_.end(), ErrorCode::kUnsupported) != codes_.end();
}

bool SlotBatch::has_bad_blocks() const {
  return std::any_of(codes_.begin(), codes_.end(),
                     [](ErrorCode code) { return code != ErrorCode::kOk; });
}

// Only for errors that say more than their code.
void SlotBatch::set_error(std::uint32_t block, Error error) {
  codes_[block] = error.code;
  errors_[block] = std::move(error);
}

// Block number and offset are those of the file, whatever a decoder has said.
Error SlotBatch::error_of(const BatchPlace& place) const {
  if (place.damage) return *place.damage;
  const auto known = errors_.find(place.slot_block);
  Error error = known != errors_.end() ? known->second : make_error(codes_[place.slot_block]);
  error.block = place.number;
  error.byte_offset = place.file_offset;
  return error;
}

std::uint64_t SlotBatch::table_bytes() const {
  return spans_.size() * sizeof(BlockSpan) + sizeof(DictionaryTable);
}

// `to` has room for table_bytes(); no alignment is needed there.
void SlotBatch::write_tables(const DictionaryTable& table, Byte* to) const {
  const std::size_t span_bytes = spans_.size() * sizeof(BlockSpan);
  if (span_bytes != 0) std::memcpy(to, spans_.data(), span_bytes);
  std::memcpy(to + span_bytes, table.data(), sizeof table);
}

}  // namespace presso::gpu
