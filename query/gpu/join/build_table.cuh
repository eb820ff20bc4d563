// SPDX-License-Identifier: MIT
// Builds the hash table of kTable (key_table.cuh).
// Tested by tests/simt/joins_in_emulator_test.cpp.
#pragma once

#include "query/gpu/join/key_source.cuh"
#include "query/gpu/join/key_table.cuh"
#include "query/gpu/join/match_tile.cuh"

namespace presso::gpu {

/// Arguments of BuildTable.
template <class Source>
struct TableBuildArguments {
  KeyTable<typename Source::Key> table;
  JoinRows build;
  JoinTotals* totals = nullptr;
  Source source = {};
};

/// Threads to data: a thread block takes a tile of build rows. No shared memory.
template <class Source>
struct BuildTable {
  using Arguments = TableBuildArguments<Source>;
  using Key = typename Source::Key;
  static constexpr const char* kName = "building a table of keys";
  static constexpr u32 kThreads = kTileThreads;
  static constexpr u32 kBlocks = 4;
  static constexpr bool kWholeGrid = true;
  static constexpr u32 kSharedBytes = 0;

  PRESSO_DEVICE static void run(const Arguments& to) {
    const u64 tiles = tiles_of(to.build.count);
    for (u64 tile = simt::block_index(); tile < tiles; tile += simt::grid_blocks()) {
      Key keys[kTileItems];
      u32 joins = 0;
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const u64 row = tile_row(tile, item);
        const bool joins_here =
            load_key(to.source, to.build, row, takes_part(to.build, row), keys[item]);
        joins |= static_cast<u32>(joins_here) << item;
      }
      // All first claims are issued before the result of one is used.
      typename KeyTable<Key>::Insertion insertions[kTileItems];
      u64 old[kTileItems];
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const auto row = static_cast<u32>(tile_row(tile, item));
        keys[item] = hash_key(keys[item]);
        insertions[item] = to.table.begin_insertion(keys[item], row);
        const bool claims = (joins >> item & 1) != 0 && !KeyTable<Key>::is_special(keys[item]);
        old[item] = claims ? KeyTable<Key>::claim(insertions[item]) : 0;
      }
      bool repeats = false;
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        if ((joins >> item & 1) == 0) continue;
        const auto row = static_cast<u32>(tile_row(tile, item));
        repeats |= to.table.finish(insertions[item], old[item], keys[item], row);
      }
      if (repeats) to.totals->has_duplicates = 1;
    }
  }
};

}  // namespace presso::gpu
