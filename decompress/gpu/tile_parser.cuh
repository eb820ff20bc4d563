// SPDX-License-Identifier: MIT
// The parsing warp of the tile decoder: turns a block's sequences into, for each tile of 1 KiB of
// output, a bitmap of where segments start and one 32-bit word a segment that says where its bytes
// come from. It runs ahead of the copying warps.
//
// A *segment* is a literal run or a match, cut at tile borders. Its slot is its number in the block
// (its rank, empty ones not counted) plus the number of tile borders before it: so a segment that
// goes on in a further tile has a slot of its own there, and slots of a tile are consecutive.
//
// A lane holds four consecutive sequences, the warp a *unit* of 128: one prefix sum serves four
// times 32 sequences. Long lengths take a slower way round, uniformly for the unit.
//
// Invariants: a sequence has at least 4 bytes (others are left to the warp decoder), so that a tile
// has at most kSlotsOfATile slots. Everything that is read or written lies within what the plan
// gives; a fault sets failed() and stops the block.
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
    literal_ = literal_shift_;
    next_literal_ = literal_shift_;
    fetch(0);
  }

  PRESSO_DEVICE bool failed() const { return failed_; }
  /// Valid, but with sequences too small for this decoder.
  PRESSO_DEVICE bool unsupported() const { return unsupported_; }

  /// Fills the tables of `tile` while the copying warps work on the one before it.
  PRESSO_DEVICE void build(u32 tile) {
    const u32 tile_end = min_of((tile + 1) * kTileBytes, plan_.plain_bytes);
    request_literals(tile == 0 ? literal_shift_ : shared_.literal_at[(tile - 1) % (2 * kTilesAhead)]);
    while (emitted_to_ < tile_end) {
      if (emitted_to_ == unit_end_ && !next_unit()) return;
      const u32 to = whole_unit_fits(tile) ? unit_end_ : min_of(unit_end_, tile_end);
      emit(emitted_to_, to);
      emitted_to_ = to;
    }
    simt::warp_sync();
    publish(tile);
    const u32 literals_end = min_of(shared_.literal_at[tile % (2 * kTilesAhead)] + kTileBytes,
                                    plan_.literals + literal_shift_);
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
    fetched_tokens_ = 0;
    fetched_offsets_ = 0;
    if (left >= 4) {
      fetched_offsets_ = simt::load_readonly(reinterpret_cast<const u64*>(plan_.offsets()) + mine / 4);
      const auto* const tokens =
          reinterpret_cast<const std::uint16_t*>(plan_.tokens() + mine);  // even: 2 a sequence
      fetched_tokens_ = simt::load_readonly(tokens) | u32{simt::load_readonly(tokens + 1)} << 16;
    } else {
      for (u32 i = 0; i < left; ++i) {
        const auto* const offsets = reinterpret_cast<const std::uint16_t*>(plan_.offsets());
        fetched_offsets_ |= u64{simt::load_readonly(offsets + mine + i)} << (16 * i);
        fetched_tokens_ |= u32{simt::load_readonly(plan_.tokens() + mine + i)} << (8 * i);
      }
    }
  }

  PRESSO_DEVICE bool fail() {
    failed_ = true;
    return false;
  }

  /// Parses the next unit, or the literals behind the last sequence. False at the end or on faults.
  PRESSO_DEVICE bool next_unit() {
    if (next_sequence_ >= plan_.sequences) return tail_unit();
    const u32 tokens = fetched_tokens_;
    const u64 offsets = fetched_offsets_;
    const u32 first = next_sequence_ + 4 * simt::lane();
    next_sequence_ += kUnitSequences;
    fetch(next_sequence_);

    const u32 literal_codes = tokens & (kEachByte * literal_limit_);
    const u32 match_codes = (tokens >> plan_.literal_bits) & (kEachByte * match_limit_);
    const u32 literal_escapes = ((literal_codes + kEachByte) >> plan_.literal_bits) & kEachByte;
    const u32 match_escapes = ((match_codes + kEachByte) >> match_bits_) & kEachByte;
    const u32 fars = plan_.far != 0 ? (tokens >> 7) & kEachByte : 0;
    distance_[0] = static_cast<u32>(offsets) & 0xFFFFu;
    distance_[1] = static_cast<u32>(offsets) >> 16;
    distance_[2] = static_cast<u32>(offsets >> 32) & 0xFFFFu;
    distance_[3] = static_cast<u32>(offsets >> 48);

    // Four counts in one prefix sum: escapes of literals and of matches, far bytes, segments. The
    // last may reach 256 and lose its carry, which only the sum of all can.
    const u32 packed = simt::popcount(literal_escapes) | simt::popcount(match_escapes) << 8 |
                       simt::popcount(fars) << 16;
    u32 segments = 0;
    for (u32 i = 0; i < 4; ++i) segments += byte_of(literal_codes, i) != 0;
    if (fars == 0) {
      for (u32 i = 0; i < 4; ++i) segments += distance_[i] != 0;
    } else {  // a far distance may have 16 zero bits below
      for (u32 i = 0; i < 4; ++i) segments += distance_[i] != 0 || byte_of(fars, i) != 0;
    }
    const u32 counts = packed | segments << 24;
    const u32 counts_to = simt::inclusive_sum(counts);
    const u32 before = counts_to - counts;
    const u32 all = simt::shuffle(counts_to, simt::kWarpSize - 1);
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
    const Byte* match_escape = plan_.match_escape_bytes() + match_escapes_used_ + byte_of(before, 1);
    const Byte* far = plan_.far_bytes() + fars_used_ + byte_of(before, 2);
    for (u32 i = 0; i < 4; ++i) {
      literals[i] = byte_of(literal_codes, i);
      matches[i] = byte_of(match_codes, i);
      if (byte_of(literal_escapes, i) != 0) {
        const u32 more = simt::load_readonly(literal_escape++);
        literals[i] += more;
        longs |= u32{more == 255} << (2 * i);
      }
      if (byte_of(match_escapes, i) != 0) {
        const u32 more = simt::load_readonly(match_escape++);
        matches[i] += more;
        longs |= u32{more == 255} << (2 * i + 1);
      }
      if (byte_of(fars, i) != 0) distance_[i] |= u32{simt::load_readonly(far++)} << 16;
    }
    literal_escapes_used_ += byte_of(all, 0);
    match_escapes_used_ += byte_of(all, 1);
    fars_used_ += byte_of(all, 2);
    const bool any_long = simt::any(longs != 0);
    if (any_long && !add_long_lengths(longs, literals, matches)) return fail();

    bool bad = false;
    u32 literal_sum = 0;
    u32 match_sum = 0;
    for (u32 i = 0; i < 4; ++i) {
      bad |= distance_[i] == 0 && matches[i] != 0;
      matches[i] = distance_[i] == 0 ? 0 : matches[i] + plan_.min_match;
      literal_sum += literals[i];
      match_sum += matches[i];
    }
    // Without long lengths the sums of a unit fit 16 bits: 128 * (15 + 254), 128 * (63 + 254 + 15).
    u32 literals_before;
    u32 matches_before;
    u32 all_literals;
    u32 all_matches;
    if (!any_long) {
      const u32 both = literal_sum | match_sum << 16;
      const u32 both_to = simt::inclusive_sum(both);
      literals_before = (both_to - both) & 0xFFFFu;
      matches_before = (both_to - both) >> 16;
      const u32 total = simt::shuffle(both_to, simt::kWarpSize - 1);
      all_literals = total & 0xFFFFu;
      all_matches = total >> 16;
    } else {
      literals_before = simt::inclusive_sum(literal_sum);
      matches_before = simt::inclusive_sum(match_sum);
      all_literals = simt::shuffle(literals_before, simt::kWarpSize - 1);
      all_matches = simt::shuffle(matches_before, simt::kWarpSize - 1);
      literals_before -= literal_sum;
      matches_before -= match_sum;
    }
    if (all_literals > plan_.literals + literal_shift_ - next_literal_ ||
        all_literals + all_matches > plan_.plain_bytes - unit_end_) {
      return fail();
    }

    u32 at = unit_end_ + literals_before + matches_before;
    bool small = false;
    for (u32 i = 0; i < 4; ++i) {
      begin_[i] = at;
      match_[i] = at + literals[i];
      at = match_[i] + matches[i];
      small |= at - begin_[i] < 4 && first + i < plan_.sequences;
      if (distance_[i] > match_[i]) bad |= !in_dictionary(distance_[i] - match_[i], matches[i]);
    }
    end_ = at;
    literal_ = next_literal_ + literals_before;
    rank_ = next_rank_ + (before >> 24);
    const u32 problems = simt::reduce_or(u32{bad} | u32{small} << 1);
    if ((problems & 1) != 0) return fail();
    if (problems != 0) {
      unsupported_ = true;
      return false;
    }
    next_literal_ += all_literals;
    next_rank_ += (all >> 24) == 0 ? 256 : all >> 24;
    unit_end_ += all_literals + all_matches;
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
    const u32 end = plan_.plain_bytes;
    for (u32 i = 0; i < 4; ++i) {
      begin_[i] = i == 0 && simt::lane() == 0 ? unit_end_ : end;
      match_[i] = end;
      distance_[i] = 0;
    }
    end_ = end;
    literal_ = next_literal_;
    next_literal_ += left;
    rank_ = next_rank_;
    next_rank_ += 1;
    unit_end_ = end;
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

  /// Whether the tables have room for the rest of the unit beside the tile that is being copied
  /// and the one that is being built.
  PRESSO_DEVICE bool whole_unit_fits(u32 tile) const {
    const u32 last_tile = (unit_end_ - 1) >> kTileLog2;
    return last_tile < tile + kTilesAhead - 1 &&
           next_rank_ + last_tile + 1 - copied_slot_ <= kSlots &&
           near_to_ + kUnitSequences + kTilesAhead - copied_near_ <= kNearEntries;
  }

  PRESSO_DEVICE u32 ring_place(u32 at) const {
    const u32 place = at - lap_;
    return place < Policy::kRing ? place : place - Policy::kRing;
  }

  PRESSO_DEVICE void put_slot(u32 at, u32 rank, u32 word) {
    shared_.slots[(rank + (at >> kTileLog2)) % kSlots] = word;
  }
  PRESSO_DEVICE void put_start(u32 at) {
    simt::atomic_or(&shared_.starts[(at >> 5) % (kTilesAhead * kTileWords)], 1u << (at & 31));
  }

  PRESSO_DEVICE u32 literal_word(u32 at, u32 literal) const {
    constexpr u32 kLiterals = Policy::kRing + kTileBytes;
    return kLiterals + literal % kLiteralRing - ring_place(at);
  }

  /// A near match: its source ends behind the start of the tile. `to`: its end, at most the tile's.
  /// Never true of a source in the dictionary, which ends before the block.
  static PRESSO_DEVICE bool is_near(u32 at, u32 to, u32 distance) {
    return to - (at & ~(kTileBytes - 1)) > distance;
  }

  PRESSO_DEVICE u32 match_word(u32 at, u32 to, u32 distance) {
    const u32 place = ring_place(at);
    if (distance > min_of(at, window_)) {
      shared_.externals[(at >> kTileLog2) % kTilesAhead] = 1;
      return kExternalBias + at - distance - place;
    }
    // A near match is copied later; until then its bytes come from anywhere that may be read.
    const u32 back = is_near(at, to, distance) ? kTileBytes : distance;
    return (place < back ? Policy::kRing : 0) - back;
  }

  static PRESSO_DEVICE u32 tile_end_of(u32 at, u32 to) {
    return min_of(to, (at | (kTileBytes - 1)) + 1);
  }

  /// Fills slots and bitmaps for the segments of the unit that start in [from, to), and for those
  /// that go on in a tile that starts there.
  PRESSO_DEVICE void emit(u32 from, u32 to) {
    const u32 span = to - from;
    u32 literal = literal_;
    u32 rank = rank_;
    u32 near_pieces = 0;
    bool crossing = false;
#pragma unroll
    for (u32 i = 0; i < 4; ++i) {
      const u32 begin = begin_[i];
      const u32 match = match_[i];
      const u32 end = i < 3 ? begin_[i + 1 < 4 ? i + 1 : 3] : end_;
      if (match > begin) {
        if (begin - from < span) {
          put_start(begin);
          put_slot(begin, rank, literal_word(begin, literal));
        }
        ++rank;
      }
      if (end > match) {
        if (match - from < span) {
          const u32 stop = tile_end_of(match, end);
          put_start(match);
          put_slot(match, rank, match_word(match, stop, distance_[i]));
          near_pieces += is_near(match, stop, distance_[i]);
        }
        ++rank;
      }
      crossing |= ((begin + kTileBytes - 1) >> kTileLog2) < ((end + kTileBytes - 1) >> kTileLog2);
      literal += match - begin;
    }
    if (crossing) near_pieces += cross(from, to);
    if (simt::any(near_pieces != 0)) list_near(from, to, near_pieces);
  }

  /// The tiles that start within this lane's sequences and in [from, to): where their literals
  /// begin, and the slots of segments that go on in them. Returns the number of near pieces.
  PRESSO_DEVICE u32 cross(u32 from, u32 to) {
    u32 literal = literal_;
    u32 rank = rank_;
    u32 near_pieces = 0;
#pragma unroll
    for (u32 i = 0; i < 4; ++i) {
      const u32 begin = begin_[i];
      const u32 match = match_[i];
      const u32 end = i < 3 ? begin_[i + 1 < 4 ? i + 1 : 3] : end_;
      const u32 first = (max_of(begin, from) + kTileBytes - 1) & ~(kTileBytes - 1);
      const u32 match_rank = rank + (match > begin);
      for (u32 at = first; at < min_of(end, to); at += kTileBytes) {
        const u32 literals = min_of(at, match) - begin;
        shared_.literal_at[(at >> kTileLog2) % (2 * kTilesAhead)] = literal + literals;
        if (at > begin && at < match) put_slot(at, rank, literal_word(at, literal + literals));
        if (at > match) {
          const u32 stop = tile_end_of(at, end);
          put_slot(at, match_rank, match_word(at, stop, distance_[i]));
          near_pieces += is_near(at, stop, distance_[i]);
        }
      }
      rank = match_rank + (end > match);
      literal += match - begin;
    }
    return near_pieces;
  }

  /// Appends the near pieces of [from, to) to the list, in the order of the output.
  PRESSO_DEVICE void list_near(u32 from, u32 to, u32 mine) {
    const u32 upto = simt::inclusive_sum(mine);
    u32 place = near_to_ + upto - mine;
    near_to_ += simt::shuffle(upto, simt::kWarpSize - 1);
    if (mine == 0) return;
#pragma unroll
    for (u32 i = 0; i < 4; ++i) {
      const u32 match = match_[i];
      const u32 end = i < 3 ? begin_[i + 1 < 4 ? i + 1 : 3] : end_;
      const u32 distance = distance_[i];
      if (match >= end || distance >= kTileBytes) continue;
      if (match - from < to - from) list_piece(match, tile_end_of(match, end), distance, place);
      const u32 first = (max_of(match + 1, from) + kTileBytes - 1) & ~(kTileBytes - 1);
      for (u32 at = first; at < min_of(end, to); at += kTileBytes) {
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

  /// Makes the tile's tables ready for the copying warps and its raw ones for a later tile.
  PRESSO_DEVICE void publish(u32 tile) {
    const u32 slot_of_tile = tile % kTilesAhead;
    const u32 word = slot_of_tile * kTileWords + simt::lane();
    const u32 starts = shared_.starts[word];
    shared_.starts[word] = 0;
    const u32 count = simt::popcount(starts);
    const u32 upto = simt::inclusive_sum(count);
    const u32 all = simt::shuffle(upto, simt::kWarpSize - 1);
    // Before the tile's first start: the slot of the segment that goes on.
    const u32 first_slot = rank_of_tile_ + tile - 1;
    shared_.owners[word] = {starts, first_slot % kSlots + upto - count};
    const u32 wrapped = first_slot % kSlots + all + 1;
    if (wrapped > kSlots) {
      for (u32 i = simt::lane(); i < wrapped - kSlots; i += simt::kWarpSize) {
        shared_.slots[kSlots + i] = shared_.slots[i];
      }
    }
    if (simt::lane() == 0) {
      const u32 near_count = shared_.near_counts[slot_of_tile];
      shared_.infos[slot_of_tile] = {near_of_tile_, near_count, shared_.externals[slot_of_tile], 0};
    }
    simt::warp_sync();
    copied_slot_ = first_slot;
    copied_near_ = near_of_tile_;
    near_of_tile_ += shared_.near_counts[slot_of_tile];
    rank_of_tile_ += all;
    simt::warp_sync();
    if (simt::lane() == 0) {
      shared_.near_counts[slot_of_tile] = 0;
      shared_.externals[slot_of_tile] = 0;
    }
    simt::warp_sync();
    if ((tile + 1) * kTileBytes - lap_ >= Policy::kRing) lap_ += Policy::kRing;
  }

  const BlockPlan plan_;
  TileShared<Policy>& shared_;
  u32 literal_limit_, match_bits_, match_limit_, window_;
  const Byte* literal_source_;
  u32 literal_shift_, literal_chunks_;
  u32 literal_chunks_requested_ = 0;
  u32 literal_chunks_arrived_ = 0;

  u32 fetched_tokens_;
  u64 fetched_offsets_;
  u32 next_sequence_ = 0;
  u32 literal_escapes_used_ = 0;
  u32 match_escapes_used_ = 0;
  u32 fars_used_ = 0;
  u32 longs_used_ = 0;
  u32 next_literal_;       // in the literal stream, counted from literal_source_
  u32 next_rank_ = 0;      // segments before the next unit
  u32 unit_end_ = 0;       // output position
  u32 emitted_to_ = 0;     // segments that start before this are in the tables

  u32 begin_[4], match_[4], distance_[4], end_;  // this lane's sequences
  u32 literal_, rank_;                           // of its first sequence

  u32 lap_ = 0;           // output position that lies at the ring's start, for the tile being built
  u32 rank_of_tile_ = 0;  // segments that start before the tile being built
  u32 copied_slot_ = 0;   // first slot, first near entry of the tile built last
  u32 copied_near_ = 0;
  u32 near_of_tile_ = 0;
  u32 near_to_ = 0;
  bool failed_ = false;
  bool unsupported_ = false;
};

}  // namespace presso::gpu
