// SPDX-License-Identifier: MIT
// The loops of the fast Bit decoder, compiled once for each CPU level (presso_cpu_levels); AVX-512
// gains nothing over AVX2 (NOTES.md). Nothing of the standard library is used
// (format/cpu_loops.h).
//
// The idea: a sub-stream is one long chain of look-ups, each of which needs the length of the
// word before. So several lanes are decoded in turns, a sequence or four literals of each at a
// time, and their chains overlap. The results go to arrays. When all lanes are done, sums over
// all lengths tell that literals and matches fill the block exactly, and the copying loop then
// checks only where a match comes from. It also resolves repeated distances, one lane after
// another, so that the list stays in registers.
//
// What counts is the number of instructions for each sequence, about 35 in the first stage and
// 20 in the second, and that no branch depends on a sequence. Therefore entries of the
// commands' table include the long lengths that follow a command, as far as the table's index
// reaches (bit_tables.cpp).
//
// Positions are counted in bits. A lane that ran off its sub-stream does not end where the next
// one begins. A lane that ran off the payload is noticed before it leaves the room after it.
#include <cstddef>
#if defined(PRESSO_AVX2)
#include <immintrin.h>
#endif

#include "decompress/cpu/bit_decoder.h"

namespace presso {
namespace PRESSO_LEVEL {

#include "decompress/cpu/copy_loop.h"

/// Everything in a lane's chain must be inlined into the loop that interleaves the lanes.
#define PRESSO_INLINE [[gnu::always_inline]] inline

constexpr std::uint32_t kTogether = 4;  ///< lanes that are decoded in turns
// sequences, or fours of literals, between two checks of positions
constexpr std::uint32_t kUnchecked = 8;
constexpr std::uint32_t kRepeats = 3;
constexpr std::uint32_t kLongLiterals = 3;  ///< the most that a command holds
constexpr std::uint32_t kLongMatch = 15;
constexpr std::uint32_t kFour = 4;  ///< literals

constexpr std::uint32_t kMostCommandBits = 10;
constexpr std::uint32_t kMostInEntry = 11 + 12;    ///< including a long match below 2^15
constexpr std::uint32_t kMostLengthBits = 9 + 18;  ///< of a code word and its extra bits
constexpr std::uint32_t kMostOffsetBits = 9 + 21;
constexpr std::uint32_t kMostLiteralBits = 12;
constexpr std::uint32_t kPeeked = 57;  ///< bits that peek() gives at least
static_assert(2 * kMostLengthBits <= kPeeked && kMostInEntry + kMostOffsetBits <= kPeeked);
static_assert(kFour * kMostLiteralBits <= kPeeked);
static_assert(kUnchecked * (kMostCommandBits + 2 * kMostLengthBits + kMostOffsetBits) / 8 + 16 <=
              kReadBehind);

/// The bits that ValueEntry::extra describes. BEXTR takes first bit and number of bits in just that
/// form.
PRESSO_INLINE std::uint32_t extract(std::uint64_t bits, std::uint32_t where) {
#if defined(PRESSO_AVX2)
  return static_cast<std::uint32_t>(__builtin_ia32_bextr_u64(bits, where));
#else
  return static_cast<std::uint32_t>(bits >> (where & 0xFF)) & ((1u << (where >> 8)) - 1);
#endif
}

/// The bits from `at` on; at least kPeeked of them are valid.
PRESSO_INLINE std::uint64_t peek(const BitBlockJob& job, std::uint32_t at) {
  std::uint64_t bits;
  __builtin_memcpy(&bits, job.payload + at / 8, sizeof bits);
  return bits >> at % 8;
}

/// `other`: 0 to look up, or kNoTable for the entry that stands for "nothing follows".
PRESSO_INLINE std::uint32_t take_value(const ValueEntry* table, std::uint32_t mask,
                                       std::int64_t other, std::uint64_t& bits,
                                       std::uint32_t& used) {
  const ValueEntry& entry = table[static_cast<std::int64_t>(bits & mask) | other];
  const std::uint32_t value = entry.base + extract(bits, entry.extra);
  const std::uint32_t count = entry.bits;
  bits >>= count;
  used += count;
  return value;
}

/// Takes the values after a command of long lengths; `at` is the position after the command's
/// bits. It has no branches, because which length is long cannot be predicted.
[[gnu::noinline]] inline std::uint32_t take_long(const BitBlockJob& job, std::uint32_t at,
                                                 BitValues& to) {
  std::uint64_t bits = peek(job, at);
  const std::int64_t literals = to.literals == kLongLiterals ? 0 : kNoTable;
  const std::int64_t match = to.match == kLongMatch ? 0 : kNoTable;
  to.literals += take_value(job.literal_length_table, job.value_mask, literals, bits, at);
  to.match += take_value(job.match_length_table, job.value_mask, match, bits, at);
  return at;
}

/// One sequence: command, rare long lengths, offset. At most three look-ups.
PRESSO_INLINE void take_sequence(const BitBlockJob& job, std::uint32_t& at, BitValues& to) {
  // Local copies: through references every store of `to` might change them.
  std::uint32_t used = at;
  std::uint64_t bits = peek(job, used);
  const CommandEntry& command = job.command_table[bits & job.command_mask];
  to.literals = command.literals;
  to.match = command.match + extract(bits, command.extra);
  const std::uint32_t count = command.bits;
  bits >>= count;
  used += count;
  if (command.is_long != 0) [[unlikely]] {
    used = take_long(job, used, to);
    bits = peek(job, used);
  }
  to.offset = take_value(job.offset_table, job.value_mask, command.no_offset, bits, used);
  at = used;
}

/// The next literal; `bits` must hold at least kMostLiteralBits.
PRESSO_INLINE std::uint32_t take_literal(const BitBlockJob& job, std::uint64_t& bits,
                                         std::uint32_t& at) {
  const LiteralEntry entry = job.literal_table[bits & job.literal_mask];
  bits >>= entry & 0xFF;
  at += entry & 0xFF;
  return entry >> 8;
}

/// Four literals fit into the bits of one load.
PRESSO_INLINE void take_four(const BitBlockJob& job, std::uint32_t& at, std::uint8_t* to) {
  std::uint64_t bits = peek(job, at);
  std::uint32_t four = take_literal(job, bits, at);
  four |= take_literal(job, bits, at) << 8;
  four |= take_literal(job, bits, at) << 16;
  four |= take_literal(job, bits, at) << 24;
  __builtin_memcpy(to, &four, sizeof four);
}

/// The number of a lane's sequences; the last lanes have fewer.
inline std::uint32_t sequences_of(const BitBlockJob& job, std::uint32_t lane) {
  const std::uint64_t before = std::uint64_t{job.run} * lane;
  if (before >= job.sequences) return 0;
  const auto rest = static_cast<std::uint32_t>(job.sequences - before);
  return rest < job.run ? rest : job.run;
}

/// One comparison for each lane, once for kUnchecked steps.
template <std::uint32_t kLanes>
inline bool are_inside(const BitBlockJob& job, const std::uint32_t* at) {
  bool inside = true;
  for (std::uint32_t i = 0; i < kLanes; ++i) inside = inside && at[i] <= 8 * job.payload_bytes;
  return inside;
}

/// Takes `count` sequences of each of kLanes neighbouring lanes; those of the first go to `to`.
/// False if a lane leaves the payload.
template <std::uint32_t kLanes>
inline bool take_sequences(const BitBlockJob& job, std::uint32_t* at, std::uint32_t count,
                           BitValues* to) {
  for (std::uint32_t n = 0; n < count;) {
    if (!are_inside<kLanes>(job, at)) return false;
    const std::uint32_t end = count - n < kUnchecked ? count : n + kUnchecked;
    for (; n < end; ++n) {
#pragma GCC unroll 4  // lanes' positions stay in registers
      for (std::uint32_t i = 0; i < kLanes; ++i) {
        take_sequence(job, at[i], to[std::size_t{i} * job.run + n]);
      }
    }
  }
  return true;
}

/// Takes the literals of kLanes neighbours, in those rounds that all lanes of the block have in
/// full.
template <std::uint32_t kLanes>
inline bool take_whole_rounds(const BitBlockJob& job, std::uint32_t* at, std::uint32_t rounds,
                              std::uint8_t* to) {
  for (std::uint32_t n = 0; n < rounds;) {
    if (!are_inside<kLanes>(job, at)) return false;
    const std::uint32_t end = rounds - n < kUnchecked ? rounds : n + kUnchecked;
    for (; n < end; ++n) {
      for (std::uint32_t i = 0; i < kLanes; ++i) take_four(job, at[i], to + kFour * i);
      to += kFour << job.lanes_log2;
    }
  }
  return are_inside<kLanes>(job, at);
}

/// Decodes kLanes lanes from `first` on; false if one of them does not end where it must.
template <std::uint32_t kLanes>
inline bool take_lanes(const BitBlockJob& shared, std::uint32_t first) {
  const BitBlockJob job = shared;  // which no store can change
  std::uint32_t at[kLanes];
  for (std::uint32_t i = 0; i < kLanes; ++i) at[i] = job.streams[first + i].bit;
  BitValues* const values = job.values_out + std::size_t{first} * job.run;
  // What all lanes of the group have; the first ones may have more.
  const std::uint32_t common = sequences_of(job, first + kLanes - 1);  // the last has fewest
  if (!take_sequences<kLanes>(job, at, common, values)) return false;
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    const std::uint32_t more = sequences_of(job, first + i) - common;
    BitValues* const to = values + std::size_t{i} * job.run + common;
    if (!take_sequences<1>(job, at + i, more, to)) return false;
  }
  // Literals: whole rounds of four for every lane, then what is left of the last round.
  const std::uint32_t rounds = (job.literals / kFour) >> job.lanes_log2;
  const std::uint32_t whole = rounds * kFour << job.lanes_log2;
  if (!take_whole_rounds<kLanes>(job, at, rounds, job.literal_out + kFour * first)) return false;
  // Kept until the end instead of returning: all lanes of the group end together.
  bool right = true;
  for (std::uint32_t i = 0; i < kLanes; ++i) {
    const std::uint32_t begin = whole + kFour * (first + i);
    std::uint64_t bits = peek(job, at[i]);
    // At most one four for each lane, perhaps an incomplete one.
    for (std::uint32_t n = begin; n < begin + kFour && n < job.literals; ++n) {
      job.literal_out[n] = static_cast<std::uint8_t>(take_literal(job, bits, at[i]));
    }
    right = right && at[i] == job.streams[first + i + 1].bit;
  }
  return right;
}

// Lanes in groups of kTogether, then one by one.
inline bool take_all_lanes(const BitBlockJob& job) {
  const std::uint32_t count = job.stream_count;
  std::uint32_t lane = 0;
  for (; lane + kTogether <= count; lane += kTogether) {
    if (!take_lanes<kTogether>(job, lane)) return false;
  }
  for (; lane < count; ++lane) {
    if (!take_lanes<1>(job, lane)) return false;
  }
  return true;
}

/// The joint table's entry for these bits; past the payload's end it may be any.
PRESSO_INLINE const ValueEntry& joint_entry(const BitBlockJob& job, std::uint64_t bits) {
  return job.joint_table[bits & job.literal_mask];
}

/// Decodes a sub-block, symbol after symbol. False if it does not end where it must, or has
/// another number of literals than the head says.
inline bool take_sub_block(const BitBlockJob& job, std::uint32_t number) {
  std::uint32_t at = job.streams[number].bit;
  std::uint32_t literal = job.streams[number].literal;
  const std::uint32_t literal_end = job.streams[number + 1].literal;
  const std::uint32_t last = sequences_of(job, number);
  BitValues* to = job.values_out + std::size_t{number} * job.run;
  for (BitValues* const end = to + last; to != end; ++to) {
    // Literals up to the match length that ends the sequence.
    const std::uint32_t first = literal;
    for (;;) {
      if (!are_inside<1>(job, &at)) return false;
      std::uint64_t bits = peek(job, at);
      const ValueEntry& entry = joint_entry(job, bits);
      if ((entry.base & kLiteralMark) == 0) {
        to->match = take_value(job.joint_table, job.literal_mask, 0, bits, at);
        break;
      }
      if (literal == literal_end) return false;
      job.literal_out[literal++] = static_cast<std::uint8_t>(entry.base);
      at += entry.bits;
    }
    to->literals = literal - first;
    std::uint64_t bits = peek(job, at);
    to->offset = take_value(job.offset_table, job.value_mask, 0, bits, at);
  }
  if (number + 1 < job.stream_count && literal < literal_end) return false;
  for (; literal < literal_end; ++literal) {
    if (!are_inside<1>(job, &at)) return false;
    const ValueEntry& entry = joint_entry(job, peek(job, at));
    if ((entry.base & kLiteralMark) == 0) return false;
    job.literal_out[literal] = static_cast<std::uint8_t>(entry.base);
    at += entry.bits;
  }
  return at == job.streams[number + 1].bit;
}

/// One sub-block after another: each is one chain, so here nothing overlaps. Sub-blocks are for
/// GPUs, which decode many at once.
inline bool take_all_sub_blocks(const BitBlockJob& job) {
  for (std::uint32_t number = 0; number < job.stream_count; ++number) {
    if (!take_sub_block(job, number)) return false;
  }
  return true;
}

/// Whether the bits after the last sub-stream, at most 7, are zero.
inline bool ends_in_zeros(const BitBlockJob& job) {
  const std::uint32_t end = job.streams[job.stream_count].bit;
  return end % 8 == 0 || job.payload[end / 8] >> end % 8 == 0;
}

/// Whether literals and matches fill the block exactly, and no match length lacks an offset.
inline bool lengths_add_up(const BitBlockJob& job) {
  std::uint64_t literals = 0;
  std::uint64_t matches = 0;
  // Sequences without a match have no minimum length to add.
  std::uint64_t without_match = 0;
  std::uint32_t both = 0;
  for (std::uint32_t i = 0; i < job.sequences; ++i) {
    const BitValues& values = job.values_out[i];
    literals += values.literals;
    matches += values.match;
    without_match += values.offset == 0;
    both |= values.offset == 0 ? values.match : 0;
  }
  matches += (job.sequences - without_match) * job.min_match;
  return both == 0 && literals <= job.literals && job.literals + matches == job.plain_bytes;
}

/// A lane's list of the last distances.
struct LastDistances {
  std::uint32_t first = 1;
  std::uint32_t second = 2;
  std::uint32_t third = 4;

