// SPDX-License-Identifier: MIT
// Looks at the literals of the first block: in the Byte coding they lie at the end of the payload
// as they are; in the Bit coding the list of code lengths tells whether both bytes occur.
#include "decompress/utf16_mark.h"

#include <array>
#include <optional>
#include <vector>

#include "format/bit_list.h"

namespace presso {
namespace {

/// Whether the block may begin with the mark; false is certain. `payload_at` is where its payload
/// begins in `file`.
Result<bool> may_begin_with_mark(const BlockHeader& header, const RandomAccess& file,
                                 std::uint64_t payload_at) {
  if (header.plain_bytes < 2) return false;
  if (header.dictionary_id != 0) return true;
  if (header.coding == Coding::kBit) {
    std::vector<Byte> head(header.bit.head_bytes);
    PRESSO_TRY(file.read_at(payload_at, head));
    std::array<Byte, bit::kListedSymbols> lengths;
    std::array<bit::Shape, bit::kAlphabets> shapes;
    if (!bit::read_codes(header, head.data(), lengths.data(), shapes.data())) return false;
    return lengths[0xFE] > 0 && lengths[0xFF] > 0;
  }
  const bool raw = header.coding == Coding::kRaw;
  if (!raw && header.literals < 2) return false;
  std::array<Byte, 2> first;
  PRESSO_TRY(file.read_at(payload_at + (raw ? 0 : header.payload_bytes - header.literals), first));
  return begins_with_utf16_mark(first);
}

/// Decodes the first block of a stream, if there is one.
bool first_block_begins_with_mark(ByteSource& source, const DecodeOptions& options) {
  BlockStream stream(source, {.decode = options});
  Result<std::optional<BlockItem>> item = stream.next();
  if (!item.ok() || !*item) return false;
  const StoredBlock& block = (*item)->block;
  const Result<bool> may =
      may_begin_with_mark(block.header, MemoryRandomAccess(block.payload.bytes()), 0);
  if (!may.ok() || !*may) return false;
  const DecodedBlock decoded = stream.decode(std::move(**item));
  return decoded.status.ok() && begins_with_utf16_mark(decoded.plain.bytes());
}

}  // namespace

bool begins_with_utf16_mark(const ArchiveIndex& index, const RandomAccess& file,
                            const DecodeOptions& options) {
  if (index.block_count() == 0) return false;
  const Result<BlockHeader> header = index.read_block_header(0);
  if (!header.ok()) return false;
  const Result<bool> may =
      may_begin_with_mark(*header, file, index.block_offset(0) + kBlockHeaderBytes);
  if (!may.ok() || !*may) return false;
  RangeSource source(file, 0, file.size());
  return first_block_begins_with_mark(source, options);
}

bool begins_with_utf16_mark(ByteSource& source, const DecodeOptions& options) {
  return first_block_begins_with_mark(source, options);
}

}  // namespace presso
