// SPDX-License-Identifier: MIT
// The Byte decoder for any CPU: groups are split by scalar code without branches, and copies
// are as wide as the compiler makes them.
#include "decompress/cpu/byte_decoder.h"

namespace presso {
namespace portable {

#include "decompress/cpu/byte_decoder_loop.h"

namespace {

/// Bit i of a mask is about sequence i of the group: whether an escape byte follows its literal
/// length, or its match length, and whether its distance has a third byte (`far`). `without_match`:
/// at least one sequence has distance 0, which means that it has no match.
struct Masks {
  std::uint32_t literal_escapes = 0;
  std::uint32_t match_escapes = 0;
  std::uint32_t far = 0;
  bool without_match = false;
};

/// Lengths as far as tokens tell them, and all distances; escape bytes come later.
inline Masks split_tokens(const Cursor& cursor, Group& group) {
  const ByteBlockJob& job = cursor.job;
  const std::uint32_t literal_limit = (1u << job.literal_bits) - 1;
  const std::uint32_t match_limit = 0xFFu >> (job.literal_bits + (job.has_far ? 1 : 0));
  Masks masks;
  group.literal_sum = 0;
  group.match_sum = kGroup * job.min_match;
  for (std::uint32_t i = 0; i < kGroup; ++i) {
    const std::uint32_t token = cursor.tokens[i];
    const std::uint32_t literals = token & literal_limit;
    const std::uint32_t match = (token >> job.literal_bits) & match_limit;
    group.literals[i] = static_cast<std::uint16_t>(literals);
    group.matches[i] = static_cast<std::uint16_t>(match + job.min_match);
    group.distances[i] = load16(cursor.offsets + 2 * i);
    group.literal_sum += literals;
    group.match_sum += match;
    masks.literal_escapes |= std::uint32_t{literals == literal_limit} << i;
    masks.match_escapes |= std::uint32_t{match == match_limit} << i;
    masks.far |= (token >> 7) << i;
    masks.without_match |= group.distances[i] == 0;
  }
  // Without far distances bit 7 belongs to the match length.
  if (!job.has_far) masks.far = 0;
  return masks;
}

}  // namespace

/// Expands the next 32 sequences into `group`, or returns false if one of them is rare, as
/// byte_decoder_loop.h says.
bool expand(Cursor& cursor, Group& group) {
  const ByteBlockJob& job = cursor.job;
  // Tokens first, since they tell how many escape bytes and third bytes of distances there must be.
  Masks masks = split_tokens(cursor, group);
  if (masks.without_match) return false;
  const std::uint8_t* literal_escapes = cursor.literal_escapes;
  const std::uint8_t* match_escapes = cursor.match_escapes;
  std::uint32_t long_literals;
  std::uint32_t long_matches;
  if (!add_escapes(masks.literal_escapes, literal_escapes, job.streams.match_escapes,
                   group.literals, group.literal_sum, long_literals) ||
      !add_escapes(masks.match_escapes, match_escapes, job.streams.long_lengths, group.matches,
                   group.match_sum, long_matches) ||
      __builtin_popcount(masks.far) > job.streams.literal_escapes - cursor.far) {
    return false;
  }
  if ((long_literals | long_matches) != 0 &&
      !add_long_lengths(cursor, group, long_literals, long_matches)) {
    return false;
  }
  for (; masks.far != 0; masks.far &= masks.far - 1) {
    group.distances[__builtin_ctz(masks.far)] |= std::uint32_t{*cursor.far++} << 16;
  }
  cursor.literal_escapes = literal_escapes;
  cursor.match_escapes = match_escapes;
  return true;
}

}  // namespace portable

const ByteBlockLoops ByteBlockLoops::portable = {portable::decode_block_loop};

}  // namespace presso
