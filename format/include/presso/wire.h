// SPDX-License-Identifier: MIT
// The file's structures as bytes: constants, header structs, parsing and serialising. FORMAT.md is
// the specification; its section numbers are cited here. Pure functions: no I/O, no allocation
// beyond the returned values, safe on any input. Tested by tests/unit/format/wire_test.cpp.
#pragma once

#include <cstdint>

#include "presso/bytes.h"
#include "presso/error.h"

namespace presso {

// --- Limits (FORMAT.md 2) ---------------------------------------------------------------------
constexpr std::uint32_t kMinBlockBytes = 16u << 10;
constexpr std::uint32_t kMaxBlockBytes = 4u << 20;
constexpr std::uint32_t kDefaultBlockBytes = 256u << 10;
constexpr std::uint32_t kMaxDictionaryBytes = 4u << 20;
/// Dictionary ids are 1..kMaxDictionaries: bounds what a reader holds at a time.
constexpr std::uint32_t kMaxDictionaries = 16;
/// The most bytes that a dictionary section takes: never more than raw blocks of the smallest size
/// would.
constexpr std::uint64_t kMaxDictionaryStoredBytes = kMaxDictionaryBytes / 128 * 129;
constexpr std::uint64_t kMaxMetadataBytes = 1u << 20;
constexpr std::uint32_t kFrameAlignment = 16;    ///< every header begins at a multiple of this
constexpr std::uint16_t kFormatVersion = 4;      ///< the newest; the first is 1
constexpr std::uint16_t kByteFormatVersion = 1;  ///< of files without Bit blocks
constexpr std::uint16_t kBitFormatVersion = 3;   ///< of files with them
constexpr std::uint16_t kTableFormatVersion = 4;
constexpr std::size_t kDictionaryReferenceBytes = 32;

constexpr Byte kFileMagic[8] = {0x89, 'P', 'R', 'E', 'S', 'S', 'O', '\n'};
constexpr Byte kFrameSync[3] = {0xF7, 'P', 'B'};

constexpr std::size_t kFileHeaderBytes = 32;
constexpr std::size_t kSectionHeaderBytes = 32;
constexpr std::size_t kBlockHeaderBytes = 48;
constexpr std::size_t kTrailerBytes = 32;

/// Frame kinds (FORMAT.md 3): ASCII letters, so that a hex dump can be read.
enum class FrameKind : Byte {
  kBlock = 'B',
  kDictionary = 'D',
  kDictionaryBlock = 'd',      ///< a block inside a dictionary section's payload
  kDictionaryReference = 'r',  ///< in place of such blocks
  kMetadata = 'M',
  kSchema = 'C',  ///< what the columns of a table are (table_schema.h)
  kRowGroup =
      'G',        ///< where the columns of some rows of a table stand (format/columns/row_group.h)
  kFilter = 'F',  ///< which blocks may hold what (block_filter.h)
  kLines = 'L',   ///< line feeds of each block (line_table.h)
  kTimes = 'W',   ///< times of the lines of each block (time_facts.h)
  kIndex = 'I',
  kTrailer = 'T',
};

/// How a block's content is coded. The number 2 was an earlier Bit coding and is no longer used
/// (FORMAT.md 14). Integers, tokens and planes occur in tables only
/// (format/columns/column_block.h).
enum class Coding : Byte { kRaw = 0, kByte = 1, kBit = 3, kIntegers = 4, kTokens = 5, kPlanes = 6 };

/// What a file, or a member of one, holds.
enum class Content : std::uint16_t { kBytes = 0, kTable = 1 };

/// Which bytes a match (back-reference) may read, so that a GPU can copy many matches at once
/// (FORMAT.md 6.3; S7.4 of docs/sources.md). A group is 2^group_log2 consecutive sequences, a tile
/// as many plain bytes. A match is of the first wave if its source ends before its group begins; it
/// overlaps itself if it reads bytes that it has written. Values are stored in the file.
enum class DependencyRule : Byte {
  kNone = 0,          ///< anything before its own position
  kStrict = 1,        ///< nothing at or after the group's start; no self-overlap
  kLiteralAware = 2,  ///< of the group only literals; self-overlap allowed
  kTwoWave = 3,       ///< of the group literals and what matches of the first wave wrote
  kTile = 4,          ///< of a byte's tile literals and bytes whose own sources lie before the tile
};

/// The values that BlockHeader::group_log2 may have.
struct GroupLimits {
  Byte least_log2;
  Byte most_log2;
};
constexpr GroupLimits kTileLimits{10, 15};
constexpr GroupLimits kSequenceGroupLimits{5, 10};
constexpr GroupLimits group_limits(DependencyRule rule) {
  return rule == DependencyRule::kTile ? kTileLimits : kSequenceGroupLimits;
}

/// The first 32 bytes of a file (FORMAT.md 4).
struct FileHeader {
  std::uint16_t version = kByteFormatVersion;
  std::uint32_t block_bytes = kDefaultBlockBytes;
  Content content = Content::kBytes;
};

/// How a Byte-coded block splits its one-byte tokens, which have the lengths of a sequence (a run
/// of literals and the match after it, FORMAT.md 6.1): `literal_bits` lowest, then `match_bits()`,
/// then, where `far`, one bit at the top. A length at or above its limit goes on in a stream of
/// escapes, one byte each (6.2).
struct TokenLayout {
  Byte literal_bits = 4;  ///< 2..4
  bool far = false;       ///< tokens carry a bit that widens the offset from 16 to 24 bits
  Byte min_match = 4;     ///< 3..15

