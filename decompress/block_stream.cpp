// SPDX-License-Identifier: MIT
// BlockStream gives the blocks of a stream in order and decodes each on the thread that asks.
// next() is for one thread, decode() for many at once. Dictionaries are decoded where they are met,
// before any block that names them.
//
// Damage inside a block is found by decode(), which returns it as that block's status, with salvage
// or without. Damage of the container (frames and sections) is found by next(). Without salvage it
// is the error that ends the stream. In salvage it becomes an item of its own, which decode() turns
// into a block without bytes whose status is the error, so that the caller can report the gap and
// go on. Errors that are no damage, such as kIo, always end the stream. Tested by
// tests/differential/round_trip_test.cpp and tests/golden.
#include <utility>

#include "presso/decompress.h"

namespace presso {

namespace {

Error at_section(Error error, const StoredSection& section) {
  error.byte_offset = section.file_offset;
  return error;
}

}  // namespace

/// Called for each section and each block with the number of its member. Dictionaries belong to one
/// member, so the first frame of another member forgets them. The number tells this, not the
/// member's file header, because in salvage that header may have been lost.
void BlockStream::enter_member(std::uint32_t member) {
  if (member != member_) dictionaries_.fill(nullptr);
  member_ = member;
}

/// Metadata are those of the first member; a dictionary is decoded at once, so that damage
/// shows early.
Status BlockStream::take_section(StoredSection section) {
  enter_member(section.member);
  if (section.header.kind == FrameKind::kMetadata) {
    auto metadata = parse_metadata(section.payload.bytes());
    if (!metadata.ok()) return at_section(std::move(metadata.error()), section);
    if (section.member == 0) metadata_ = std::move(*metadata);
  }
  if (section.header.kind != FrameKind::kDictionary) return {};
  auto dictionary = Dictionary::decode(section.payload.bytes(), options_.decode.dictionaries);
  if (!dictionary.ok()) return at_section(std::move(dictionary.error()), section);
  dictionaries_[section.header.parameter] = std::move(*dictionary);
  return {};
}

/// Nullopt at the end of the input. Sections are handled here and never reach the caller.
Result<std::optional<BlockItem>> BlockStream::next() {
  for (;;) {
    Result<Frame> frame = reader_.next();
    if (!frame.ok()) return pass_damage(std::move(frame.error()), true);
    if (std::holds_alternative<EndOfInput>(*frame)) return std::optional<BlockItem>{};
    if (auto* block = std::get_if<StoredBlock>(&*frame)) {
      enter_member(block->member);
      BlockItem item;
      item.dictionary = dictionaries_[block->header.dictionary_id];
      item.block = std::move(*block);
      return std::optional<BlockItem>(std::move(item));
    }
    if (auto* section = std::get_if<StoredSection>(&*frame)) {
      Status taken = take_section(std::move(*section));
      if (!taken.ok()) return pass_damage(std::move(taken.error()), false);
    }
  }
}

/// Returns the error or, in salvage, an item that reports it. `resync`: the reader itself found the
/// damage, so it must first look for the next intact frame. A section that is damaged inside needs
/// no such search, as its frame was intact.
Result<std::optional<BlockItem>> BlockStream::pass_damage(Error error, bool resync) {
  if (!options_.salvage || !is_damage(error.code)) return error;
  BlockItem item;
  item.block.number = reader_.block_number();
  item.block.plain_offset = reader_.plain_offset();
  item.block.file_offset = error.byte_offset;
  item.damage = std::move(error);
  if (resync) {
    PRESSO_TRY(reader_.resync());
    item.lost_blocks = reader_.lost_blocks();
  }
  return std::optional<BlockItem>(std::move(item));
}

/// Thread-safe. Buffers come from a pool; the caller gives them back by recycle().
DecodedBlock BlockStream::decode(BlockItem item) {
  DecodedBlock decoded;
  const StoredBlock& block = item.block;
  decoded.number = block.number;
  decoded.plain_offset = block.plain_offset;
  decoded.file_offset = block.file_offset;
  if (item.damage) {
    decoded.status = std::move(*item.damage);
    decoded.lost_blocks = item.lost_blocks;
    return decoded;
  }
  decoded.plain_bytes = block.header.plain_bytes;
  decoded.plain = pool_.take();
  decoded.plain.resize_discarding(block.header.plain_bytes);
  decoded.status = decode_block(block.header, block.payload.data(), item.dictionary.get(),
                                options_.decode, decoded.plain.data());
  if (!decoded.status.ok()) {
    decoded.status.error().block = block.number;
    decoded.status.error().byte_offset = block.file_offset;
    decoded.lost_blocks = 1;
    decoded.plain.clear();
  }
  pool_.give_back(std::move(item.block.payload));
  return decoded;
}

}  // namespace presso
