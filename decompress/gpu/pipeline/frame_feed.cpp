// SPDX-License-Identifier: MIT
// FrameFeed: writes what BlockStream gives back into its stored form, in the slot's staging memory.
#include "decompress/gpu/pipeline/frame_feed.h"

#include <algorithm>

namespace presso::gpu {

void write_stored_block(const BlockHeader& header, const Byte* payload, Byte* to) {
  write_block_header(header, to);
  Byte* padding = std::copy_n(payload, header.payload_bytes, to + kBlockHeaderBytes);
  std::fill(padding, to + header.stored_bytes(), Byte{0});
}

// A batch is full for one of three reasons: too many bytes or blocks, too many damage records,
// or a dictionary that would be one more than a batch may use.
Result<bool> FrameFeed::append(BlockItem& item, SlotBatch& batch) {
  const StoredBlock& block = item.block;
  BatchPlace place{.number = block.number,
                   .plain_offset = block.plain_offset,
                   .out_offset = block.plain_offset,
                   .file_offset = block.file_offset,
                   .passed_bytes = stream_.compressed_bytes()};
  if (item.damage) {
    if (!batch.has_room_for_damage()) return false;
    place.lost_blocks = item.lost_blocks;
    place.damage = std::move(item.damage);
    batch.add_damage(std::move(place));
    return true;
  }
  const auto stored_bytes = static_cast<std::uint32_t>(block.header.stored_bytes());
  place.plain_bytes = block.header.plain_bytes;
  if (!batch.use_dictionary(block.header.dictionary_id, item.dictionary,
                            options_.most_dictionaries)) {
    return false;
  }
  const std::uint64_t at = batch.stored_bytes();
  PRESSO_ASSIGN(const bool added, batch.add_block(std::move(place), stored_bytes));
  if (added) write_stored_block(block.header, block.payload.data(), batch.staging() + at);
  return added;
}

Result<bool> FrameFeed::fill(SlotBatch& batch) {
  for (;;) {
    std::optional<BlockItem> item = std::exchange(waiting_, std::nullopt);
    if (!item) {
      PRESSO_ASSIGN(item, stream_.next());
    }
    if (!item) return false;
    if (skip_blocks_ > 0 && !item->damage) {
      --skip_blocks_;
    } else {
      PRESSO_ASSIGN(const bool added, append(*item, batch));
      if (!added) {
        waiting_ = std::move(item);
        return true;
      }
    }
    stream_.recycle(std::move(item->block.payload));
  }
}

}  // namespace presso::gpu
