// SPDX-License-Identifier: MIT
// The parsing warp of the tile decoder: turns a block's sequences into, for each tile of 1 KiB of
// output, marks where segments begin and one 32-bit word a segment that says where its bytes
// come from. It runs ahead of the copying warps.
//
// A *segment* is the literal run of a sequence, or its match. Sequence i owns the slots 2i for its
// literals and 2i + 1 for its match; one without a match keeps its literals in slot 2i + 1. Each
// byte that begins a segment is marked with the step from the slot of the segment before it, so
// that the slot of any byte is a prefix sum over the marks. A slot's word tells where the bytes
// come from, relative to where they go; as that changes where a ring ends, a segment that goes on
// in another tile or another warp's part of one gets a word for there (PartStart).
//
// A lane holds four consecutive sequences, the warp a *unit* of 128: one prefix sum serves four
// times 32 sequences. A unit without escapes, far offsets and missing matches, which on text most
// are, is parsed by arithmetic on four tokens at a time in one register (parse_plain_unit).
//
// Invariants: a sequence has at least 4 bytes; blocks with others, or with more than kRecords
// sequences in two tiles, are left to the warp decoder. Everything that is read or written lies
// within what the plan gives; a fault sets failed() and stops the block.
#pragma once

#include "decompress/gpu/simt.h"
#include "decompress/gpu/tile_layout.h"

namespace presso::gpu {

using simt::u32;
using simt::u64;

constexpr u32 kUnitSequences = 4 * simt::kWarpSize;
/// A slot's word: what to add to a byte's place in the ring to find its source, as an offset in
/// shared memory; or, from kExternal on, its source's block position plus kExternalBias.
constexpr u32 kExternal = 0x40000000u;
constexpr u32 kExternalBias = kExternal + kMaxDictionaryBytes;
constexpr u32 kEachByte = 0x01010101u;

template <class Policy>
class TileParser {
 public:
  PRESSO_DEVICE TileParser(const BlockPlan& plan, TileShared<Policy>& shared)
      : plan_(plan), shared_(shared) {
    literal_limit_ = (1u << plan.literal_bits) - 1;
    match_bits_ = 8u - plan.literal_bits - plan.far;
    match_limit_ = (1u << match_bits_) - 1;
    const u64 literal_address = reinterpret_cast<u64>(plan.literal_bytes());
    literal_shift_ = static_cast<u32>(literal_address & 15);
    literal_source_ = plan.literal_bytes() - literal_shift_;
    literal_chunks_ = (plan.literals + literal_shift_ + kLiteralChunk - 1) / kLiteralChunk;
    window_ = plan.plain_bytes <= Policy::kRing ? ~0u : Policy::kRing - kTileBytes;
    next_literal_ = literal_shift_;
    copied_ = {literal_shift_, 0};
    fetch(0);
  }

  PRESSO_DEVICE bool failed() const { return failed_; }
  /// Valid, but with sequences too small for this decoder.
  PRESSO_DEVICE bool unsupported() const { return unsupported_; }

  /// Fills the tables of `tile` while the copying warps work on the one before it.
  PRESSO_DEVICE void build(u32 tile) {
    const u32 tile_end = min_of((tile + 1) * kTileBytes, plan_.plain_bytes);
    request_literals(copied_.literal);
    while (emitted_to_ < tile_end) {
      if (emitted_to_ == unit_end_ && !next_unit()) return;
      const u32 to = min_of(unit_end_, (tile + kTilesAhead - 1) * kTileBytes);
      if (emitted_to_ == unit_begin_ && to == unit_end_ && unit_first_ % kUnitSequences == 0 &&
          to - lap_ <= Policy::kRing &&
          unit_first_ + kUnitSequences - copied_.sequence <= kRecords && near_list_has_room()) {
        emit<true>(emitted_to_, to);
        emitted_to_ = to;
      } else if (!emit_part(tile_end, to)) {
        return;
      }
    }
    simt::warp_sync();
    publish(tile);
    const u32 literals_end = min_of(copied_.literal + kTileBytes, plan_.literals + literal_shift_);
    await_literals((literals_end + kLiteralChunk - 1) / kLiteralChunk);
  }

