// SPDX-License-Identifier: MIT
// Lookups of keys that may repeat: what is found of a key is one of its rows, and next[row] is
// another one, up to kNoRow. Rows of a key come in any order. An exchange puts a row in front of
// those that are there.
#pragma once

#include "query/gpu/join/key_array.cuh"
#include "query/gpu/join/key_table.cuh"

namespace presso::gpu {

template <class Structure>
struct ChainArguments {
  Structure structure;
  u32* next = nullptr;
  JoinRows build;
  JoinTotals* totals = nullptr;
};

/// Where a row of the key belongs.
PRESSO_DEVICE u32* head_of(const KeyArray<u64>& array, u64 key) {
  const u64 place = key - array.least;
  return place <= array.last ? array.places + place : nullptr;
}
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

/// Threads to data: a thread block a tile of build rows. No shared memory.
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

template <class Structure>
struct CountArguments {
  Structure structure;
  std::uint32_t* counts = nullptr;  ///< by build row
  JoinRows build;
};

/// How many rows a key has, at the row that is found of it. Rows whose lanes have found the same
/// one are added together, as one key may have most of them. Threads to data: as BuildChains.
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
  /// By the warp; kNoRow: nothing.
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
