// SPDX-License-Identifier: MIT
// Kernels for what right and full joins give after the pairs: selected build rows that no probe row
// has marked, in their order. Build rows with a null key are among them.
//
//   CountUnmatched    the number of such rows in each tile
//   ScanSums          where the rows of each tile begin
//   WriteUnmatched    pairs of kNoRow and the build row
//
// Tested by tests/simt/joins_in_emulator_test.cpp.
#pragma once

#include "query/gpu/join/match_tile.cuh"

namespace presso::gpu {

/// Arguments of both kernels.
struct UnmatchedArguments {
  JoinRows build;
  const u32* matched = nullptr;  ///< bits of build rows
  u64* tile_begins = nullptr;    ///< for each tile of build rows, and one more
  const JoinTotals* totals = nullptr;
  JoinPairs pairs;
};

/// The shape of both kernels, and which of a lane's rows come out.
struct UnmatchedBody {
  using Arguments = UnmatchedArguments;
  static constexpr u32 kThreads = kTileThreads;
  static constexpr u32 kBlocks = 4;
  static constexpr bool kWholeGrid = true;
  static constexpr u32 kSharedBytes = sizeof(TilePlaces<kTileThreads / kWarpSize>);

  PRESSO_DEVICE static u32 emitted(const Arguments& to, u64 tile) {
    u32 emits = 0;
    PRESSO_UNROLL
    for (u32 item = 0; item < kTileItems; ++item) {
      const u64 row = tile_row(tile, item);
      const bool emit = is_selected(to.build, row) && !has_bit(to.matched, row);
      emits |= static_cast<u32>(emit) << item;
    }
    return emits;
  }
};

/// Counts the rows of each tile. Threads to data: a thread block takes a tile of build rows. Shared
/// memory: places of warps.
struct CountUnmatched : UnmatchedBody {
  static constexpr const char* kName = "counting unmatched build rows";

  PRESSO_DEVICE static void run(const Arguments& to) {
    auto* const places =
        reinterpret_cast<TilePlaces<kTileThreads / kWarpSize>*>(simt::shared_memory());
    const u64 tiles = tiles_of(to.build.count);
    for (u64 tile = simt::block_index(); tile < tiles; tile += simt::grid_blocks()) {
      const WarpPlaces sums =
          places_of_warps(*places, count_in_warp<kTileItems>(emitted(to, tile)));
      if (simt::thread_in_block() == 0) to.tile_begins[tile] = sums.all;
      simt::block_sync();
    }
  }
};

/// Writes the rows after the pairs of probe rows, which have been counted. Threads and memory as
/// CountUnmatched.
struct WriteUnmatched : UnmatchedBody {
  static constexpr const char* kName = "writing unmatched build rows";

  PRESSO_DEVICE static void run(const Arguments& to) {
    auto* const places =
        reinterpret_cast<TilePlaces<kTileThreads / kWarpSize>*>(simt::shared_memory());
    const u64 tiles = tiles_of(to.build.count);
    for (u64 tile = simt::block_index(); tile < tiles; tile += simt::grid_blocks()) {
      const u32 emits = emitted(to, tile);
      const WarpPlaces sums = places_of_warps(*places, count_in_warp<kTileItems>(emits));
      u32 none[kTileItems], rows[kTileItems];
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        none[item] = kNoRow;
        rows[item] = static_cast<u32>(tile_row(tile, item));
      }
      const u64 at = to.totals->pairs + to.tile_begins[tile] + sums.before;
      write_singles(to.pairs, at, emits, none, rows, true);
      simt::block_sync();
    }
  }
};

}  // namespace presso::gpu