 private:
  static PRESSO_DEVICE u32 min_of(u32 a, u32 b) { return a < b ? a : b; }
  static PRESSO_DEVICE u32 max_of(u32 a, u32 b) { return a < b ? b : a; }
  static PRESSO_DEVICE u32 byte_of(u32 word, u32 i) { return (word >> (8 * i)) & 255u; }

  // --- Literals ---------------------------------------------------------------------------------

  /// Chunks behind the one that holds `oldest`, the first literal still needed, may be overwritten.
  PRESSO_DEVICE void request_literals(u32 oldest) {
    const u32 to = min_of(oldest / kLiteralChunk + kLiteralRing / kLiteralChunk, literal_chunks_);
    if (simt::lane() == 0) {
      for (u32 chunk = literal_chunks_requested_; chunk < to; ++chunk) load_chunk(chunk);
    }
    literal_chunks_requested_ = max_of(literal_chunks_requested_, to);
  }

  PRESSO_DEVICE void load_chunk(u32 chunk) {
    const u32 from = chunk * kLiteralChunk;
    const u32 left = (plan_.literals + literal_shift_ - from + 15) & ~15u;
    const u32 bytes = min_of(left, kLiteralChunk);
    const u32 place = from % kLiteralRing;
    u64* const barrier = &shared_.literal_barriers[place / kLiteralChunk];
    simt::bulk_expect(barrier, place == 0 ? 2 * bytes : bytes);
    simt::bulk_copy(barrier, shared_.literals + place, literal_source_ + from, bytes);
    if (place == 0) {
      simt::bulk_copy(barrier, shared_.literals + kLiteralRing, literal_source_ + from, bytes);
    }
  }

  PRESSO_DEVICE void await_literals(u32 chunks) {
    for (; literal_chunks_arrived_ < chunks; ++literal_chunks_arrived_) {
      const u32 place = literal_chunks_arrived_ % (kLiteralRing / kLiteralChunk);
      const u32 lap = literal_chunks_arrived_ / (kLiteralRing / kLiteralChunk);
      simt::bulk_copy_wait(&shared_.literal_barriers[place], lap & 1);
    }
  }

  // --- Units ------------------------------------------------------------------------------------

  /// Loads tokens and offsets of the unit that begins at sequence `first`.
  PRESSO_DEVICE void fetch(u32 first) {
    const u32 mine = first + 4 * simt::lane();
    const u32 left = mine < plan_.sequences ? plan_.sequences - mine : 0;
    const auto* const offsets = reinterpret_cast<const std::uint16_t*>(plan_.offsets());
    if (left >= 4) {
      fetched_offsets_ = simt::load_readonly(reinterpret_cast<const u64*>(offsets + mine));
      const auto* const tokens =
          reinterpret_cast<const std::uint16_t*>(plan_.tokens() + mine);  // even: 2 a sequence
      fetched_tokens_ = simt::load_readonly(tokens);
      fetched_more_tokens_ = simt::load_readonly(tokens + 1);
      return;
    }
    fetched_tokens_ = 0;
    fetched_more_tokens_ = 0;
    fetched_offsets_ = 0;
    for (u32 i = 0; i < left; ++i) {
      fetched_offsets_ |= u64{simt::load_readonly(offsets + mine + i)} << (16 * i);
      fetched_tokens_ |= u32{simt::load_readonly(plan_.tokens() + mine + i)} << (8 * i);
    }
  }

  PRESSO_DEVICE bool fail() {
    failed_ = true;
    return false;
  }

