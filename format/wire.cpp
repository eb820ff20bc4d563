// SPDX-License-Identifier: MIT
// Writes and parses the fixed headers of FORMAT.md field by field, in file order; numbers in
// the code are the offsets in its tables. All integers are little-endian. Every parser checks
// the checksum before any field and every field against its limits, so that what it returns can
// be used without further checks. Nothing allocates.
// Tested by tests/unit/format/wire_test.cpp and tests/golden.
#include "presso/wire.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "format/block_header.h"
#include "presso/checksum.h"

namespace presso {
namespace {

/// Stores the header's last field, the 32-bit checksum of the bytes before it.
void seal(Byte* header, std::size_t size) {
  store<std::uint32_t>(header + size - 4, checksum32({header, size - 4}));
}

/// Whether a header's checksum is right.
bool sealed(const Byte* header, std::size_t size) {
  return load<std::uint32_t>(header + size - 4) == checksum32({header, size - 4});
}

/// A field whose value is not allowed, by its name.
Error bad_header(const char* field) {
  return make_error(ErrorCode::kBadHeader, field);
}

/// Sync bytes and kind, which begin every frame.
void write_frame_start(FrameKind kind, Byte* to) {
  std::copy_n(kFrameSync, sizeof kFrameSync, to);
  to[3] = static_cast<Byte>(kind);
}

/// Sync bytes, then checksum: a header that lost its place is told from one that was damaged.
Status expect_frame(const Byte* from, std::size_t size) {
  if (!std::equal(kFrameSync, kFrameSync + sizeof kFrameSync, from)) {
    return make_error(ErrorCode::kLostSync);
  }
  if (!sealed(from, size)) return make_error(ErrorCode::kHeaderChecksum);
  return {};
}

/// Reserved bytes are zero, so that a later version may give them a meaning that this one refuses.
bool all_zero(const Byte* from, std::size_t begin, std::size_t end) {
  return std::all_of(from + begin, from + end, [](Byte byte) { return byte == 0; });
}

/// The token layout's byte: bits 0-2 literal bits, bit 3 far, bits 4-7 minimum match.
Byte pack_layout(const TokenLayout& layout) {
  return static_cast<Byte>(layout.literal_bits | (layout.far ? 8 : 0) | (layout.min_match << 4));
}

/// The field at fault, for messages; empty where the error code says it all.
const char* name_of(BlockHeaderFault fault) {
  switch (fault) {
    case BlockHeaderFault::kPlainBytes:
      return "plain size";
    case BlockHeaderFault::kPayloadBytes:
      return "payload size";
    case BlockHeaderFault::kLiteralBits:
      return "literal bits";
    case BlockHeaderFault::kMinMatch:
      return "minimum match";
    case BlockHeaderFault::kRule:
      return "dependency rule";
    case BlockHeaderFault::kGroupSize:
      return "group size";
    case BlockHeaderFault::kLiterals:
      return "literal count";
    case BlockHeaderFault::kSequences:
      return "sequence count";
    case BlockHeaderFault::kFarOffsets:
      return "far offset count";
    case BlockHeaderFault::kLiteralEscapes:
      return "literal escape count";
    case BlockHeaderFault::kMatchEscapes:
      return "match escape count";
    case BlockHeaderFault::kBitLayout:
      return "layout of the Bit coding";
    case BlockHeaderFault::kCodeLimits:
      return "longest code words";
    case BlockHeaderFault::kSizeBits:
      return "bits of a sub-stream's size";
    case BlockHeaderFault::kLanes:
      return "number of lanes";
    case BlockHeaderFault::kCountBits:
      return "bits of a number of literals";
    case BlockHeaderFault::kHeadBytes:
      return "size of the head";
    case BlockHeaderFault::kReserved:
      return "reserved bytes";
    default:
      return "";
  }
}

}  // namespace

// The order of bytes is that of FORMAT.md 4; unused bytes stay 0.
void write_file_header(const FileHeader& header, Byte* to) {
  std::fill_n(to, kFileHeaderBytes, Byte{0});
  std::copy_n(kFileMagic, sizeof kFileMagic, to);
  store<std::uint16_t>(to + 8, header.version);
  store<std::uint16_t>(to + 10, static_cast<std::uint16_t>(header.content));
  store<std::uint32_t>(to + 12, header.block_bytes);
  seal(to, kFileHeaderBytes);
}

// Magic, checksum, version, then fields: a newer version is named as such before its fields are
// looked at.
Result<FileHeader> parse_file_header(const Byte* from) {
  if (!has_file_magic(from)) return make_error(ErrorCode::kNotPresso);
  if (!sealed(from, kFileHeaderBytes)) return make_error(ErrorCode::kHeaderChecksum);
  FileHeader header;
  header.version = load<std::uint16_t>(from + 8);
  header.block_bytes = load<std::uint32_t>(from + 12);
  if (header.version < kByteFormatVersion || header.version > kFormatVersion) {
    return make_error(ErrorCode::kUnsupportedVersion, "version " + std::to_string(header.version) +
                                                          ", this program reads up to " +
                                                          std::to_string(kFormatVersion));
  }
  if (header.block_bytes < kMinBlockBytes || header.block_bytes > kMaxBlockBytes) {
    return bad_header("block size");
  }
  const auto content = load<std::uint16_t>(from + 10);
  const bool may_hold_table = header.version >= kTableFormatVersion;
  if (content > (may_hold_table ? 1 : 0)) return bad_header("content");
  header.content = static_cast<Content>(content);
  if (!all_zero(from, 16, 28)) return bad_header("reserved bytes");
  return header;
}

namespace {

/// Fields that both codings have in the same place; raw blocks leave them zero.
void write_coded_fields(const BlockHeader& header, Byte* to) {
  store_u24(to + 16, header.sequences,
            static_cast<Byte>(static_cast<unsigned>(header.rule) | (header.group_log2 << 4)));
  store_u24(to + 20, header.literals, header.dictionary_id);
}

/// Fields of Bit blocks only (FORMAT.md 5).
void write_bit_fields(const BlockHeader& header, Byte* to) {
  const BitFields& bit = header.bit;
  to[15] = static_cast<Byte>(bit.layout | (header.layout.min_match << 4));
  store_u24(to + 24, bit.head_bytes,
            static_cast<Byte>(bit.literal_limit | (bit.sequence_limit << 4)));
  store_u24(to + 28, bit.least_bits, bit.size_bits);
  store_u24(to + 32, bit.count_bits | std::uint32_t{bit.command_limit} << 5, bit.lanes_log2);
}

/// Fields of Byte blocks only.
void write_byte_fields(const BlockHeader& header, Byte* to) {
  to[15] = pack_layout(header.layout);
  store_u24(to + 24, header.far_offsets);
  store_u24(to + 28, header.literal_escapes);
  store_u24(to + 32, header.match_escapes);
}

}  // namespace

/// `to` must have room for kBlockHeaderBytes. The fields are not checked: encoders know them.
void write_block_header(const BlockHeader& header, Byte* to) {
  std::fill_n(to, kBlockHeaderBytes, Byte{0});
  write_frame_start(header.kind, to);
  store<std::uint32_t>(to + 4, header.number);
  store_u24(to + 8, header.plain_bytes, static_cast<Byte>(header.coding));
  store_u24(to + 12, header.payload_bytes);
  if (header.coding != Coding::kRaw) write_coded_fields(header, to);
  if (header.coding == Coding::kByte) write_byte_fields(header, to);
  if (header.coding == Coding::kBit) write_bit_fields(header, to);
  store<std::uint64_t>(to + 36, header.content_checksum);
  seal(to, kBlockHeaderBytes);
}

/// The words are checked by block_header.h, which GPUs share; here faults become messages.
Result<BlockHeader> parse_block_header(const Byte* from) {
  std::array<std::uint32_t, kBlockHeaderWords> words;
  std::memcpy(words.data(), from, kBlockHeaderBytes);
  BlockHeader header;
  const BlockHeaderFault fault =
      parse_block_header_words(words.data(), checksum32({from, kBlockHeaderBytes - 4}), header);
  if (fault == BlockHeaderFault::kNone) return header;
  if (fault == BlockHeaderFault::kCoding) {
    return make_error(code_of(fault), std::to_string(static_cast<unsigned>(header.coding)));
  }
  return make_error(code_of(fault), name_of(fault));
}

// `parameter` means something else for each kind of section.
void write_section_header(const SectionHeader& header, Byte* to) {
  write_frame_start(header.kind, to);
  store<std::uint32_t>(to + 4, header.mandatory ? 1 : 0);
  store<std::uint64_t>(to + 8, header.payload_bytes);
  store<std::uint64_t>(to + 16, header.payload_checksum);
  store<std::uint32_t>(to + 24, header.parameter);
  seal(to, kSectionHeaderBytes);
}

Result<SectionHeader> parse_section_header(const Byte* from) {
  PRESSO_TRY(expect_frame(from, kSectionHeaderBytes));
  SectionHeader header;
  header.kind = static_cast<FrameKind>(from[3]);
  const auto flags = load<std::uint32_t>(from + 4);
  if (flags > 1) return bad_header("section flags");
  header.mandatory = flags == 1;
  header.payload_bytes = load<std::uint64_t>(from + 8);
  header.payload_checksum = load<std::uint64_t>(from + 16);
  header.parameter = load<std::uint32_t>(from + 24);
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 62;  // keeps sums of offsets below 2^64
  if (header.payload_bytes > kLargest) return bad_header("section size");
  return header;
}

void write_dictionary_reference(const DictionaryReference& reference, Byte* to) {
  std::fill_n(to, kDictionaryReferenceBytes, Byte{0});
  write_frame_start(FrameKind::kDictionaryReference, to);
  store<std::uint32_t>(to + 4, reference.plain_bytes);
  store<std::uint64_t>(to + 8, reference.checksum);
  seal(to, kDictionaryReferenceBytes);
}

/// A dictionary section may hold a reference in place of blocks: size and checksum of a
/// dictionary that the reader must be given.
bool is_dictionary_reference(Bytes payload) {
  return payload.size() == kDictionaryReferenceBytes &&
         payload[3] == static_cast<Byte>(FrameKind::kDictionaryReference);
}

Result<DictionaryReference> parse_dictionary_reference(const Byte* from) {
  PRESSO_TRY(expect_frame(from, kDictionaryReferenceBytes));
  const DictionaryReference reference{load<std::uint32_t>(from + 4), load<std::uint64_t>(from + 8)};
  if (reference.plain_bytes == 0 || reference.plain_bytes > kMaxDictionaryBytes) {
    return bad_header("dictionary size");
  }
  if (!all_zero(from, 16, 28)) return bad_header("reserved bytes");
  return reference;
}

// Both offsets count from the member's first byte.
void write_trailer(const Trailer& trailer, Byte* to) {
  std::fill_n(to, kTrailerBytes, Byte{0});
  write_frame_start(FrameKind::kTrailer, to);
  store<std::uint64_t>(to + 8, trailer.index_offset);
  store<std::uint64_t>(to + 16, trailer.file_bytes);
  seal(to, kTrailerBytes);
}

Result<Trailer> parse_trailer(const Byte* from) {
  PRESSO_TRY(expect_frame(from, kTrailerBytes));
  if (from[3] != static_cast<Byte>(FrameKind::kTrailer)) return make_error(ErrorCode::kLostSync);
  Trailer trailer;
  trailer.index_offset = load<std::uint64_t>(from + 8);
  trailer.file_bytes = load<std::uint64_t>(from + 16);
  if (trailer.index_offset > trailer.file_bytes) return bad_header("index offset");
  if (!all_zero(from, 4, 8) || !all_zero(from, 24, 28)) return bad_header("reserved bytes");
  return trailer;
}

/// The kind only, without the checksum: for readers that choose what to parse.
Result<FrameKind> peek_frame_kind(const Byte* from) {
  if (!std::equal(kFrameSync, kFrameSync + sizeof kFrameSync, from)) {
    return make_error(ErrorCode::kLostSync);
  }
  return static_cast<FrameKind>(from[3]);
}

// All eight bytes must be readable.
bool has_file_magic(const Byte* from) {
  return std::equal(kFileMagic, kFileMagic + sizeof kFileMagic, from);
}

}  // namespace presso
