// SPDX-License-Identifier: MIT
// Tests rows of codes without following each row's state. Of each code it is known which state it
// leads the start to; that this is the state after it is guessed, and the guess is verified for
// each code with the one before it, by two words of one table (kSweep of string_table.h): 32 codes
// side by side as they are packed, whatever rows they belong to. Rows in which every guess holds do
// not match. The others are *suspects*: they are collected and walked, a lane a row, by all of the
// automaton, whose table is in device memory, since few rows need it. So the automaton may have any
// number of states, and rows any number of codes.
//
// That is fast where few rows are suspects: for patterns that a match may follow anywhere
// (`%special%requests%`: rows that hold "special"). Where most codes lead the start to a match, or
// where a row is decided by its first codes, row_walk.cuh is faster.
//
// Reasoned, for 4.6 codes a row: 10 instructions of a warp for a step of 32 codes, 9 for their
// rows, and 6 cycles of shared memory. Tests: tests/simt/string_suite.cpp.
#pragma once

#include "query/gpu/strings/row_walk.cuh"

namespace presso::gpu {

inline constexpr u32 kHitWords = 256;  ///< of a warp's ring: 8,192 codes
/// Fewer than a warp walks, and a group's.
inline constexpr u32 kSuspects = kWarpSize + kQuadRows;

/// Row (in the tile) and begin share a word.
struct Suspect {
  u32 begin_and_row;
  u32 end;
};
inline constexpr u32 kSuspectRowShift = 22;
static_assert(kMaxBlockBytes <= 1u << kSuspectRowShift);
static_assert(u64{kRowTile} << kSuspectRowShift == u64{1} << 32);  // allow(bare-32): bits

/// A warp's part of shared memory.
struct SweepShared {
  alignas(16) u32 hits[kHitWords];  ///< a bit for each code, a ring
  u32 bits[kRowTile / kWarpSize];   ///< the tile's rows
  Suspect suspects[kSuspects];
};

/// StringLayout::kSweep.
struct SweepTable {
  const u32* words;
  const std::uint16_t* classes;
  const std::uint16_t* rows;  ///< in device memory
  u32 pitch;

  PRESSO_DEVICE explicit SweepTable(const StringTableView& view)
      : words(reinterpret_cast<const u32*>(simt::shared_memory())),
        classes(reinterpret_cast<const std::uint16_t*>(words + kMaxTokens)),
        rows(reinterpret_cast<const std::uint16_t*>(view.d_image + view.rows_at)),
        pitch(view.pitch) {}
};

/// A warp's ring of hits: codes whose guess does not hold or after which there may be a match.
class HitWindow {
 public:
  static constexpr u32 kCodes = kHitWords * kWordBits;

  PRESSO_DEVICE HitWindow(const SweepTable& table, const StringBlock& block, u32* ring, u32 code)
      : table_(table), ring_(ring), feed_(block, code) {}

  PRESSO_DEVICE u32 end() const { return feed_.end(); }
  /// As ColumnWindow's.
  PRESSO_DEVICE void fill(u32 kept, u32 end) {
    if (feed_.end() >= end) return;
    const u32 limit = kept / kOctetCodes * kOctetCodes + kCodes;
    simt::warp_sync();  // what was there has been read
    while (feed_.end() < end && feed_.end() < limit) sweep();
    simt::warp_sync();
  }
  /// A bit for each of the lane's rows that have a hit among their codes [from, until), which are
  /// in the window. What a row's first code makes of the code before it counts, although that is
  /// another row's.
  PRESSO_DEVICE u32 hit_rows(const LaneQuad& quad, u32 from, u32 until) const {
    const bool is_inside = from <= quad.begin && quad.ends[kQuad - 1] <= until;
    const bool is_short = quad.ends[kQuad - 1] - quad.begin <= kWordBits;
    if (simt::all(is_inside && is_short)) return hit_short_rows(quad);
    u32 found = 0;
    PRESSO_UNROLL
    for (u32 i = 0; i < kQuad; ++i) {
      const u32 begin = from > quad.begin_of(i) ? from : quad.begin_of(i);
      const u32 end = until < quad.ends[i] ? until : quad.ends[i];
      found |= has_hit(begin, end) ? 1u << i : 0;
    }
    return found;
  }

 private:
  PRESSO_DEVICE u32 word(u32 index) const { return ring_[index % kHitWords]; }

