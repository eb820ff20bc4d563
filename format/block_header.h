// SPDX-License-Identifier: MIT
// The block header (FORMAT.md 5) as twelve little-endian 32-bit words: parsing and every check on
// its fields that needs no file around it, written once for the CPU (wire.cpp) and for the GPU.
// A word is how the format packs a 24-bit field with the byte after it, and what a GPU can load.
//
//   word  bits 0-23          bits 24-31
//    0    sync               kind
//    1    number (32 bits)
//    2    plain_bytes        coding
//    3    payload_bytes      token layout
//    4    sequences          rule (4 bits), group_log2 (4 bits)
//    5    literals           dictionary_id
//    6    far_offsets        reserved
//    7    literal_escapes    reserved
//    8    match_escapes      reserved
//    9    content checksum, low half; 10: high half
//   11    header checksum of the words before it
//
// The Bit coding (FORMAT.md 13.1) has other fields in these places:
//    3    payload_bytes      layout (4 bits), min_match (4 bits)
//    6    head_bytes         literal_limit (4 bits), sequence_limit (4 bits)
//    7    least_bits         size_bits
//    8    count_bits (5 bits), command_limit (4 bits)   lanes_log2
//
// Tested by tests/unit/format/wire_test.cpp and, for the order of checks, by tests/golden/bad.
#pragma once

#include <cstdint>

#include "format/host_device.h"
#include "presso/error.h"
#include "presso/wire.h"