  constexpr std::uint32_t match_bits() const { return 8u - literal_bits - (far ? 1u : 0u); }
  constexpr std::uint32_t literal_limit() const { return (1u << literal_bits) - 1; }
  constexpr std::uint32_t match_limit() const { return (1u << match_bits()) - 1; }
  friend bool operator==(const TokenLayout&, const TokenLayout&) = default;
};

/// The header fields that only Bit-coded blocks have (FORMAT.md 13.1). Such a block consists of
/// streams of bits that are decoded apart from each other (sub-streams): one for each lane, to
/// which sequences and literals are dealt out, or one for each sub-block, a run of sequences.
struct BitFields {
  Byte layout = 0;          ///< kLaneLayout or kSubBlockLayout
  Byte literal_limit = 10;  ///< longest word of the literal code, in bits
  Byte command_limit = 0;   ///< with lanes: longest word of the code for commands
  Byte sequence_limit = 9;  ///< longest word of the codes for lengths and offsets
  Byte size_bits = 0;       ///< bits in which the sizes of sub-streams are written
  Byte lanes_log2 = 0;  ///< log2 of the number of lanes; with sub-blocks, of the sequences in one
  Byte count_bits = 0;  ///< with sub-blocks: bits in which their numbers of literals are written
  std::uint32_t head_bytes = 0;  ///< sizes and codes, before the sub-streams
  std::uint32_t least_bits = 0;  ///< bits of the shortest sub-stream

  constexpr std::uint32_t lanes() const { return 1u << lanes_log2; }
  friend bool operator==(const BitFields&, const BitFields&) = default;
};
constexpr Byte kLaneLayout = 0;
constexpr Byte kSubBlockLayout = 1;
constexpr Byte kMinSubBlockLog2 = 2;
constexpr Byte kMaxSubBlockLog2 = 8;
constexpr Byte kMaxCountBits = 22;
constexpr Byte kMaxLiteralLimit = 12;
constexpr Byte kMaxCommandLimit = 10;
constexpr Byte kMaxSequenceLimit = 9;
constexpr Byte kMaxSizeBits = 24;
constexpr std::uint32_t kMaxLeastBits = (1u << 24) - 1;
constexpr Byte kMaxLanesLog2 = 10;
/// The most sequences in a Bit block: one for every three bytes of the largest block.
constexpr std::uint32_t kMaxBitSequences = (kMaxBlockBytes + 2) / 3;

/// The 48 bytes before a block's payload (FORMAT.md 5). The fields of the codings (`layout` to
/// `bit`) are zero in the file for raw blocks, and neither written nor read. A Bit block uses only
/// min_match of the layout; it has no far offsets and no escapes.
struct BlockHeader {
  FrameKind kind = FrameKind::kBlock;  ///< or kDictionaryBlock
  std::uint32_t number = 0;            ///< position within the file, modulo 2^32
  std::uint32_t plain_bytes = 0;
  std::uint32_t payload_bytes = 0;  ///< without header and padding
  Coding coding = Coding::kRaw;
  TokenLayout layout;
  DependencyRule rule = DependencyRule::kNone;
  Byte group_log2 = 5;     ///< sequences in a group, under the tile rule bytes in a tile: 2^this
  Byte dictionary_id = 0;  ///< 0: the block uses no dictionary
  std::uint32_t sequences = 0;
  std::uint32_t literals = 0;  ///< bytes
  // How many sequences have an offset of three bytes, a literal length that goes on in the stream
  // of escapes, and such a match length.
  std::uint32_t far_offsets = 0;
  std::uint32_t literal_escapes = 0;
  std::uint32_t match_escapes = 0;
  BitFields bit;
  std::uint64_t content_checksum = 0;