  /// All rows of the lane have at most kWordBits codes together.
  PRESSO_DEVICE u32 hit_short_rows(const LaneQuad& quad) const {
    const u32 index = quad.begin / kWordBits;
    const u32 hits = simt::funnel_shift_right(word(index), word(index + 1), quad.begin % kWordBits);
    u32 found = 0;
    u32 before = 0;  // the bits of the rows before
    PRESSO_UNROLL
    for (u32 i = 0; i < kQuad; ++i) {
      const u32 count = quad.ends[i] - quad.begin;
      const u32 up_to = count < kWordBits ? (1u << count) - 1 : simt::kFullMask;
      found |= (hits & up_to & ~before) != 0 ? 1u << i : 0;
      before = up_to;
    }
    return found;
  }

  /// Of any number of codes. By all lanes.
  PRESSO_DEVICE bool has_hit(u32 begin, u32 end) const {
    const u32 shift = begin % kWordBits;
    u32 index = begin / kWordBits;
    u32 left = begin < end ? end - begin : 0;
    u32 low = word(index);
    u32 hits = 0;
    PRESSO_NO_UNROLL
    while (simt::any(left > 0)) {
      const u32 high = word(++index);
      const u32 wanted = left < kWordBits ? (1u << left) - 1 : simt::kFullMask;
      hits |= simt::funnel_shift_right(low, high, shift) & wanted;
      low = high;
      left = left > kWordBits ? left - kWordBits : 0;
    }
    return hits != 0;
  }

  PRESSO_DEVICE void sweep() {
    u32* const to = ring_ + feed_.end() / kWordBits % kHitWords;
    const OctetCodes codes = feed_.take();
    u32 words[kOctetSteps];
    PRESSO_UNROLL
    for (u32 step = 0; step < kOctetSteps; ++step) words[step] = table_.words[codes.steps[step]];
    u32 hits[kOctetSteps];
    PRESSO_UNROLL
    for (u32 step = 0; step < kOctetSteps; ++step) {
      const u32 turned = simt::shuffle(words[step], simt::lane() + kWarpSize - 1);
      const u32 before = simt::lane() == 0 ? last_ : turned;
      last_ = turned;
      hits[step] = simt::ballot((before >> 16 & words[step]) != 0);
    }
    if (simt::lane() != 0) return;
    reinterpret_cast<simt::Vec4*>(to)[0] = {hits[0], hits[1], hits[2], hits[3]};
    reinterpret_cast<simt::Vec4*>(to)[1] = {hits[4], hits[5], hits[6], hits[7]};
  }

  const SweepTable& table_;
  u32* ring_;
  CodeFeed feed_;
  /// In lane 0 the word of the code before the next step; before all of them that of no state.
  u32 last_ = 1u << 31;
};

/// The codes of a block, one by one, by any lane.
struct SingleCodes {
  const u32* payload;

  PRESSO_DEVICE explicit SingleCodes(const StringBlock& block)
      : payload(reinterpret_cast<const u32*>(block.payload.bytes)) {}
  PRESSO_DEVICE u32 at(u32 code) const {
    const u32 bit = code % kVectorRows / kLanes * kTokenBits;
    const u32 shift = bit % kWordBits;
    const u32* const word =
        payload + code / kVectorRows * kTokenVectorWords + bit / kWordBits * kLanes + code % kLanes;
    const u32 low = simt::load_readonly(word);
    const u32 high = shift + kTokenBits > kWordBits ? simt::load_readonly(word + kLanes) : 0;
    return simt::funnel_shift_right(low, high, shift) & (kMaxTokens - 1);
  }
};

struct WalkedRow {
  bool matches;
  bool is_bad;  ///< a code names no token
};

/// The row of the codes [begin, end). By any lane.
PRESSO_DEVICE WalkedRow walk_suspect(const StringBlock& block, u32 begin, u32 end) {
  const StringTableView& view = block.table;
  const SweepTable table(view);
  const SingleCodes codes(block);
  const bool checks = view.tokens < kMaxTokens;
  u32 state = view.start;
  bool is_bad = false;
  PRESSO_NO_UNROLL
  for (u32 at = begin; at < end && (checks || state < view.first_decided); ++at) {
    const u32 code = codes.at(at);
    is_bad = is_bad || code >= view.tokens;
    state = simt::load_readonly(table.rows + state * table.pitch + table.classes[code]);
  }
  return {is_match(view, state), is_bad};
}

/// Rows of a tile that must be walked, up to kSuspects.
class SuspectList {
 public:
  PRESSO_DEVICE SuspectList(const StringBlock& block, SweepShared& shared)
      : block_(block), shared_(shared) {}

