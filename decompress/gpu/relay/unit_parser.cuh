// SPDX-License-Identifier: MIT
// Parses units of 128 sequences of a Byte-coded block (FORMAT.md 6), four consecutive ones a lane:
// one prefix sum serves four times 32 sequences. Where a unit begins in each stream, and where the
// next one does, is all that units have to tell each other.
//
// In a *plain* unit, which most are on text, all lengths stand in the tokens and every sequence has
// a match: it is parsed by arithmetic on four tokens at a time in one register.
#pragma once

#include "decompress/gpu/relay/unit_places.cuh"

namespace presso::gpu {

namespace detail {

PRESSO_DEVICE u32 byte_of(u32 word, u32 i) {
  return (word >> (8 * i)) & 255u;
}

}  // namespace detail

/// A lane's four sequences as they are stored; zeros after the last one.
struct StoredSequences {
  u32 tokens;
  u32 offsets[2];  ///< two in each

  PRESSO_DEVICE u32 distance(u32 i) const {
    return i % 2 == 0 ? offsets[i / 2] & 0xFFFFu : offsets[i / 2] >> 16;
  }
  PRESSO_DEVICE bool has_zero_offset() const {
    return (has_zero_half(offsets[0]) | has_zero_half(offsets[1])) != 0;
  }
  static PRESSO_DEVICE u32 has_zero_half(u32 word) {
    return (word - 0x00010001u) & ~word & 0x80008000u;
  }
};

/// What the tokens of a lane's four sequences say, a byte each.
struct UnitCodes {
  u32 literals, matches;
  u32 literal_escapes, match_escapes;  ///< 1 where the length goes on
  bool plain;                          ///< the whole unit is

  PRESSO_DEVICE u32 nonempty_literals() const {
    return simt::popcount((literals + 0x7F * kEachByte) & (0x80 * kEachByte));
  }
};

class UnitParser : public UnitPlaces {
 public:
  using Stored = StoredSequences;

  PRESSO_DEVICE explicit UnitParser(const BlockPlan& plan)
      : UnitPlaces(plan),
        literal_bits_(plan.literal_bits),
        match_bits_(8u - plan.literal_bits),
        literal_limits_(kEachByte * ((1u << literal_bits_) - 1)),
        match_limits_(kEachByte * ((1u << match_bits_) - 1)),
        min_match_(plan.min_match) {}

  static PRESSO_DEVICE const Byte* literals_of(const BlockPlan& plan) {
    return plan.literal_bytes();
  }

  PRESSO_DEVICE StoredSequences load(u32 unit) const {
    const u32 mine = unit * kUnitSequences + 4 * simt::lane();
    const u32 left = mine < plan_.sequences ? plan_.sequences - mine : 0;
    const auto* const offsets = reinterpret_cast<const std::uint16_t*>(plan_.offsets());
    if (left >= 4) {
      const u64 four = simt::load_readonly(reinterpret_cast<const u64*>(offsets + mine));
      const auto* const tokens =
          reinterpret_cast<const std::uint16_t*>(plan_.tokens() + mine);  // even: 2 a sequence
      const u32 low = simt::load_readonly(tokens);
      const u32 high = simt::load_readonly(tokens + 1);
      return {low | high << 16,
              {static_cast<u32>(four), static_cast<u32>(four >> 32)}};  // allow(bare-32): bits
    }
    StoredSequences stored{0, {0, 0}};
    PRESSO_UNROLL
    for (u32 i = 0; i < 3; ++i) {
      if (i >= left) continue;
      const u32 offset = simt::load_readonly(offsets + mine + i);
      stored.offsets[i / 2] |= offset << (16 * (i % 2));
      stored.tokens |= u32{simt::load_readonly(plan_.tokens() + mine + i)} << (8 * i);
    }
    return stored;
  }

  PRESSO_DEVICE UnitCodes decode(const StoredSequences& stored) const {
    UnitCodes codes;
    codes.literals = stored.tokens & literal_limits_;
    codes.matches = (stored.tokens >> literal_bits_) & match_limits_;
    codes.literal_escapes = ((codes.literals + kEachByte) >> literal_bits_) & kEachByte;
    codes.match_escapes = ((codes.matches + kEachByte) >> match_bits_) & kEachByte;
    const bool special = (codes.literal_escapes | codes.match_escapes) != 0;
    codes.plain = !simt::any(special || stored.has_zero_offset());
    return codes;
  }

  /// The lengths of the lane's four sequences in a plain unit, a byte each.
  PRESSO_DEVICE u32 plain_lengths(const UnitCodes& codes) const {
    return codes.literals + codes.matches + kEachByte * min_match_;
  }

  /// Sums over a unit's codes in one word: from the lowest bit on literals, less than
  /// 2^(literal_bits + 7); up to bit 23 bytes, at most 128 * (15 + 15 + 15), 128 * (7 + 31 + 15) or
  /// 128 * (3 + 63 + 15) where literal_bits is 4, 3 or 2; in the top 8 bits runs of literals, at
  /// most 128.
  PRESSO_DEVICE u32 pack_sums(u32 literals, u32 bytes, u32 runs) const {
    return literals | bytes << (literal_bits_ + 7) | runs << 24;
  }
  PRESSO_DEVICE u32 literals_of(u32 sums) const { return sums & ((128u << literal_bits_) - 1); }
  PRESSO_DEVICE u32 bytes_of(u32 sums) const { return (sums & 0xFFFFFFu) >> (literal_bits_ + 7); }
  static PRESSO_DEVICE u32 runs_of(u32 sums) { return sums >> 24; }