namespace presso {

constexpr std::uint32_t kBlockHeaderWords = kBlockHeaderBytes / 4;
/// Word 0 of a header whose kind is 0.
constexpr std::uint32_t kSyncWord = kFrameSync[0] | kFrameSync[1] << 8 | kFrameSync[2] << 16;

/// The first check that a block header fails. The values are in the order of the checks, which
/// tests/golden/bad fixes: CPU and GPU must name the same fault for the same bytes.
enum class BlockHeaderFault : Byte {
  kNone,
  kSync,
  kChecksum,
  kKind,
  kPlainBytes,
  kPayloadBytes,
  kCoding,
  kLiteralBits,
  kMinMatch,
  kRule,
  kGroupSize,
  kLiterals,
  kSequences,
  kFarOffsets,
  kLiteralEscapes,
  kMatchEscapes,
  kStreams,  ///< together they are larger than the payload
  kBitLayout,
  kCodeLimits,
  kSizeBits,
  kLanes,
  kCountBits,
  kHeadBytes,
  kHead,  ///< it cannot hold the sizes of the sub-streams
  kReserved,
};

/// Several faults share an error code; the caller adds the fault's own words.
PRESSO_HD inline ErrorCode code_of(BlockHeaderFault fault) {
  switch (fault) {
    case BlockHeaderFault::kNone:
      return ErrorCode::kOk;
    case BlockHeaderFault::kSync:
    case BlockHeaderFault::kKind:
      return ErrorCode::kLostSync;
    case BlockHeaderFault::kChecksum:
      return ErrorCode::kHeaderChecksum;
    case BlockHeaderFault::kCoding:
      return ErrorCode::kUnknownCoding;
    case BlockHeaderFault::kStreams:
    case BlockHeaderFault::kHead:
      return ErrorCode::kBadPayloadSize;
    default:
      return ErrorCode::kBadHeader;
  }
}

namespace detail {

/// The 24-bit field of a word, and the byte after it.
PRESSO_HD inline std::uint32_t low_u24(std::uint32_t word) {
  return word & 0xFFFFFFu;
}
PRESSO_HD inline Byte high_byte(std::uint32_t word) {
  return static_cast<Byte>(word >> 24);
}

/// Reads the fields that have the same place in both codings.
PRESSO_HD inline void read_coded(const std::uint32_t* words, BlockHeader& header) {
  header.layout.min_match = high_byte(words[3]) >> 4;
  header.sequences = low_u24(words[4]);
  header.rule = static_cast<DependencyRule>(high_byte(words[4]) & 15);
  header.group_log2 = high_byte(words[4]) >> 4;
  header.literals = low_u24(words[5]);
  header.dictionary_id = high_byte(words[5]);
}

PRESSO_HD inline void read_byte_coding(const std::uint32_t* words, BlockHeader& header) {
  const Byte layout = high_byte(words[3]);
  header.layout.literal_bits = layout & 7;
  header.layout.far = (layout & 8) != 0;
  header.far_offsets = low_u24(words[6]);
  header.literal_escapes = low_u24(words[7]);
  header.match_escapes = low_u24(words[8]);
}

PRESSO_HD inline void read_bit_coding(const std::uint32_t* words, BlockHeader& header) {
  header.layout.literal_bits = 0;
  header.bit.layout = high_byte(words[3]) & 15;
  header.bit.head_bytes = low_u24(words[6]);
  header.bit.literal_limit = high_byte(words[6]) & 15;
  header.bit.sequence_limit = high_byte(words[6]) >> 4;
  header.bit.least_bits = low_u24(words[7]);
  header.bit.size_bits = high_byte(words[7]) & 31;
  header.bit.lanes_log2 = high_byte(words[8]);
  header.bit.count_bits = static_cast<Byte>(words[8] & 31);
  header.bit.command_limit = static_cast<Byte>(words[8] >> 5 & 15);
}

/// Bytes of a Byte-coded block's streams whose sizes follow from its counts, in the order of
/// FORMAT.md 6. The stream of long lengths takes the rest of the payload.
PRESSO_HD inline std::uint64_t fixed_stream_bytes(const BlockHeader& header) {
  return 3 * std::uint64_t{header.sequences} + header.far_offsets + header.literal_escapes +
         header.match_escapes + header.literals;
}

/// Checks the fields that both codings have.
PRESSO_HD inline BlockHeaderFault check_coded(const BlockHeader& header) {
  using Fault = BlockHeaderFault;
  if (header.layout.min_match < 3) return Fault::kMinMatch;
  if (header.rule > DependencyRule::kTile) return Fault::kRule;
  const bool tile = header.rule == DependencyRule::kTile;
  const Byte least_log2 = tile ? kTileLimits.least_log2 : kSequenceGroupLimits.least_log2;
  const Byte most_log2 = tile ? kTileLimits.most_log2 : kSequenceGroupLimits.most_log2;
  if (header.group_log2 < least_log2 || header.group_log2 > most_log2) return Fault::kGroupSize;
  if (header.literals > header.plain_bytes) return Fault::kLiterals;
  if (header.sequences > header.plain_bytes) return Fault::kSequences;
  return Fault::kNone;
}

PRESSO_HD inline BlockHeaderFault check_byte_coding(const BlockHeader& header) {
  using Fault = BlockHeaderFault;
  const TokenLayout& layout = header.layout;
  if (layout.literal_bits < 2 || layout.literal_bits > 4) return Fault::kLiteralBits;
  if (const Fault fault = check_coded(header); fault != Fault::kNone) return fault;
  if (header.far_offsets > header.sequences) return Fault::kFarOffsets;
  if (header.far_offsets > 0 && !layout.far) return Fault::kFarOffsets;
  if (header.literal_escapes > header.sequences) return Fault::kLiteralEscapes;
  if (header.match_escapes > header.sequences) return Fault::kMatchEscapes;
  if (fixed_stream_bytes(header) > header.payload_bytes) return Fault::kStreams;
  return Fault::kNone;
}

/// The number of lanes, or of sub-blocks; at least one.
PRESSO_HD inline std::uint32_t sub_streams_of(const BlockHeader& header) {
  const std::uint32_t each = 1u << header.bit.lanes_log2;
  if (header.bit.layout == kLaneLayout) return each;
  return header.sequences == 0 ? 1 : (header.sequences + each - 1) / each;
}

/// A sequence is at least three bytes long, which bounds their number by the block's size.
PRESSO_HD inline BlockHeaderFault check_bit_coding(const BlockHeader& header) {
  using Fault = BlockHeaderFault;
  const BitFields& bit = header.bit;
  if (bit.layout > kSubBlockLayout) return Fault::kBitLayout;
  const bool lanes = bit.layout == kLaneLayout;
  if (const Fault fault = check_coded(header); fault != Fault::kNone) return fault;
  if (header.sequences > (header.plain_bytes + 2) / 3) return Fault::kSequences;
  if (bit.literal_limit < 1 || bit.literal_limit > kMaxLiteralLimit) return Fault::kCodeLimits;
  if (bit.sequence_limit < 1 || bit.sequence_limit > kMaxSequenceLimit) return Fault::kCodeLimits;
  if ((bit.command_limit > 0) != lanes) return Fault::kCodeLimits;
  if (bit.command_limit > kMaxCommandLimit) return Fault::kCodeLimits;
  if (bit.size_bits > kMaxSizeBits) return Fault::kSizeBits;
  if (lanes && bit.lanes_log2 > kMaxLanesLog2) return Fault::kLanes;
  if (!lanes && (bit.lanes_log2 < kMinSubBlockLog2 || bit.lanes_log2 > kMaxSubBlockLog2)) {
    return Fault::kLanes;
  }
  if (bit.count_bits > (lanes ? 0 : kMaxCountBits)) return Fault::kCountBits;
  if (bit.head_bytes > header.payload_bytes) return Fault::kHeadBytes;
  const std::uint64_t streams = sub_streams_of(header);
  if (streams * (bit.size_bits + bit.count_bits) > 8 * bit.head_bytes) return Fault::kHead;
  return Fault::kNone;
}

PRESSO_HD inline BlockHeaderFault check_coding(const BlockHeader& header) {
  switch (header.coding) {
    case Coding::kRaw:
      return header.payload_bytes == header.plain_bytes ? BlockHeaderFault::kNone
                                                        : BlockHeaderFault::kPayloadBytes;
    case Coding::kByte:
      return check_byte_coding(header);
    case Coding::kBit:
      return check_bit_coding(header);
    default:
      return BlockHeaderFault::kCoding;
  }
}

/// Reserved bytes are zero, so that a later version may give them a meaning that this one refuses.
PRESSO_HD inline bool reserved_bytes_are_zero(const std::uint32_t* words, Coding coding) {
  if (coding == Coding::kBit) return (words[7] >> 29 | low_u24(words[8]) >> 9) == 0;
  if (coding != Coding::kRaw) return ((words[6] | words[7] | words[8]) >> 24) == 0;
  return (words[3] >> 24 | words[4] | words[5] | words[6] | words[7] | words[8]) == 0;
}

}  // namespace detail

/// Parses and checks kBlockHeaderWords words. `checksum`: computed by the caller from the first
/// 44 bytes (FORMAT.md 8). In `header`, fields that a raw block lacks have their default
/// values; it is unspecified where a fault is returned, except that `coding` is right for
/// kCoding.
PRESSO_HD inline BlockHeaderFault parse_block_header_words(const std::uint32_t* words,
                                                           std::uint32_t checksum,
                                                           BlockHeader& header) {
  using Fault = BlockHeaderFault;
  if (detail::low_u24(words[0]) != kSyncWord) return Fault::kSync;
  if (words[kBlockHeaderWords - 1] != checksum) return Fault::kChecksum;
  header.kind = static_cast<FrameKind>(detail::high_byte(words[0]));
  if (header.kind != FrameKind::kBlock && header.kind != FrameKind::kDictionaryBlock) {
    return Fault::kKind;
  }
  header.number = words[1];
  header.plain_bytes = detail::low_u24(words[2]);
  header.coding = static_cast<Coding>(detail::high_byte(words[2]));
  header.payload_bytes = detail::low_u24(words[3]);
  if (header.coding != Coding::kRaw) detail::read_coded(words, header);
  if (header.coding == Coding::kByte) detail::read_byte_coding(words, header);
  if (header.coding == Coding::kBit) detail::read_bit_coding(words, header);
  header.content_checksum = words[9] | std::uint64_t{words[10]} << 32;
  if (header.plain_bytes == 0 || header.plain_bytes > kMaxBlockBytes) return Fault::kPlainBytes;
  if (header.payload_bytes > header.plain_bytes) return Fault::kPayloadBytes;
  const Fault fault = detail::check_coding(header);
  if (fault != Fault::kNone) return fault;
  return detail::reserved_bytes_are_zero(words, header.coding) ? Fault::kNone : Fault::kReserved;
}

}  // namespace presso
