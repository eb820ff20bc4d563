// SPDX-License-Identifier: MIT
// Blocks lie one behind another in the slot, plain bytes at multiples of 16: without a gap, but
// behind blocks that are not a multiple of that, the last ones of files.
#include "decompress/gpu/pipeline/slot_batch.h"

#include <algorithm>
#include <cstring>

namespace presso::gpu {

bool SlotBatch::has_room(std::uint32_t stored_bytes, std::uint32_t plain_bytes) const {
  return spans_.size() < capacity_.blocks && stored_bytes <= capacity_.stored_bytes &&
         stored_used_ <= capacity_.stored_bytes - stored_bytes &&
         plain_bytes <= capacity_.plain_bytes && plain_used_ <= capacity_.plain_bytes - plain_bytes;
}

Result<bool> SlotBatch::add_block(BatchPlace place, std::uint32_t stored_bytes) {
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
}

std::uint32_t SlotBatch::largest_plain_bytes() const {
  std::uint32_t largest = 0;
  for (const BlockSpan& span : spans_) largest = std::max(largest, span.plain_bytes);
  return largest;
}

std::uint64_t SlotBatch::decoded_bytes() const {
  std::uint64_t bytes = 0;
  for (const BlockSpan& span : spans_) bytes += span.plain_bytes;
  return bytes;
}

std::uint64_t SlotBatch::table_bytes() const {
  return spans_.size() * sizeof(BlockSpan) + sizeof(DictionaryTable);
}

void SlotBatch::write_tables(const DictionaryTable& table, Byte* to) const {
  const std::size_t span_bytes = spans_.size() * sizeof(BlockSpan);
  if (span_bytes != 0) std::memcpy(to, spans_.data(), span_bytes);
  std::memcpy(to + span_bytes, table.data(), sizeof table);
}

}  // namespace presso::gpu
