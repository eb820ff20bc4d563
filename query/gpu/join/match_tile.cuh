// SPDX-License-Identifier: MIT
// Tiles of kTileRows (1,024) probe rows, and how a thread block writes what comes out of one.
// Nearly all kernels of joins are built on this.
//
// A warp has kTileItems times 32 consecutive rows of a tile, of which a lane has every 32nd. Loads
// are thus coalesced, words of bitmaps are read once for each warp, and positions that count up
// over (item, lane) are in the order of rows. The positions of a tile are reserved by one atomic
// addition, or are known in advance. Tested by tests/simt/joins_in_emulator_test.cpp.
#pragma once

#include "decompress/gpu/simt/global_memory.h"
#include "presso/device_join.h"
#include "query/gpu/join/join_sizes.h"
#include "query/gpu/join/key_hash.cuh"

namespace presso::gpu {

/// The row that is number `item` of this lane.
PRESSO_DEVICE u64 tile_row(u64 tile, u32 item) {
  const u32 within = (simt::warp_in_block() * kTileItems + item) * kWarpSize + simt::lane();
  return tile * kTileRows + within;
}

/// Calls work(row) for the rows of this thread block's tiles, one tile after another; in the last
/// tile also for numbers from `count` on, which are no rows. Called by all threads.
template <class Work>
PRESSO_DEVICE void for_each_row(u64 count, const Work& work) {
  const u64 tiles = tiles_of(count);
  for (u64 tile = simt::block_index(); tile < tiles; tile += simt::grid_blocks()) {
    PRESSO_UNROLL
    for (u32 item = 0; item < kTileItems; ++item) work(tile_row(tile, item));
  }
}

/// Whether the bit of a row is set; true without a bitmap.
PRESSO_DEVICE bool has_bit(const u32* bits, u64 row) {
  if (bits == nullptr) return true;
  return (simt::load_readonly(bits + (row >> 5)) >> (row & 31) & 1) != 0;
}

/// is_selected(): whether the row is asked for; takes_part(): whether its key is looked at as well.
PRESSO_DEVICE bool is_selected(const JoinRows& rows, u64 row) {
  return row < rows.count && has_bit(rows.d_selected, row);
}
PRESSO_DEVICE bool takes_part(const JoinRows& rows, u64 row) {
  return is_selected(rows, row) && has_bit(rows.d_valid, row);
}

/// Which rows a kind of join gives.
struct JoinChoice {
  bool found = true;     ///< rows with a match
  bool missing = false;  ///< selected rows without a match
  bool pairs = true;     ///< with build rows, one pair for each match
};
PRESSO_HD constexpr JoinChoice choice_of(JoinKind kind) {
  return {kind != JoinKind::kAnti, gives_missing(kind), gives_pairs(kind)};
}

/// Marks a build row; the atomic is only used if the mark is not seen to be there.
PRESSO_DEVICE void mark_row(u32* bits, u32 row) {
  u32* const word = bits + row / kWordBits;
  const u32 bit = 1u << (row & 31);
  if ((*word & bit) == 0) simt::atomic_or(word, bit);
}

/// Where matches go.
struct MatchOutput {
  JoinPairs pairs;
  JoinTotals* totals = nullptr;
  u32* matched = nullptr;
};

/// Writes a pair unless it is beyond the capacity.
PRESSO_DEVICE void write_pair(const JoinPairs& to, u64 at, u32 probe, u32 build, bool pairs) {
  if (at >= to.capacity) return;
  simt::store_streaming(to.d_probe + at, probe);
  if (pairs) simt::store_streaming(to.d_build + at, build);
}

/// Shared memory for placing at most one row of output for each of a lane's rows.
template <u32 kWarps>
struct TilePlaces {
  u32 of_warps[kWarps];
  u64 base;
};

/// Where a warp's rows go within the block's.
struct WarpPlaces {
  u32 before;  ///< rows of the warps before this one
  u32 all;     ///< rows of the block
};

/// Adds up the rows of the block's warps. One barrier; `shared` may be used again after the next
/// one.
template <u32 kWarps>
PRESSO_DEVICE WarpPlaces places_of_warps(TilePlaces<kWarps>& shared, u32 of_warp) {
  if (simt::lane() == 0) shared.of_warps[simt::warp_in_block()] = of_warp;
  simt::block_sync();
  const u32 count = simt::lane() < kWarps ? shared.of_warps[simt::lane()] : 0;
  const u32 below = simt::lane() < simt::warp_in_block() ? count : 0;
  return {simt::reduce_add(below), simt::reduce_add(count)};
}

/// The number of the warp's rows with output.
template <u32 kItems>
PRESSO_DEVICE u32 count_in_warp(u32 emits) {
  u32 count = 0;
  PRESSO_UNROLL
  for (u32 item = 0; item < kItems; ++item) {
    count += simt::popcount(simt::ballot((emits >> item & 1) != 0));
  }
  return count;
}

/// Writes a lane's rows, where `at` is the position of the warp's first.
template <u32 kItems>
PRESSO_DEVICE void write_singles(const JoinPairs& to, u64 at, u32 emits, const u32 (&probe)[kItems],
                                 const u32 (&build)[kItems], bool pairs) {
  const u32 below = (1u << simt::lane()) - 1;
  PRESSO_UNROLL
  for (u32 item = 0; item < kItems; ++item) {
    const bool emit = (emits >> item & 1) != 0;
    const u32 lanes = simt::ballot(emit);
    if (emit) write_pair(to, at + simt::popcount(lanes & below), probe[item], build[item], pairs);
    at += simt::popcount(lanes);
  }
}

/// As write_singles(), in any order of tiles: reserves the block's positions. Two barriers.
template <u32 kWarps, u32 kItems>
PRESSO_DEVICE void write_anywhere(const MatchOutput& to, TilePlaces<kWarps>& shared, u32 emits,
                                  const u32 (&probe)[kItems], const u32 (&build)[kItems],
                                  bool pairs) {
  const WarpPlaces places = places_of_warps(shared, count_in_warp<kItems>(emits));
  if (simt::thread_in_block() == 0 && places.all > 0) {
    shared.base = simt::atomic_add(&to.totals->pairs, places.all);
  }
  simt::block_sync();
  if (places.all == 0) return;
  write_singles(to.pairs, shared.base + places.before, emits, probe, build, pairs);
}

}  // namespace presso::gpu