  /// Whether this is a Bit block with sub-blocks, which GPUs leave to the CPU (FORMAT.md 13.7).
  constexpr bool has_sub_blocks() const {
    return coding == Coding::kBit && bit.layout == kSubBlockLayout;
  }
  /// Bytes in the file: header, payload, padding.
  constexpr std::uint64_t stored_bytes() const {
    return round_up(kBlockHeaderBytes + std::uint64_t{payload_bytes}, kFrameAlignment);
  }
};

/// The 32 bytes before the payload of every frame that is neither block nor trailer (FORMAT.md 7).
struct SectionHeader {
  FrameKind kind = FrameKind::kMetadata;
  bool mandatory = false;
  std::uint64_t payload_bytes = 0;
  std::uint64_t payload_checksum = 0;
  std::uint32_t parameter = 0;  ///< meaning depends on the kind

  constexpr std::uint64_t stored_bytes() const {
    return kSectionHeaderBytes + round_up(payload_bytes, kFrameAlignment);
  }
};

/// Names the dictionary with which a file was compressed that does not contain it (FORMAT.md 7.1).
struct DictionaryReference {
  std::uint32_t plain_bytes = 0;  ///< 1 .. kMaxDictionaryBytes
  std::uint64_t checksum = 0;     ///< checksum64 of the content
  friend bool operator==(const DictionaryReference&, const DictionaryReference&) = default;
};

/// The last 32 bytes of a file (FORMAT.md 9).
struct Trailer {
  std::uint64_t index_offset = 0;  ///< of the index section, from the file header's first byte
  std::uint64_t file_bytes = 0;    ///< from the file header to the trailer's end
};

/// Each of these writes exactly k...Bytes bytes to `to`, checksum included.
void write_file_header(const FileHeader& header, Byte* to);
void write_block_header(const BlockHeader& header, Byte* to);
void write_section_header(const SectionHeader& header, Byte* to);
void write_trailer(const Trailer& trailer, Byte* to);
void write_dictionary_reference(const DictionaryReference& reference, Byte* to);

/// Each of these parses k...Bytes bytes and validates all fields against the limits. Errors:
/// kNotPresso, kUnsupportedVersion, kLostSync, kHeaderChecksum, kBadHeader, kUnknownCoding.
Result<FileHeader> parse_file_header(const Byte* from);
Result<BlockHeader> parse_block_header(const Byte* from);
Result<SectionHeader> parse_section_header(const Byte* from);
Result<Trailer> parse_trailer(const Byte* from);
Result<DictionaryReference> parse_dictionary_reference(const Byte* from);
/// Whether a dictionary section's payload is a reference, to be parsed with
/// parse_dictionary_reference().
bool is_dictionary_reference(Bytes payload);

/// Returns the kind of the frame that begins at `from` (4 bytes), or kLostSync.
Result<FrameKind> peek_frame_kind(const Byte* from);
/// Whether `from` (8 bytes) begins a presso file.
bool has_file_magic(const Byte* from);

}  // namespace presso