  /// Parses the next unit, or the literals behind the last sequence. False at the end or on faults.
  PRESSO_DEVICE bool next_unit() {
    if (next_sequence_ >= plan_.sequences) return tail_unit();
    const u32 tokens = fetched_tokens_ | fetched_more_tokens_ << 16;
    const u32 low = static_cast<u32>(fetched_offsets_);
    const u32 high = static_cast<u32>(fetched_offsets_ >> 32);  // allow(bare-32)
    unit_first_ = next_sequence_;
    unit_begin_ = unit_end_;
    next_sequence_ += kUnitSequences;
    fetch(next_sequence_);
    distance_[0] = low & 0xFFFFu;
    distance_[1] = low >> 16;
    distance_[2] = high & 0xFFFFu;
    distance_[3] = high >> 16;

    Codes codes;
    codes.literals = tokens & (kEachByte * literal_limit_);
    codes.matches = (tokens >> plan_.literal_bits) & (kEachByte * match_limit_);
    codes.literal_escapes = ((codes.literals + kEachByte) >> plan_.literal_bits) & kEachByte;
    codes.match_escapes = ((codes.matches + kEachByte) >> match_bits_) & kEachByte;
    codes.fars = plan_.far != 0 ? (tokens >> 7) & kEachByte : 0;
    const u32 special = codes.literal_escapes | codes.match_escapes | codes.fars |
                        has_zero_half(low) | has_zero_half(high);
    return simt::any(special != 0) ? parse_unit(codes) : parse_plain_unit(codes);
  }

  struct Codes {  // of four sequences, a byte each
    u32 literals, matches;
    u32 literal_escapes, match_escapes, fars;  // 1 where there is one
  };

  static PRESSO_DEVICE u32 has_zero_half(u32 word) {
    return (word - 0x00010001u) & ~word & 0x80008000u;
  }

  /// 128 sequences, each of whose lengths stands in its token, and each with a near offset.
  PRESSO_DEVICE bool parse_plain_unit(const Codes& codes) {
    const u32 lengths = codes.literals + codes.matches + kEachByte * plan_.min_match;
    // In byte i the sum of the first i + 1 lengths: without escapes three are at most 237.
    const u32 upto = lengths * kEachByte;
    const u32 sums = simt::dot4(codes.literals, kEachByte, 0) | simt::dot4(lengths, kEachByte, 0)
                                                                    << 16;
    const u32 sums_upto = simt::inclusive_sum(sums);
    const u32 all = simt::shuffle(sums_upto, simt::kWarpSize - 1);
    if ((all & 0xFFFFu) > plan_.literals + literal_shift_ - next_literal_ ||
        all >> 16 > plan_.plain_bytes - unit_end_) {
      return fail();
    }
    const u32 before = sums_upto - sums;
    literal_ = next_literal_ + (before & 0xFFFFu);
    begin_[0] = unit_end_ + (before >> 16);
    end_ = unit_end_ + (sums_upto >> 16);
    bool outside = false;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      if (i > 0) begin_[i] = begin_[0] + byte_of(upto, i - 1);
      match_[i] = begin_[i] + byte_of(codes.literals, i);
      outside |= distance_[i] > match_[i];
    }
    if (simt::any(outside) && !sources_in_dictionary()) return fail();
    next_literal_ += all & 0xFFFFu;
    unit_end_ += all >> 16;
    return true;
  }

