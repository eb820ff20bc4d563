// SPDX-License-Identifier: MIT
// Writes the output of tiles of probe rows (match_tile.cuh) in the order of the rows in a single
// run, without counting first (decoupled look-back, Merrill and Garland 2016); for
// LookUpMode::kWriteInOrder, where a probe row has at most one row of output. A thread block takes
// the next tile by a ticket, so all tiles before its own are done or being worked on. It publishes
// its sum, the number of rows that its tile gives, and adds up the sums of the tiles before, until
// it meets a tile that has published the sum of all tiles up to it.
//
// A tile's word is nothing, its sum, or the sum of all tiles up to it; the two highest bits say
// which. Tested by tests/simt/joins_in_emulator_test.cpp.
#pragma once

#include "query/gpu/join/match_tile.cuh"

namespace presso::gpu {

/// Memory of the order, which must be 0 before.
struct TileOrder {
  u32* tickets = nullptr;  ///< the next tile
  u64* sums = nullptr;     ///< a word for each tile
};

/// The state of a tile's word is in its two highest bits.
inline constexpr u32 kSumStateShift = 62;
inline constexpr u64 kOneSum = u64{1} << kSumStateShift;

/// Returns the tile of this thread block. One barrier.
PRESSO_DEVICE u64 next_tile(const TileOrder& order, u64& shared) {
  if (simt::thread_in_block() == 0) shared = simt::atomic_add(order.tickets, 1);
  simt::block_sync();
  return shared;
}

/// Returns the sum of all tiles before, computed by one warp, in all its lanes.
PRESSO_DEVICE u64 sum_before(const TileOrder& order, u64 tile, u32 sum) {
  u64 before = 0;
  const u32 lane = simt::lane();
  if (lane == 0) simt::atomic_add(order.sums + tile, kOneSum + sum);
  for (u64 end = tile; end > 0;) {
    const bool is_tile = lane < end;
    // An atomic, to read what other thread blocks have written a moment ago.
    u64 word = is_tile ? simt::atomic_add(order.sums + (end - 1 - lane), u64{0}) : 2 * kOneSum;
    while (simt::any(word == 0)) {
      if (word == 0) word = simt::atomic_add(order.sums + (end - 1 - lane), u64{0});
    }
    const u32 complete = simt::ballot(word >> kSumStateShift == 2);
    const u32 last = complete == 0 ? kWarpSize - 1 : simt::find_first_set(complete) - 1;
    u64 part = lane <= last ? word & (kOneSum - 1) : 0;
    for (u32 distance = kWarpSize / 2; distance > 0; distance /= 2) {
      part += simt::shuffle_xor(part, distance);
    }
    before += part;
    if (complete != 0) break;
    end -= kWarpSize;
  }
  if (lane == 0) simt::atomic_add(order.sums + tile, kOneSum + before);
  return before;
}

/// Writes at most one row of output for each of a lane's rows, in the order of tiles. Two barriers.
template <u32 kWarps, u32 kItems>
PRESSO_DEVICE void write_in_order(const MatchOutput& to, const TileOrder& order, u64 tile,
                                  u64 tiles, TilePlaces<kWarps>& shared, u32 emits,
                                  const u32 (&probe)[kItems], const u32 (&build)[kItems],
                                  bool pairs) {
  const WarpPlaces places = places_of_warps(shared, count_in_warp<kItems>(emits));
  if (simt::warp_in_block() == 0) {
    const u64 before = sum_before(order, tile, places.all);
    if (simt::lane() == 0) {
      shared.base = before;
      if (tile + 1 == tiles) to.totals->pairs = before + places.all;
    }
  }
  simt::block_sync();
  write_singles(to.pairs, shared.base + places.before, emits, probe, build, pairs);
}

}  // namespace presso::gpu
