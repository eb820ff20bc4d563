// SPDX-License-Identifier: MIT
// The fast decoders of the Bit coding, one per CPU level, and the plain struct they work on. They
// say only whether a block is sound; where it is not, the reference decoder finds the error code.
#pragma once

#include <cstdint>

#include "decompress/sub_stream.h"
#include "presso/wire.h"

namespace presso {

/// A sequence as the first stage leaves it: three values. Repeated distances are resolved when it
/// is copied.
struct BitValues {
  std::uint32_t literals;
  std::uint32_t match;
  std::uint32_t offset;
};

/// An entry of the tables for lengths and offsets, found by the next bits of a sub-stream.
struct ValueEntry {
  std::uint32_t base;   ///< the value whose extra bits are zero
  std::uint16_t extra;  ///< where they are: bits 0-7 the word's length, 8-15 how many
  std::uint16_t bits;   ///< word and extra bits
};
/// An entry of the commands' table: what the next bits say of a sequence's lengths.
struct CommandEntry {
  std::uint16_t match;  ///< value whose extra bits are zero
  std::uint16_t extra;  ///< where these are; as ValueEntry has it
  std::uint8_t literals;
  std::uint8_t bits;      ///< all
  std::int8_t no_offset;  ///< 0: an offset follows; else kNoTable
  std::uint8_t is_long;   ///< not 0: a length is what a command holds at most, and more follows
};
static_assert(sizeof(CommandEntry) == 8);
/// Combined with an index by `or`: the entry before a table, which takes no bits and is the value
/// of what does not follow a command.
constexpr std::int8_t kNoTable = -1;
/// The commands' table is found by at most so many bits.
constexpr unsigned kMaxCommandIndex = kMaxCommandLimit + 1;

/// In the joint table of sub-blocks, `base` of a literal is the literal and this.
constexpr std::uint32_t kLiteralMark = 1u << 31;
/// One of the literals' table: the code word's length, and the literal in the high byte.
using LiteralEntry = std::uint16_t;

constexpr std::uint32_t kReadBehind = 128;  ///< bytes that may be read after the payload

/// A payload whose head is sound. There is room after it (kReadBehind), after `out` and after
/// `literal_out` (64 bytes for wide copies).
struct BitBlockJob {
  const std::uint8_t* payload;
  const SubStream* streams;       ///< and the end of the last
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
  std::uint32_t literal_mask;  ///< a table's size less 1; also of the joint one
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

bool decode_bit_block_portable(const BitBlockJob& job);
#if defined(__x86_64__)
bool decode_bit_block_avx2(const BitBlockJob& job);
#endif

}  // namespace presso