  PRESSO_DEVICE bool sources_in_dictionary() const {
    bool bad = false;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      if (distance_[i] > match_[i]) {
        bad |= !in_dictionary(distance_[i] - match_[i], end_of(i) - match_[i]);
      }
    }
    return !simt::any(bad);
  }

  PRESSO_DEVICE u32 end_of(u32 i) const { return i < 3 ? begin_[(i + 1) % 4] : end_; }

  /// Any unit.
  PRESSO_DEVICE bool parse_unit(const Codes& codes) {
    const u32 first = unit_first_ + 4 * simt::lane();
    const u32 counts = simt::popcount(codes.literal_escapes) |
                       simt::popcount(codes.match_escapes) << 8 | simt::popcount(codes.fars) << 16;
    const u32 counts_upto = simt::inclusive_sum(counts);
    const u32 before = counts_upto - counts;
    const u32 all = simt::shuffle(counts_upto, simt::kWarpSize - 1);
    if (byte_of(all, 0) > plan_.literal_escapes - literal_escapes_used_ ||
        byte_of(all, 1) > plan_.match_escapes - match_escapes_used_ ||
        byte_of(all, 2) > plan_.far_offsets - fars_used_) {
      return fail();
    }
    u32 literals[4];
    u32 matches[4];
    u32 longs = 0;  // bit 2i: literals of sequence i, bit 2i + 1: its match
    const Byte* literal_escape =
        plan_.literal_escape_bytes() + literal_escapes_used_ + byte_of(before, 0);
    const Byte* match_escape =
        plan_.match_escape_bytes() + match_escapes_used_ + byte_of(before, 1);
    const Byte* far = plan_.far_bytes() + fars_used_ + byte_of(before, 2);
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      literals[i] = byte_of(codes.literals, i);
      matches[i] = byte_of(codes.matches, i);
      if (byte_of(codes.literal_escapes, i) != 0) {
        const u32 more = simt::load_readonly(literal_escape++);
        literals[i] += more;
        longs |= u32{more == 255} << (2 * i);
      }
      if (byte_of(codes.match_escapes, i) != 0) {
        const u32 more = simt::load_readonly(match_escape++);
        matches[i] += more;
        longs |= u32{more == 255} << (2 * i + 1);
      }
      if (byte_of(codes.fars, i) != 0) distance_[i] |= u32{simt::load_readonly(far++)} << 16;
    }
    literal_escapes_used_ += byte_of(all, 0);
    match_escapes_used_ += byte_of(all, 1);
    fars_used_ += byte_of(all, 2);
    if (simt::any(longs != 0) && !add_long_lengths(longs, literals, matches)) return fail();

    bool bad = false;
    u32 literal_sum = 0;
    u32 sum = 0;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      bad |= distance_[i] == 0 && matches[i] != 0;
      matches[i] = distance_[i] == 0 ? 0 : matches[i] + plan_.min_match;
      literal_sum += literals[i];
      sum += literals[i] + matches[i];
    }
    const u32 literals_upto = simt::inclusive_sum(literal_sum);
    const u32 sums_upto = simt::inclusive_sum(sum);
    const u32 all_literals = simt::shuffle(literals_upto, simt::kWarpSize - 1);
    const u32 all_bytes = simt::shuffle(sums_upto, simt::kWarpSize - 1);
    if (all_literals > plan_.literals + literal_shift_ - next_literal_ ||
        all_bytes > plan_.plain_bytes - unit_end_) {
      return fail();
    }
    u32 at = unit_end_ + sums_upto - sum;
    bool small = false;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      begin_[i] = at;
      const u32 length = literals[i] + matches[i];
      // One without a match has its literals in the match's place.
      match_[i] = distance_[i] == 0 ? at : at + literals[i];
      at += length;
      small |= length < 4 && first + i < plan_.sequences;
      if (distance_[i] > match_[i]) bad |= !in_dictionary(distance_[i] - match_[i], matches[i]);
    }
    end_ = at;
    literal_ = next_literal_ + literals_upto - literal_sum;
    const u32 problems = simt::reduce_or(u32{bad} | u32{small} << 1);
    if ((problems & 1) != 0) return fail();
    if (problems != 0) {
      unsupported_ = true;
      return false;
    }
    next_literal_ += all_literals;
    unit_end_ += all_bytes;
    return true;
  }

  PRESSO_DEVICE bool in_dictionary(u32 before_block, u32 length) const {
    return before_block <= plan_.dictionary_bytes && length <= before_block;
  }

  /// Lengths whose escape byte is 255 go on in the stream of long lengths, in sequence order.
  PRESSO_DEVICE bool add_long_lengths(u32 longs, u32 (&literals)[4], u32 (&matches)[4]) {
    const u32 mine = simt::popcount(longs);
    const u32 to = simt::inclusive_sum(mine);
    const u32 all = simt::shuffle(to, simt::kWarpSize - 1);
    if (all > plan_.long_lengths - longs_used_) return false;
    const Byte* from = plan_.long_length_bytes() + 2 * (longs_used_ + to - mine);
    for (u32 i = 0; i < 4; ++i) {
      if ((longs >> (2 * i) & 1) != 0) literals[i] += load_u16(from);
      if ((longs >> (2 * i + 1) & 1) != 0) matches[i] += load_u16(from);
    }
    longs_used_ += all;
    return true;
  }

  static PRESSO_DEVICE u32 load_u16(const Byte*& from) {
    const u32 value = simt::load_readonly(from) | u32{simt::load_readonly(from + 1)} << 8;
    from += 2;
    return value;
  }

  /// The literals behind the last sequence, as a sequence of lane 0 that has no match.
  PRESSO_DEVICE bool tail_unit() {
    const u32 left = plan_.literals + literal_shift_ - next_literal_;
    if (left == 0 || left != plan_.plain_bytes - unit_end_) return fail();
    end_ = plan_.plain_bytes;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      begin_[i] = i == 0 && simt::lane() == 0 ? unit_end_ : end_;
      match_[i] = begin_[i];
      distance_[i] = 0;
    }
    unit_first_ = plan_.sequences;
    unit_begin_ = unit_end_;
    literal_ = next_literal_;
    next_literal_ += left;
    unit_end_ = end_;
    return true;
  }

 public:
  /// Whether every stream is used up; to be asked behind the last tile.
  PRESSO_DEVICE bool complete() const {
    return next_sequence_ >= plan_.sequences && next_literal_ == plan_.literals + literal_shift_ &&
           literal_escapes_used_ == plan_.literal_escapes &&
           match_escapes_used_ == plan_.match_escapes && fars_used_ == plan_.far_offsets &&
           longs_used_ == plan_.long_lengths;
  }

 private:
  // --- Tables -----------------------------------------------------------------------------------

  PRESSO_DEVICE bool near_list_has_room() const {
    return near_to_ + kUnitSequences + kTilesAhead - copied_near_ <= kNearEntries;
  }

  /// Emits what begins in this tile, or more where the tables have room. False: they never have.
  PRESSO_DEVICE bool emit_part(u32 tile_end, u32 to) {
    if (!near_list_has_room() || unit_first_ + kUnitSequences - copied_.sequence > kRecords) {
      to = min_of(unit_end_, tile_end);
      u32 sequences = 0;
      PRESSO_UNROLL
      for (u32 i = 0; i < 4; ++i) sequences += simt::popcount(simt::ballot(begin_[i] < to));
      if (unit_first_ + sequences - copied_.sequence > kRecords) {
        unsupported_ = true;
        return false;
      }
    }
    emit<false>(emitted_to_, to);
    emitted_to_ = to;
    return true;
  }

  PRESSO_DEVICE u32 ring_place(u32 at) const {
    const u32 place = at - lap_;
    return place < Policy::kRing ? place : place - Policy::kRing;
  }

  PRESSO_DEVICE u32 literal_word(u32 place, u32 literal) const {
    constexpr u32 kLiterals = Policy::kRing + kTileBytes;
    return kLiterals + literal % kLiteralRing - place;
  }

  /// A near match: its source ends behind the start of the tile. `to`: its end, at most the tile's.
  /// Never true of a source in the dictionary, which ends before the block.
  static PRESSO_DEVICE bool is_near(u32 at, u32 to, u32 distance) {
    return to - (at & ~(kTileBytes - 1)) > distance;
  }

  static PRESSO_DEVICE u32 match_word(u32 place, u32 back) {
    return (place < back ? Policy::kRing : 0) - back;
  }

  static PRESSO_DEVICE u32 tile_end_of(u32 at, u32 to) {
    return min_of(to, (at | (kTileBytes - 1)) + 1);
  }

  /// The word of a match, of whatever kind.
  PRESSO_DEVICE u32 any_match_word(u32 at, u32 to, u32 distance) {
    const u32 place = ring_place(at);
    if (distance > min_of(at, window_)) {
      shared_.externals[(at >> kTileLog2) % kTilesAhead] = 1;
      return kExternalBias + at - distance - place;
    }
    // A near match is copied later; until then its bytes come from anywhere that may be read.
    return match_word(place, is_near(at, to, distance) ? kTileBytes : distance);
  }

  /// Fills the tables for the segments of the unit that begin in [from, to), and for those that go
  /// on in a part of a tile that begins there. kWhole: that is the whole unit, without the ring's
  /// end in it.
  template <bool kWhole>
  PRESSO_DEVICE void emit(u32 from, u32 to) {
    const u32 span = to - from;
    const u32 sequence = unit_first_ + 4 * simt::lane();
    SourceWords* const records = shared_.records + sequence % kRecords;
    u32 literal = literal_;
    u32 near_pieces = 0;
    bool crossing = false;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      const u32 begin = begin_[i];
      const u32 match = match_[i];
      const u32 end = end_of(i);
      const u32 distance = distance_[i];
      const bool literals_here = match > begin && (kWhole || begin - from < span);
      const bool match_here = end > match && (kWhole || match - from < span);
      const u32 begin_place = kWhole ? begin - lap_ : ring_place(begin);
      const u32 match_place = kWhole ? match - lap_ : ring_place(match);
      const u32 literal_source = literal_word(begin_place, literal);
      u32 match_source = match_word(match_place, distance);
      if (match_here && (distance < kTileBytes || distance > min_of(match, window_))) {
        if (distance == 0) {
          match_source = literal_word(match_place, literal);
        } else {
          const u32 stop = tile_end_of(match, end);
          match_source = any_match_word(match, stop, distance);
          near_pieces += is_near(match, stop, distance);
        }
      }
      if (literals_here) shared_.steps[begin % (kTilesAhead * kTileBytes)] = 4;
      if (match_here) {
        shared_.steps[match % (kTilesAhead * kTileBytes)] = match > begin ? Byte{4} : Byte{8};
      }
      if constexpr (kWhole) {
        records[i] = {literal_source, match_source};
      } else {
        if (literals_here) records[i].literals = literal_source;
        if (match_here) records[i].match = match_source;
      }
      crossing |= (begin + Policy::kPartBytes - 1) / Policy::kPartBytes <
                  (end + Policy::kPartBytes - 1) / Policy::kPartBytes;
      literal += (distance == 0 ? end : match) - begin;
    }
    if (crossing) near_pieces += cross(from, to);
    if (sequence % kRecords < 4) {  // for a lane of a copying warp that runs over the end
      for (u32 i = 0; i < 4; ++i) shared_.records[kRecords + i] = shared_.records[i];
    }
    if (simt::any(near_pieces != 0)) list_near(from, to, near_pieces);
  }

  /// The parts of tiles that begin within this lane's sequences and in [from, to): the segment that
  /// goes on in them. Returns the number of near pieces.
  PRESSO_DEVICE u32 cross(u32 from, u32 to) {
    constexpr u32 kPart = Policy::kPartBytes;
    u32 literal = literal_;
    u32 near_pieces = 0;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      const u32 begin = begin_[i];
      const u32 match = match_[i];
      const u32 end = end_of(i);
      const u32 distance = distance_[i];
      const u32 sequence = unit_first_ + 4 * simt::lane() + i;
      for (u32 at = (max_of(begin, from) + kPart - 1) / kPart * kPart; at < min_of(end, to);
           at += kPart) {
        // Without a match, literals stand from `match` on.
        const u32 literal_here = literal + (distance == 0 ? at : min_of(at, match)) - begin;
        u32 slot = 8 * sequence + 4;
        u32 word = 0;
        if (at == begin) {
          slot -= 8;
        } else if (at <= match) {
          slot -= 4;
          word = literal_word(ring_place(at), literal_here);
        } else if (distance == 0) {
          word = literal_word(ring_place(at), literal_here);
        } else {
          const u32 piece = max_of(match, at & ~(kTileBytes - 1));
          const u32 stop = tile_end_of(piece, end);
          word = any_match_word(piece, stop, distance);
          near_pieces += piece == at && is_near(piece, stop, distance);
        }
        shared_.parts[at / kPart % (kTilesAhead * Policy::kCopiers)] = {slot, word};
        if (at % kTileBytes == 0) {
          shared_.tile_starts[at / kTileBytes % kTilesAhead] = {literal_here, sequence};
        }
      }
      literal += distance == 0 ? end - begin : match - begin;
    }
    return near_pieces;
  }

  /// Appends the near pieces of [from, to) to the list, in the order of the output.
  PRESSO_DEVICE void list_near(u32 from, u32 to, u32 mine) {
    const u32 upto = simt::inclusive_sum(mine);
    u32 place = near_to_ + upto - mine;
    near_to_ += simt::shuffle(upto, simt::kWarpSize - 1);
    if (mine == 0) return;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      const u32 match = match_[i];
      const u32 end = end_of(i);
      const u32 distance = distance_[i];
      if (match >= end || distance >= kTileBytes || distance == 0) continue;
      if (match - from < to - from) list_piece(match, tile_end_of(match, end), distance, place);
      u32 at = (max_of(match + 1, from) + kTileBytes - 1) & ~(kTileBytes - 1);
      for (; at < min_of(end, to); at += kTileBytes) {
        list_piece(at, tile_end_of(at, end), distance, place);
      }
    }
  }

  /// An entry: place in the tile (10 bits), length less 1 (10), distance (10).
  PRESSO_DEVICE void list_piece(u32 at, u32 to, u32 distance, u32& place) {
    if (!is_near(at, to, distance)) return;
    shared_.near[place % kNearEntries] =
        at % kTileBytes | (to - at - 1) << kTileLog2 | distance << (2 * kTileLog2);
    ++place;
    simt::atomic_add(&shared_.near_counts[(at >> kTileLog2) % kTilesAhead], 1u);
  }

  /// Completes the tables of a tile and clears what a later one will use.
  PRESSO_DEVICE void publish(u32 tile) {
    const u32 slot = tile % kTilesAhead;
    const u32 near_count = shared_.near_counts[slot];
    copied_ = shared_.tile_starts[slot];
    copied_near_ = near_of_tile_;
    const u32 external = shared_.externals[slot];
    simt::warp_sync();
    if (simt::lane() == 0) {
      shared_.infos[slot] = {near_of_tile_, near_count, external, 0};
      shared_.near_counts[slot] = 0;
      shared_.externals[slot] = 0;
    }
    near_of_tile_ += near_count;
    if ((tile + 1) * kTileBytes - lap_ >= Policy::kRing) lap_ += Policy::kRing;
    simt::warp_sync();
  }

  const BlockPlan plan_;
  TileShared<Policy>& shared_;
  u32 literal_limit_, match_bits_, match_limit_, window_;
  const Byte* literal_source_;
  u32 literal_shift_, literal_chunks_;
  u32 literal_chunks_requested_ = 0;
  u32 literal_chunks_arrived_ = 0;

  u32 fetched_tokens_, fetched_more_tokens_;
  u64 fetched_offsets_;
  u32 next_sequence_ = 0;
  u32 literal_escapes_used_ = 0;
  u32 match_escapes_used_ = 0;
  u32 fars_used_ = 0;
  u32 longs_used_ = 0;
  u32 next_literal_;  // in the literal stream, counted from literal_source_

  // The unit: output positions, its first sequence; of this lane's sequences where they begin,
  // where the match begins, distance, and the first one's literals.
  u32 unit_begin_ = 0, unit_end_ = 0, unit_first_ = 0;
  u32 begin_[4], match_[4], distance_[4], end_, literal_;
  u32 emitted_to_ = 0;  // segments that begin before this are in the tables

  u32 lap_ = 0;           // output position that lies at the ring's start, for the tile being built
  TileStart copied_;      // of the tile built last, which is being copied while the next is built
  u32 copied_near_ = 0;   // its first near entry
  u32 near_of_tile_ = 0;  // the first near entry of the tile being built
  u32 near_to_ = 0;
  bool failed_ = false;
  bool unsupported_ = false;
};

}  // namespace presso::gpu
