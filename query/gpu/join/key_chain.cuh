// SPDX-License-Identifier: MIT
// Lookups of keys that may repeat, for kernels of queries: one row of a key is found, and next[row]
// is another one, up to kNoRow. The rows of a key come in arbitrary order. An exchange puts a row
// in front of the rows before it. Tested by tests/queries/joins.txt.
//
// Example: rows 1, 4 and 6 have one key, and exchanges happen in the order 4, 1, 6. The structure
// then holds 6 for the key, next[6] = 1, next[1] = 4 and next[4] = kNoRow. Whoever wants one row of
// each key builds without `next` (lookup_steps.h), which saves the words and the writes.
#pragma once

#include "query/gpu/join/key_array.cuh"
#include "query/gpu/join/key_table.cuh"
#include "query/gpu/join/match_tile.cuh"

namespace presso::gpu {

/// Arguments of BuildChains.
template <class Structure>
struct ChainArguments {
  Structure structure;
  u32* next = nullptr;
  JoinRows build;
  JoinTotals* totals = nullptr;
};

/// Returns where the first row of a key is stored; nullptr for a key outside of the range.
PRESSO_DEVICE u32* head_of(const KeyArray<u64>& array, u64 key) {
  const u64 place = key - array.least;
  return place <= array.last ? array.places + place : nullptr;
}
/// Returns the row of the key's slot, claiming a slot if the key is new. The search ends, because a
/// table has more slots than keys.
PRESSO_DEVICE u32* head_of(const KeyTable<u64>& table, u64 key) {
  const u64 hash = hash_key(key);
  if (KeyTable<u64>::is_special(hash)) return &table.units[table.count].row;
  u32 unit = table.first_unit(hash);
  for (;;) {
    const u64 old = simt::atomic_cas(&table.units[unit].hash, kEmptySlot, hash);
    if (old == kEmptySlot || old == hash) return &table.units[unit].row;
    unit = table.next_unit(unit, hash);
  }
}

/// Threads to data: a thread block takes a tile of build rows. No shared memory.
template <class Structure>
struct BuildChains {
  using Arguments = ChainArguments<Structure>;
  static constexpr const char* kName = "building chains of rows";
  static constexpr u32 kThreads = kTileThreads;
  static constexpr u32 kBlocks = 4;
  static constexpr bool kWholeGrid = true;
  static constexpr u32 kSharedBytes = 0;

  PRESSO_DEVICE static void run(const Arguments& to) {
    const auto* const keys = static_cast<const u64*>(to.build.d_keys);
    const u64 tiles = tiles_of(to.build.count);
    bool repeats = false;
    for (u64 tile = simt::block_index(); tile < tiles; tile += simt::grid_blocks()) {
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const u64 row = tile_row(tile, item);
        if (!takes_part(to.build, row)) continue;
        u32* const head = head_of(to.structure, simt::load_streaming(keys + row));
        if (head == nullptr) continue;
        const u32 before = simt::atomic_exchange(head, static_cast<u32>(row));
        to.next[row] = before;
        repeats |= before != kNoRow;
      }
    }
    if (repeats) to.totals->has_duplicates = 1;
  }
};

/// Arguments of CountRowsOfKeys.
template <class Structure>
struct CountArguments {
  Structure structure;
  std::uint32_t* counts = nullptr;  ///< a number for each build row
  JoinRows build;
};

/// Counts the rows of each key, at the row that is found for it. Lanes that found the same row are
/// added together, as one key may have most of the rows. Threads to data: as BuildChains.
/// The count lets callers know how many pairs a row has before they follow its chain.
template <class Structure>
struct CountRowsOfKeys {
  using Arguments = CountArguments<Structure>;
  static constexpr const char* kName = "counting rows of keys";
  static constexpr u32 kThreads = kTileThreads;
  static constexpr u32 kBlocks = 4;
  static constexpr bool kWholeGrid = true;
  static constexpr u32 kSharedBytes = 0;

  PRESSO_DEVICE static void run(const Arguments& to) {
    const auto* const keys = static_cast<const u64*>(to.build.d_keys);
    const u64 tiles = tiles_of(to.build.count);
    for (u64 tile = simt::block_index(); tile < tiles; tile += simt::grid_blocks()) {
      u64 some[kTileItems] = {};
      u32 found[kTileItems];
      u32 there = 0;
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const u64 row = tile_row(tile, item);
        if (!takes_part(to.build, row)) continue;
        there |= 1u << item;
        some[item] = simt::load_streaming(keys + row);
      }
      to.structure.find(0, some, there, found, nullptr);
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) add(to.counts, found[item]);
    }
  }

 private:
  /// Called by the whole warp; kNoRow adds nothing.
  /// Adds one at the row of each lane, as add_ones() in row_groups.cuh.
  PRESSO_DEVICE static void add(u32* counts, u32 row) {
    const u32 lanes = simt::ballot(row != kNoRow);
    if (lanes == 0) return;
    const u32 first = simt::find_first_set(lanes) - 1;
    const u32 common = simt::shuffle(row, first);
    const u32 alike = simt::ballot(row == common);
    if (simt::lane() == first) simt::atomic_add(counts + common, simt::popcount(alike));
    if (row != kNoRow && row != common) simt::atomic_add(counts + row, 1u);
  }
};

}  // namespace presso::gpu
