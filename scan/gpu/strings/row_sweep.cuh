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

#include "scan/gpu/strings/row_walk.cuh"

namespace presso::gpu {

inline constexpr u32 kHitWords = 128;  ///< of a warp's ring: 4,096 codes
inline constexpr u32 kSuspects = 2 * kWarpSize;

struct Suspect {
  u32 begin;  ///< of its codes
  u32 end;
  u32 row;  ///< in the tile
};

/// A warp's part of shared memory.
struct SweepShared {
  u32 hits[kHitWords];             ///< a bit for each code, a ring
  u32 bits[kRowTile / kWarpSize];  ///< the tile's rows
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
  /// Whether there is a hit among the lane's codes [begin, end), which are in the window. What the
  /// first of them makes of the code before it counts, although that is another row's.
  PRESSO_DEVICE bool has_hit(u32 begin, u32 end) const {
    const u32 shift = begin % kWordBits;
    u32 index = begin / kWordBits;
    u32 left = begin < end ? end - begin : 0;
    u32 low = ring_[index % kHitWords];
    u32 hits = 0;
    while (simt::any(left > 0)) {
      const u32 high = ring_[++index % kHitWords];
      const u32 wanted = left < kWordBits ? (1u << left) - 1 : simt::kFullMask;
      hits |= simt::funnel_shift_right(low, high, shift) & wanted;
      low = high;
      left = left > kWordBits ? left - kWordBits : 0;
    }
    return hits != 0;
  }
  PRESSO_DEVICE void report(u32* status) const { feed_.report(status); }

 private:
  PRESSO_DEVICE void sweep() {
    u32* const to = ring_ + feed_.end() / kWordBits % kHitWords;
    const OctetCodes codes = feed_.take();
    u32 words[kOctetSteps];
    PRESSO_UNROLL
    for (u32 step = 0; step < kOctetSteps; ++step) words[step] = table_.words[codes.steps[step]];
    PRESSO_UNROLL
    for (u32 step = 0; step < kOctetSteps; ++step) {
      const u32 turned = simt::shuffle(words[step], simt::lane() + kWarpSize - 1);
      const u32 before = simt::lane() == 0 ? last_ : turned;
      last_ = turned;
      const u32 hits = simt::ballot((before >> 16 & words[step]) != 0);
      if (simt::lane() == 0) to[step] = hits;
    }
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

/// Whether the row of the codes [begin, end) matches. A call, for few rows: the sweep has no
/// registers to spare.
PRESSO_DEVICE_CALL bool walk_suspect(const StringBlock& block, u32 begin, u32 end) {
  const StringTableView& view = block.table;
  const SweepTable table(view);
  const SingleCodes codes(block);
  u32 state = view.start;
  for (u32 at = begin; at < end && state < view.first_decided; ++at) {
    const u32 column = table.classes[codes.at(at)];
    state = simt::load_readonly(table.rows + state * table.pitch + column);
  }
  return is_match(view, state);
}

/// Rows of a tile that must be walked, up to kSuspects.
class SuspectList {
 public:
  PRESSO_DEVICE SuspectList(const StringBlock& block, SweepShared& shared)
      : block_(block), shared_(shared) {}

  /// The lane's row, in lanes with `is_suspect`.
  PRESSO_DEVICE void add(bool is_suspect, const LaneRow& row, u32 number) {
    const u32 suspects = simt::ballot(is_suspect);
    if (suspects == 0) return;
    if (is_suspect) {
      Suspect& to = shared_.suspects[count_ + simt::popcount(suspects & lanes_below())];
      to = {row.begin, row.end, number};
    }
    count_ += simt::popcount(suspects);
    simt::warp_sync();
    if (count_ >= kWarpSize) walk_last(kWarpSize);
  }
  PRESSO_DEVICE void finish() { walk_last(count_); }

 private:
  /// The last `count` of them, at most one for each lane.
  PRESSO_DEVICE void walk_last(u32 count) {
    count_ -= count;
    if (simt::lane() < count) {
      const Suspect suspect = shared_.suspects[count_ + simt::lane()];
      if (walk_suspect(block_, suspect.begin, suspect.end)) {
        simt::atomic_or(shared_.bits + suspect.row / kWarpSize, 1u << suspect.row % kWarpSize);
      }
    }
    simt::warp_sync();
  }

  const StringBlock& block_;
  SweepShared& shared_;
  u32 count_ = 0;
};

/// Whether the lane's row has a hit.
PRESSO_DEVICE bool sweep_rows(HitWindow& window, const LaneRow& row, u32 begin, u32 end) {
  bool has_hit = false;
  u32 at = row.begin;
  u32 kept = begin;
  while (true) {
    window.fill(kept, end);
    const u32 until = row.end < window.end() ? row.end : window.end();
    has_hit = window.has_hit(at, until) || has_hit;
    at = until > at ? until : at;
    if (window.end() >= end) return has_hit;
    kept = window.end();
  }
}

PRESSO_DEVICE void sweep_tile(const StringBatch& batch, u32 number, u32 tile) {
  const StringBlock& block = batch.blocks[number];
  const SweepTable table(block.table);
  SweepShared& shared =
      reinterpret_cast<SweepShared*>(simt::shared_memory() + batch.table_bytes)[uniform_warp()];
  const bool matches_empty = is_match(block.table, block.table.start);
  RowGroups groups(block, tile);
  HitWindow window(table, block, shared.hits, groups.end());
  SuspectList suspects(block, shared);
  shared.bits[simt::lane()] = 0;
  simt::warp_sync();
  for (u32 group = 0; !groups.is_done(); ++group) {
    const u32 begin = groups.end();
    const LaneRow row = groups.take();
    const bool has_hit = sweep_rows(window, row, begin, groups.end());
    if (matches_empty && row.exists && row.begin == row.end) {
      simt::atomic_or(shared.bits + group, 1u << simt::lane());
    }
    suspects.add(has_hit, row, group * kWarpSize + simt::lane());
  }
  suspects.finish();
  window.report(batch.status + number);
  store_bits(batch, number, tile, groups.rows(), shared.bits[simt::lane()]);
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
