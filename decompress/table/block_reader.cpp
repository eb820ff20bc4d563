// SPDX-License-Identifier: MIT
// BlockReader: every block of a table is read here. Errors carry the number of the block within its
// row group and its offset in the file. Tested by
// tests/unit/decompress/table/row_group_damage_test.cpp.
#include "decompress/table/block_reader.h"

#include <utility>

#include "decompress/columns/cpu/integer_decoder.h"
#include "decompress/columns/cpu/plane_decoder.h"
#include "format/columns/column_block.h"
#include "presso/checksum.h"

namespace presso {
namespace {

/// The block's header contradicts the directory of its row group.
Error differs() {
  return make_error(ErrorCode::kBadRowGroup, "a block differs from it");
}

/// Whether header and payload, rounded up, are exactly as long as the directory says.
bool fills(const ColumnBlockHeader& header, Bytes stored) {
  return round_up(kBlockHeaderBytes + header.payload_bytes, kFrameAlignment) == stored.size();
}

// Byte 11 of either header is the coding (FORMAT.md 5).
Coding coding_of(Bytes stored) {
  return static_cast<Coding>(stored.data()[11]);
}

}  // namespace

/// Sums up where each block begins, once for all reads.
BlockReader::BlockReader(const RowGroup& group, const RandomAccess& file,
                         std::uint64_t blocks_offset, std::uint64_t first_offset,
                         const DecodeOptions& options, ReadCounters* counters)
    : group_(group),
      file_(file),
      first_offset_(first_offset),
      options_(options),
      counters_(counters) {
  // Blocks follow each other without gaps.
  offsets_.reserve(group.blocks.size());
  for (const ColumnBlock& block : group.blocks) {
    offsets_.push_back(blocks_offset);
    blocks_offset += block.stored_bytes;
  }
}

// Offsets that a decoder gave stay: they are closer to the fault.
Error BlockReader::at_block(Error error, std::uint32_t block) const {
  error.block = block;
  if (error.byte_offset == Error::kNone) error.byte_offset = first_offset_ + offsets_[block];
  return error;
}

Status BlockReader::read(std::uint32_t block, Buffer& stored) const {
  stored.resize_discarding(group_.blocks[block].stored_bytes);
  return read(block, stored.mutable_bytes());
}

/// Counts what is read; the counters may be shared by all threads of a query.
Status BlockReader::read(std::uint32_t block, MutableBytes stored) const {
  Status read = file_.read_at(offsets_[block], stored);
  if (!read.ok()) return at_block(std::move(read.error()), block);
  if (counters_ != nullptr) {
    counters_->bytes.fetch_add(stored.size(), std::memory_order_relaxed);
    counters_->blocks.fetch_add(1, std::memory_order_relaxed);
  }
  return {};
}

bool BlockReader::is_whole(Bytes stored) {
  const Coding coding = coding_of(stored);
  return coding == Coding::kRaw || coding == Coding::kByte || coding == Coding::kBit ||
         coding == Coding::kPlanes;
}

/// Everything except the payload's checksum, for loaders that let a GPU compute it.
Result<BlockReader::StoredIntegers> BlockReader::parse_integers(std::uint32_t block,
                                                                Byte width_bytes,
                                                                Bytes stored) const {
  auto header = parse_column_block_header(stored.data());
  if (!header.ok()) return at_block(std::move(header.error()), block);
  if (header->coding != Coding::kIntegers || header->width_bytes != width_bytes ||
      header->count != group_.blocks[block].rows || header->number != block ||
      !fills(*header, stored)) {
    return at_block(differs(), block);
  }
  return StoredIntegers{
      {{width_bytes, header->is_signed, header->floating, header->count, header->divisor},
       {stored.data() + kBlockHeaderBytes, header->payload_bytes}},
      header->payload_checksum};
}

/// With the checksum, if options.verify.
Result<IntegerBlock> BlockReader::open_integers(std::uint32_t block, Byte width_bytes,
                                                Bytes stored) const {
  PRESSO_ASSIGN(const StoredIntegers parsed, parse_integers(block, width_bytes, stored));
  if (options_.verify && checksum64(parsed.block.payload) != parsed.checksum) {
    return at_block(make_error(ErrorCode::kContentChecksum), block);
  }
  return parsed.block;
}

// The number of codes is checked later, against the counts of rows.
Result<BlockReader::StoredTokens> BlockReader::parse_tokens(std::uint32_t block,
                                                            Bytes stored) const {
  auto header = parse_column_block_header(stored.data());
  if (!header.ok()) return at_block(std::move(header.error()), block);
  if (header->coding != Coding::kTokens ||
      header->plain_bytes != group_.blocks[block].plain_bytes || header->number != block ||
      !fills(*header, stored)) {
    return at_block(differs(), block);
  }
  return StoredTokens{{header->count, {stored.data() + kBlockHeaderBytes, header->payload_bytes}},
                      header->payload_checksum};
}

Result<TokenBlock> BlockReader::open_tokens(std::uint32_t block, Bytes stored) const {
  PRESSO_ASSIGN(const StoredTokens parsed, parse_tokens(block, stored));
  if (options_.verify && checksum64(parsed.block.payload) != parsed.checksum) {
    return at_block(make_error(ErrorCode::kContentChecksum), block);
  }
  return parsed.block;
}

// A frame of another kind means that the directory's sizes lead to a wrong place.
Result<BlockHeader> BlockReader::parse_bytes(std::uint32_t block, Bytes stored) const {
  const auto kind = peek_frame_kind(stored.data());
  if (!kind.ok() || *kind != FrameKind::kBlock) {
    return at_block(make_error(ErrorCode::kLostSync), block);
  }
  auto header = parse_block_header(stored.data());
  if (!header.ok()) return at_block(std::move(header.error()), block);
  if (header->plain_bytes != group_.blocks[block].plain_bytes || header->number != block ||
      header->stored_bytes() != stored.size()) {
    return at_block(differs(), block);
  }
  return *header;
}

Status BlockReader::decode_bytes(std::uint32_t block, const Buffer& stored, Byte* into) const {
  PRESSO_ASSIGN(const BlockHeader header, parse_bytes(block, stored.bytes()));
  Status decoded = decode_block(header, stored.data() + kBlockHeaderBytes, nullptr, options_, into);
  return decoded.ok() ? Status{} : at_block(std::move(decoded.error()), block);
}

/// Planes are checked as integers are.
Status BlockReader::decode_whole(std::uint32_t block, Byte width_bytes, const Buffer& stored,
                                 Byte* into) const {
  if (coding_of(stored.bytes()) != Coding::kPlanes) return decode_bytes(block, stored, into);
  auto header = parse_column_block_header(stored.data());
  if (!header.ok()) return at_block(std::move(header.error()), block);
  if (header->width_bytes != width_bytes || header->count != group_.blocks[block].rows ||
      header->number != block || !fills(*header, stored.bytes())) {
    return at_block(differs(), block);
  }
  const Bytes payload(stored.data() + kBlockHeaderBytes, header->payload_bytes);
  if (options_.verify && checksum64(payload) != header->payload_checksum) {
    return at_block(make_error(ErrorCode::kContentChecksum), block);
  }
  Status decoded = decode_planes(*header, payload, options_, into);
  return decoded.ok() ? Status{} : at_block(std::move(decoded.error()), block);
}

/// Integers may be stored in several forms; the result in `into` is the same.
Status BlockReader::decode_integers(std::uint32_t block, Byte width_bytes, Byte* into) const {
  // Freed at the end: decoded values do not point into it.
  Buffer stored;
  PRESSO_TRY(read(block, stored));
  if (is_whole(stored.bytes())) return decode_whole(block, width_bytes, stored, into);
  PRESSO_ASSIGN(const IntegerBlock opened, open_integers(block, width_bytes, stored.bytes()));
  Status decoded = presso::decode_integers(
      opened.parameters, opened.payload, {into, integer_bytes(width_bytes, opened.parameters.rows)},
      options_.level);
  return decoded.ok() ? Status{} : at_block(std::move(decoded.error()), block);
}

Status BlockReader::decode_bytes(std::uint32_t block, Byte* into) const {
  Buffer stored;
  PRESSO_TRY(read(block, stored));
  return decode_bytes(block, stored, into);
}

}  // namespace presso
