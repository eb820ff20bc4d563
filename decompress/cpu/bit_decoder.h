// SPDX-License-Identifier: MIT
// The fast decoders of the Bit coding (Huffman codes, FORMAT.md 13), one for each CPU level, and
// the plain struct that they take. They work in two stages: sub-streams become literals and
// sequences in memory, then literals and matches are copied. They only say whether a block is
// sound; if it is not, the reference decoder finds the error code. block_decoder.cpp picks one;
// bit_tables.h makes the tables.
#pragma once

#include <cstdint>

#include "decompress/sub_stream.h"
#include "presso/wire.h"

namespace presso {

/// A sequence as the first stage leaves it: values of FORMAT.md 13.3. `offset` may stand for one of
/// the last distances, which the second stage resolves when it copies.
struct BitValues {
  std::uint32_t literals;
  std::uint32_t match;
  std::uint32_t offset;
};

/// An entry of the tables for lengths and offsets, indexed by the next bits of a sub-stream.
struct ValueEntry {
  std::uint32_t base;   ///< the value if all extra bits are zero
  std::uint16_t extra;  ///< where these are: bits 0-7 the word's length, 8-15 how many
  std::uint16_t bits;   ///< word and extra bits together
};
/// An entry of the commands' table: what the next bits tell of a sequence's lengths.
struct CommandEntry {
  std::uint16_t match;  ///< match value if all extra bits are zero
  std::uint16_t extra;  ///< where these are, as in ValueEntry
  std::uint8_t literals;
  std::uint8_t bits;      ///< all bits that the entry takes
  std::int8_t no_offset;  ///< 0: an offset follows; otherwise kNoTable
  std::uint8_t is_long;   ///< not 0: a length has a command's maximum, and the rest follows
};
// The commands' table stays within 16 KiB, half of a usual first-level cache.
static_assert(sizeof(CommandEntry) == 8);
/// Combined with an index by `or`, it selects the entry before a table, which takes no bits and
/// holds the value to use when nothing follows a command.
constexpr std::int8_t kNoTable = -1;
/// The commands' table is indexed by at most this many bits.
constexpr unsigned kMaxCommandIndex = kMaxCommandLimit + 1;

/// In the joint table of sub-blocks, `base` of a literal is the literal with this bit set.
constexpr std::uint32_t kLiteralMark = 1u << 31;
/// An entry of the literals' table: the code word's length, and the literal in the high byte.
using LiteralEntry = std::uint16_t;

constexpr std::uint32_t kReadBehind = 128;  ///< bytes that may be read after the payload

/// A payload whose head is sound. There must be room after it (kReadBehind) and after `out` and
/// `literal_out` (64 bytes, for wide copies).
struct BitBlockJob {
  const std::uint8_t* payload;
  const SubStream* streams;       ///< one more than there are sub-streams, for the end
  const ValueEntry* joint_table;  ///< sub-blocks: literals and match lengths; lanes: nullptr
  const LiteralEntry* literal_table;
  const CommandEntry* command_table;
  const ValueEntry* literal_length_table;
  const ValueEntry* match_length_table;
  const ValueEntry* offset_table;
  std::uint8_t* literal_out;
  BitValues* values_out;
  std::uint8_t* out;
  const std::uint8_t* dictionary_end;
  std::uint32_t payload_bytes;
  std::uint32_t stream_count;
  std::uint32_t literal_mask;  ///< size of the literals' table, less 1; also of the joint table
  std::uint32_t command_mask;
  std::uint32_t value_mask;
  std::uint32_t dictionary_bytes;
  std::uint32_t plain_bytes;
  std::uint32_t sequences;
  std::uint32_t literals;
  std::uint32_t min_match;
  std::uint32_t lanes_log2;  ///< lanes only
  std::uint32_t run;         ///< sequences of each sub-stream except the last ones
};

/// One set a level; loops_for() of format/cpu_loops.h picks one.
struct BitBlockLoops {
  /// Decodes the whole block to `out`. False if it is not sound in any way; `out` is then
  /// undefined, and nothing outside of the stated room was read or written.
  bool (*decode)(const BitBlockJob& job);

  static const BitBlockLoops portable, avx2;
};

}  // namespace presso
