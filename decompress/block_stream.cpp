// SPDX-License-Identifier: MIT
// BlockStream: dictionaries are decoded where they are met, before any block that names them.
#include <utility>

#include "presso/decompress.h"

namespace presso {

Status BlockStream::take_section(StoredSection section) {
  if (section.header.kind == FrameKind::kMetadata && section.member == 0) {
    PRESSO_ASSIGN(metadata_, parse_metadata(section.payload.bytes()));
  }
  if (section.header.kind != FrameKind::kDictionary) return {};
  auto dictionary = Dictionary::decode(section.payload.bytes());
  if (!dictionary.ok()) {
    dictionary.error().byte_offset = section.file_offset;
    return std::move(dictionary.error());
  }
  dictionaries_[section.header.parameter] = std::move(*dictionary);
  return {};
}

Result<std::optional<BlockItem>> BlockStream::next() {
  for (;;) {
    Result<Frame> frame = reader_.next();
    Status taken;
    if (frame.ok()) {
      if (std::holds_alternative<EndOfInput>(*frame)) return std::optional<BlockItem>{};
      if (auto* block = std::get_if<StoredBlock>(&*frame)) {
        BlockItem item;
        item.dictionary = dictionaries_[block->header.dictionary_id];
        item.block = std::move(*block);
        return std::optional<BlockItem>(std::move(item));
      }
      if (std::holds_alternative<FileHeader>(*frame)) dictionaries_.fill(nullptr);
      if (auto* section = std::get_if<StoredSection>(&*frame)) {
        taken = take_section(std::move(*section));
      }
    }
    if (frame.ok() && taken.ok()) continue;
    Error error = frame.ok() ? std::move(taken.error()) : std::move(frame.error());
    if (!options_.salvage || error.code == ErrorCode::kIo) return error;
    if (!frame.ok()) PRESSO_TRY(reader_.resync());
    BlockItem item;
    item.block.file_offset = error.byte_offset;
    item.damage = std::move(error);
    return std::optional<BlockItem>(std::move(item));
  }
}

DecodedBlock BlockStream::decode(BlockItem item) {
  DecodedBlock decoded;
  const StoredBlock& block = item.block;
  decoded.number = block.number;
  decoded.plain_offset = block.plain_offset;
  decoded.file_offset = block.file_offset;
  if (item.damage) {
    decoded.status = std::move(*item.damage);
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
    decoded.plain.clear();
  }
  pool_.give_back(std::move(item.block.payload));
  return decoded;
}

}  // namespace presso
