// SPDX-License-Identifier: MIT
// kChained: a hash table with chains by row number in device memory (G5 of docs/sources.md). A slot
// holds the row that was inserted last, links[row] the one inserted before it, up to kNoRow.
// Inserting a row is one atomic exchange. Keys are read from the build column itself, which also
// makes stored hashes unnecessary, so the table takes one word for each slot and each row, at any
// load.
//
// The rows of a slot come in arbitrary order; once the table is built the order is fixed, so
// everybody who looks a key up finds the same row first. Never chosen by kAuto, because every step
// along a chain waits for memory. Chains in shared memory are in chained_slices.cuh. Tested by
// tests/simt/joins_in_emulator_test.cpp.
//
// Example: rows 2, 5 and 9 fall into slot 7 in this order. Then slots[7] = 9, links[9] = 5,
// links[5] = 2 and links[2] = kNoRow.
#pragma once

#include "query/gpu/join/look_up.cuh"

namespace presso::gpu {

/// A Finder (look_up.cuh).
template <class KeyType>
struct ChainedTable {
  using Key = KeyType;
  static constexpr u32 kSharedBytes = 0;
  static constexpr bool kTellsRepeats = false;

  const Key* keys = nullptr;  ///< the build column
  u32* slots = nullptr;       ///< must hold kNoRow before building
  /// a word for each build row; those of rows that are in no chain are not written
  u32* links = nullptr;
  u32 slot_count = 1;

  /// Multiplying the hash by the number of slots gives slots of any number, without a division.
  PRESSO_DEVICE u32* slot_of(Key key) const {
    return slots + simt::multiply_high(upper_word(hash_key(key)), slot_count);
  }

  /// Follows the chains of a lane's keys side by side, so that each step waits for memory only
  /// once.
  PRESSO_DEVICE void find(u64, const Key (&wanted)[kTileItems], u32 joins, u32 (&found)[kTileItems],
                          Byte*) const {
    u32 at[kTileItems];
    u32 open = 0;
    PRESSO_UNROLL
    for (u32 item = 0; item < kTileItems; ++item) {
      const bool joins_here = (joins >> item & 1) != 0;
      at[item] = joins_here ? simt::load_readonly(slot_of(wanted[item])) : kNoRow;
      found[item] = kNoRow;
      open |= static_cast<u32>(at[item] != kNoRow) << item;
    }
    while (open != 0) {
      Key keys_there[kTileItems];
      u32 next[kTileItems];
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const bool is_open = (open >> item & 1) != 0;
        keys_there[item] = is_open ? simt::load_readonly(keys + at[item]) : Key{0};
        next[item] = is_open ? simt::load_readonly(links + at[item]) : kNoRow;
      }
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        if ((open >> item & 1) == 0) continue;
        const bool is_found = keys_there[item] == wanted[item];
        if (is_found) found[item] = at[item];
        at[item] = next[item];
        if (is_found || next[item] == kNoRow) open &= ~(1u << item);
      }
    }
  }
};

/// Arguments of BuildChained.
template <class Key>
struct ChainedBuildArguments {
  ChainedTable<Key> table;
  JoinRows build;
};

/// Threads to data: a thread block takes a tile of build rows. No shared memory.
template <class Key>
struct BuildChained {
  using Arguments = ChainedBuildArguments<Key>;
  static constexpr const char* kName = "chaining rows";
  static constexpr u32 kThreads = kTileThreads;
  static constexpr u32 kBlocks = 4;
  static constexpr bool kWholeGrid = true;
  static constexpr u32 kSharedBytes = 0;

  PRESSO_DEVICE static void run(const Arguments& to) {
    const u64 tiles = tiles_of(to.build.count);
    for (u64 tile = simt::block_index(); tile < tiles; tile += simt::grid_blocks()) {
      u32* slots[kTileItems];
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        const u64 row = tile_row(tile, item);
        slots[item] = nullptr;
        if (!takes_part(to.build, row)) continue;
        slots[item] = to.table.slot_of(simt::load_streaming(to.table.keys + row));
      }
      // All exchanges are issued before the result of one is used.
      u32 before[kTileItems];
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        if (slots[item] == nullptr) continue;
        const auto row = static_cast<u32>(tile_row(tile, item));
        before[item] = simt::atomic_exchange(slots[item], row);
      }
      PRESSO_UNROLL
      for (u32 item = 0; item < kTileItems; ++item) {
        if (slots[item] != nullptr) to.table.links[tile_row(tile, item)] = before[item];
      }
    }
  }
};

}  // namespace presso::gpu