  /// Those of the lane's rows whose bit is set in `found`. `first`: the group's first row.
  PRESSO_DEVICE void add(u32 found, const LaneQuad& quad, u32 first) {
    PRESSO_NO_UNROLL
    while (true) {
      const u32 lanes = simt::ballot(found != 0);
      if (lanes == 0) break;
      if (found != 0) {
        const u32 i = simt::find_first_set(found) - 1;
        const u32 row = first + kQuad * simt::lane() + i;
        shared_.suspects[count_ + simt::popcount(lanes & lanes_below())] = suspect(quad, i, row);
      }
      found &= found - 1;
      count_ += simt::popcount(lanes);
    }
    if (count_ < kWarpSize) return;
    simt::warp_sync();
    PRESSO_NO_UNROLL
    while (count_ >= kWarpSize) walk_last(kWarpSize);
  }
  PRESSO_DEVICE void finish() {
    simt::warp_sync();
    walk_last(count_);
  }
  /// Whether a code of one that this lane has walked names no token.
  PRESSO_DEVICE bool is_bad() const { return is_bad_; }

 private:
  PRESSO_DEVICE static Suspect suspect(const LaneQuad& quad, u32 i, u32 row) {
    u32 begin = quad.begin;
    u32 end = quad.ends[0];
    PRESSO_UNROLL
    for (u32 k = 1; k < kQuad; ++k) {
      begin = i == k ? quad.ends[k - 1] : begin;
      end = i == k ? quad.ends[k] : end;
    }
    return {begin | row << kSuspectRowShift, end};
  }
  /// The last `count` of them, at most one for each lane.
  PRESSO_DEVICE void walk_last(u32 count) {
    count_ -= count;
    if (simt::lane() < count) {
      const Suspect one = shared_.suspects[count_ + simt::lane()];
      const u32 begin = one.begin_and_row & ((1u << kSuspectRowShift) - 1);
      const u32 row = one.begin_and_row >> kSuspectRowShift;
      const WalkedRow walked = walk_suspect(block_, begin, one.end);
      is_bad_ = is_bad_ || walked.is_bad;
      if (walked.matches) {
        simt::atomic_or(shared_.bits + row / kWarpSize, 1u << row % kWarpSize);
      }
    }
    simt::warp_sync();
  }

  const StringBlock& block_;
  SweepShared& shared_;
  u32 count_ = 0;
  bool is_bad_ = false;
};

/// A bit for each of the lane's rows that have a hit. All rows of the lanes together have the codes
/// [begin, end).
PRESSO_DEVICE u32 sweep_rows(HitWindow& window, const LaneQuad& quad, u32 begin, u32 end) {
  u32 found = 0;
  u32 from = begin;
  while (true) {
    window.fill(from, end);
    found |= window.hit_rows(quad, from, window.end());
    if (window.end() >= end) return found;
    from = window.end();
  }
}

/// Sets the bits of rows without codes, of `left` rows from the group's first on.
PRESSO_DEVICE void add_empty_rows(const LaneQuad& quad, u32 left, u32* bits) {
  const u32 row = kQuad * simt::lane();
  u32 empty = 0;
  PRESSO_UNROLL
  for (u32 i = 0; i < kQuad; ++i) {
    empty |= row + i < left && quad.begin_of(i) == quad.ends[i] ? 1u << i : 0;
  }
  if (empty != 0) simt::atomic_or(bits + row / kWarpSize, empty << row % kWarpSize);
}

PRESSO_DEVICE void sweep_tile(const StringBatch& batch, u32 number, u32 tile) {
  const StringBlock& block = batch.blocks[number];
  const SweepTable table(block.table);
  SweepShared& shared =
      reinterpret_cast<SweepShared*>(simt::shared_memory() + batch.table_bytes)[uniform_warp()];
  const bool matches_empty = is_match(block.table, block.table.start);
  RowFeed feed(block, tile);
  HitWindow window(table, block, shared.hits, feed.end());
  SuspectList suspects(block, shared);
  shared.bits[simt::lane()] = 0;
  simt::warp_sync();
  for (u32 first = 0; !feed.is_done(); first += kQuadRows) {
    const u32 begin = feed.end();
    const LaneQuad quad = feed.take();
    const u32 found = sweep_rows(window, quad, begin, feed.end());
    if (matches_empty) {
      add_empty_rows(quad, feed.rows() - first, shared.bits + first / kWarpSize);
    }
    suspects.add(found, quad, first);
  }
  suspects.finish();
  report_bad_code(suspects.is_bad(), batch.status + number);
  store_bits(batch, number, tile, feed.rows(), shared.bits[simt::lane()]);
  simt::warp_sync();
}

constexpr u32 sweep_shared_bytes(u32 table_bytes, u32 warps) {
  return table_bytes + warps * static_cast<u32>(sizeof(SweepShared));
}

/// Shared memory: sweep_shared_bytes(). Any grid.
PRESSO_DEVICE void sweep_rows_body(const StringBatch& batch) {
  for_each_tile(batch, [&](u32 number, u32 tile) { sweep_tile(batch, number, tile); });
}

}  // namespace presso::gpu