  /// The distance that an offset value other than 0 stands for. There is no branch, because
  /// structured data repeats distances often and unpredictably.
  std::uint32_t take(std::uint32_t value) {
    const std::uint32_t repeated = value == 1 ? first : (value == 2 ? second : third);
    const std::uint32_t distance = value > kRepeats ? value - kRepeats : repeated;
    third = value >= kRepeats ? second : third;
    second = value == 1 ? second : first;
    return first = distance;
  }

  /// Like take(), for blocks where repeated distances are rare.
  std::uint32_t take_mostly_new(std::uint32_t value) {
    if (value <= kRepeats) [[unlikely]]
      return take(value);
    third = second;
    second = first;
    return first = value - kRepeats;
  }
};

/// Where the second stage reads and writes.
struct CopyCursor {
  std::uint8_t* out;
  const std::uint8_t* literals;
};

// kDictionary: matches may reach into a dictionary. kLong: sequences are long on average.
template <bool kDictionary, bool kLong>
inline bool copy_lane(const BitBlockJob& job, const BitValues* from, std::uint32_t count,
                      CopyCursor& cursor) {
  std::uint8_t* out = cursor.out;
  const std::uint8_t* literals = cursor.literals;
  LastDistances last;
  for (const BitValues* const end = from + count; from != end; ++from) {
    copy_literals<kLong>(out, literals, from->literals);
    literals += from->literals;
    out += from->literals;
    if (from->offset == 0) [[unlikely]]
      continue;
    const std::uint32_t distance =
        kLong ? last.take(from->offset) : last.take_mostly_new(from->offset);
    const std::uint32_t length = from->match + job.min_match;
    if (!copy_match<kDictionary, kLong>(job, out, distance, length)) [[unlikely]]
      return false;
    out += length;
  }
  cursor = {out, literals};
  return true;
}

/// The second stage: sequences in the order of the plain text, then the literals after the last
/// one.
template <bool kDictionary, bool kLong>
inline bool copy_all_lanes(const BitBlockJob& job) {
  // Lanes are runs of neighbouring sequences, so their order is that of the plain text.
  CopyCursor cursor{job.out, job.literal_out};
  for (std::uint32_t lane = 0; lane < job.stream_count; ++lane) {
    const BitValues* const from = job.values_out + std::size_t{lane} * job.run;
    if (!copy_lane<kDictionary, kLong>(job, from, sequences_of(job, lane), cursor)) return false;
  }
  // lengths_add_up() has checked that exactly this number of literals is left.
  const auto tail = static_cast<std::size_t>(job.out + job.plain_bytes - cursor.out);
  __builtin_memcpy(cursor.out, cursor.literals, tail);
  return true;
}

// Both stages; each way of the second is compiled apart, so that its loop has no conditions.
inline bool decode_bit_block_loop(const BitBlockJob& job) {
  const bool taken = job.joint_table != nullptr ? take_all_sub_blocks(job) : take_all_lanes(job);
  if (!taken || !ends_in_zeros(job) || !lengths_add_up(job)) return false;
  // A mean sequence of more than 32 bytes.
  const bool is_long = job.plain_bytes / 32 > job.sequences;
  if (job.dictionary_bytes > 0) {
    return is_long ? copy_all_lanes<true, true>(job) : copy_all_lanes<true, false>(job);
  }
  return is_long ? copy_all_lanes<false, true>(job) : copy_all_lanes<false, false>(job);
}

}  // namespace PRESSO_LEVEL

const BitBlockLoops BitBlockLoops::PRESSO_LEVEL = {PRESSO_LEVEL::decode_bit_block_loop};

}  // namespace presso
