// SPDX-License-Identifier: MIT
// Builds the array of kDirect (key_array.cuh). Tested by tests/simt/joins_in_emulator_test.cpp.
#pragma once

#include "query/gpu/join/key_array.cuh"
#include "query/gpu/join/match_tile.cuh"

namespace presso::gpu {

/// Arguments of BuildArray.
template <class Key>
struct ArrayBuildArguments {
  KeyArray<Key> array;
  JoinRows build;
  JoinTotals* totals = nullptr;
};

/// kUnique: keys do not repeat, or it does not matter which row of a key is found; then rows are
/// stored without atomics. Otherwise the least row of a key stays. Threads to data: a thread block
/// takes a tile of build rows. No shared memory.
template <class Key, bool kUnique>
struct BuildArray {
  using Arguments = ArrayBuildArguments<Key>;
  static constexpr const char* kName = "building an array of keys";
  static constexpr u32 kThreads = kTileThreads;
  static constexpr u32 kBlocks = 4;
  static constexpr bool kWholeGrid = true;
  static constexpr u32 kSharedBytes = 0;

  PRESSO_DEVICE static void run(const Arguments& to) {
    const auto* const all = static_cast<const Key*>(to.build.d_keys);
    const u64 tiles = tiles_of(to.build.count);
    for (u64 tile = simt::block_index(); tile < tiles; tile += simt::grid_blocks()) {
      Key places[kTileItems];
      u32 joins = 0;
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const u64 row = tile_row(tile, item);
        const bool joins_here = takes_part(to.build, row);
        places[item] = joins_here ? simt::load_streaming(all + row) - to.array.least : Key{0};
        joins |= static_cast<u32>(joins_here && places[item] <= to.array.last) << item;
      }
      bool repeats = false;
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        if ((joins >> item & 1) == 0) continue;
        const auto row = static_cast<u32>(tile_row(tile, item));
        u32* const place = to.array.places + places[item];
        if constexpr (kUnique) {
          *place = row;
        } else {
          repeats |= simt::atomic_min(place, row) != kNoRow;
        }
      }
      if (repeats) to.totals->has_duplicates = 1;
    }
  }
};

}  // namespace presso::gpu
