// SPDX-License-Identifier: MIT
// Writes blocks without coding.
#include "format/raw_block.h"

#include <algorithm>

#include "presso/checksum.h"

namespace presso {

BlockHeader raw_header(Bytes plain, std::uint32_t number, FrameKind kind) {
  BlockHeader raw;
  raw.kind = kind;
  raw.number = number;
  raw.plain_bytes = static_cast<std::uint32_t>(plain.size());
  raw.payload_bytes = raw.plain_bytes;
  raw.content_checksum = content_checksum(plain);
  return raw;
}

void append_raw_block(Bytes plain, std::uint32_t number, FrameKind kind, Buffer& to) {
  const BlockHeader header = raw_header(plain, number, kind);
  const std::size_t start = to.size();
  to.grow(start + header.stored_bytes());
  write_block_header(header, to.data() + start);
  Byte* const payload = to.data() + start + kBlockHeaderBytes;
  std::copy(plain.begin(), plain.end(), payload);
  std::fill(payload + plain.size(), to.data() + to.size(), Byte{0});
}

}  // namespace presso