  PRESSO_DEVICE u32 plain_sums(const UnitCodes& codes) const {
    return pack_sums(simt::dot4(codes.literals, kEachByte, 0),
                     simt::dot4(plain_lengths(codes), kEachByte, 0), codes.nonempty_literals());
  }

  /// Places the lane's sequences of a plain unit.
  PRESSO_DEVICE void place_plain(const UnitCodes& codes, const UnitRecord& at,
                                 LaneSequences& lane) const {
    const u32 sums = plain_sums(codes);
    const u32 before = simt::inclusive_sum(sums) - sums;
    // In byte i the sum of the first i + 1 lengths: three are at most 3 * (2 + 62 + 15).
    const u32 upto = plain_lengths(codes) * kEachByte;
    lane.begin[0] = at.plain + bytes_of(before);
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      if (i > 0) lane.begin[i] = lane.begin[0] + detail::byte_of(upto, i - 1);
      lane.match[i] = lane.begin[i] + detail::byte_of(codes.literals, i);
    }
    lane.end = lane.begin[0] + bytes_of(sums);
    lane.literals = at.literals + literals_of(before);
    lane.segments = at.segments + runs_of(before) + 4 * simt::lane();
  }

  /// Lengths of any unit; moves `at` after it in the streams of escapes. False, in all lanes: they
  /// run out, or a sequence without a match has a length of one.
  PRESSO_DEVICE bool lengths(const StoredSequences& stored, const UnitCodes& codes, UnitRecord& at,
                             UnitLengths& lengths) const {
    const u32 counts = simt::popcount(codes.literal_escapes) | simt::popcount(codes.match_escapes)
                                                                   << 16;
    const u32 upto = simt::inclusive_sum(counts);
    const u32 all = simt::shuffle(upto, simt::kWarpSize - 1);
    if ((all & 0xFFFFu) > plan_.literal_escapes - at.literal_escapes ||
        all >> 16 > plan_.match_escapes - at.match_escapes) {
      return false;
    }
    // All loads before any use: their latencies must not add up.
    const u32 before = upto - counts;
    const Byte* const literal_escape =
        plan_.literal_escape_bytes() + at.literal_escapes + (before & 0xFFFFu);
    const Byte* const match_escape = plan_.match_escape_bytes() + at.match_escapes + (before >> 16);
    const u32 literal_ranks = codes.literal_escapes * kEachByte;
    const u32 match_ranks = codes.match_escapes * kEachByte;
    u32 more_literals[4];
    u32 more_match[4];
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      more_literals[i] = 0;
      more_match[i] = 0;
      if (detail::byte_of(codes.literal_escapes, i) != 0) {
        more_literals[i] =
            simt::load_readonly(literal_escape + detail::byte_of(literal_ranks, i) - 1);
      }
      if (detail::byte_of(codes.match_escapes, i) != 0) {
        more_match[i] = simt::load_readonly(match_escape + detail::byte_of(match_ranks, i) - 1);
      }
    }
    u32 longs = 0;  // bit 2i: literals of sequence i, bit 2i + 1: its match
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      lengths.literals[i] = detail::byte_of(codes.literals, i) + more_literals[i];
      lengths.matches[i] = detail::byte_of(codes.matches, i) + more_match[i];
      longs |= u32{more_literals[i] == 255} << (2 * i) | u32{more_match[i] == 255} << (2 * i + 1);
    }
    at.literal_escapes += all & 0xFFFFu;
    at.match_escapes += all >> 16;
    bool bad = false;
    if (simt::any(longs != 0)) bad = !add_long_lengths(longs, at, lengths);
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      bad |= stored.distance(i) == 0 && lengths.matches[i] != 0;
      lengths.matches[i] = stored.distance(i) == 0 ? 0 : lengths.matches[i] + min_match_;
    }
    return !simt::any(bad);
  }

  /// All of a unit that the survey has found sound. Positions count from the block's start.
  PRESSO_DEVICE void parse(u32 unit, const StoredSequences& stored, const UnitRecord& record,
                           LaneSequences& lane) const {
    const UnitCodes codes = decode(stored);
    if (codes.plain) {
      place_plain(codes, record, lane);
      return;
    }
    UnitRecord at = record;
    UnitLengths unit_lengths;
    lengths(stored, codes, at, unit_lengths);
    if (unit == plan_.sequences / kUnitSequences) add_tail(unit, at, unit_lengths);
    place(unit_lengths, record, lane);
  }

 private:
  /// Lengths whose escape byte is 255 go on in the stream of long lengths, in sequence order.
  PRESSO_DEVICE bool add_long_lengths(u32 longs, UnitRecord& at, UnitLengths& lengths) const {
    const u32 mine = simt::popcount(longs);
    const u32 upto = simt::inclusive_sum(mine);
    const u32 all = simt::shuffle(upto, simt::kWarpSize - 1);
    if (all > plan_.long_lengths - at.long_lengths) return false;
    const Byte* from = plan_.long_length_bytes() + 2 * (at.long_lengths + upto - mine);
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      if ((longs >> (2 * i) & 1) != 0) lengths.literals[i] += load_u16(from);
      if ((longs >> (2 * i + 1) & 1) != 0) lengths.matches[i] += load_u16(from);
    }
    at.long_lengths += all;
    return true;
  }

  static PRESSO_DEVICE u32 load_u16(const Byte*& from) {
    const u32 value = simt::load_readonly(from) | u32{simt::load_readonly(from + 1)} << 8;
    from += 2;
    return value;
  }

  u32 literal_bits_, match_bits_;
  u32 literal_limits_, match_limits_;
  u32 min_match_;
};

}  // namespace presso::gpu
