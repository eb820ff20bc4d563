// SPDX-License-Identifier: MIT
// One open-addressing table in device memory, at most half full: slots of 16 bytes for keys of 64
// bits, of 8 for those of 32. A load reads a *unit* of 16 bytes, one slot or two; two units are a
// bucket, one sector of memory. A key begins at one unit of its bucket, goes on with the other,
// then with the next bucket. An empty slot ends every search: nothing is ever removed.
//
// Slots hold hashes. Where a key repeats, its slot holds one of its rows, any of them, and the
// others set has_duplicates.
#pragma once

#include "query/gpu/join/look_up.cuh"

namespace presso::gpu {

template <class Key>
struct KeyUnit;

/// Claimed by its hash; the row is stored afterwards. The hash that says empty has a slot of its
/// own behind all units, which is claimed by its row.
template <>
struct alignas(16) KeyUnit<u64> {
  u64 hash;
  u32 row;
  u32 unused;
};
/// Each slot is claimed whole: the row, above the hash, says whether it is empty.
template <>
struct alignas(16) KeyUnit<u32> {
  u64 slots[2];
};

inline constexpr u64 kEmptySlot = ~u64{0};

template <class KeyType>
struct KeyTable {
  using Key = KeyType;
  static constexpr u32 kSharedBytes = 0;
  static constexpr bool kTellsRepeats = true;

  KeyUnit<Key>* units = nullptr;  ///< before building: all bits set
  u32 count = 0;

  /// The units of a hash in their order. That of the first unit tells whether a unit is the first
  /// of its bucket for this hash: the last bits agree.
  PRESSO_DEVICE u32 first_unit(Key hash) const {
    return 2 * simt::multiply_high(upper_word(hash), count / 2) + (static_cast<u32>(hash) & 1);
  }
  PRESSO_DEVICE u32 next_unit(u32 unit, Key hash) const {
    const u32 other = unit ^ 1;
    if (((unit ^ static_cast<u32>(hash)) & 1) == 0) return other;
    return other + 2 >= count ? other + 2 - count : other + 2;
  }

  PRESSO_DEVICE static bool is_special(Key hash) {
    return sizeof(Key) == 8 && hash == static_cast<Key>(kEmptySlot);
  }

  /// Whether the search ends at this unit; then `row` is the row or kNoRow.
  PRESSO_DEVICE static bool settles(const KeyUnit<u64>& unit, u64 hash, u32& row) {
    row = unit.hash == hash ? unit.row : kNoRow;
    return unit.hash == hash || unit.hash == kEmptySlot;
  }
  PRESSO_DEVICE static bool settles(const KeyUnit<u32>& unit, u32 hash, u32& row) {
    row = kNoRow;
    PRESSO_UNROLL
    for (u32 slot = 0; slot < 2; ++slot) {
      const u32 of_slot = static_cast<u32>(unit.slots[slot] >> 32);
      if (of_slot == kNoRow) return true;
      if (static_cast<u32>(unit.slots[slot]) != hash) continue;
      row = of_slot;
      return true;
    }
    return false;
  }

  PRESSO_DEVICE void find(u64, const Key (&keys)[kTileItems], u32 joins, u32 (&found)[kTileItems],
                          Byte*) const {
    Key hashes[kTileItems];
    u32 at[kTileItems];
    KeyUnit<Key> first[kTileItems];
    PRESSO_UNROLL
    for (u32 item = 0; item < kTileItems; ++item) {
      hashes[item] = hash_key(keys[item]);
      at[item] = is_special(hashes[item]) ? count : first_unit(hashes[item]);
      if ((joins >> item & 1) != 0) first[item] = simt::load_readonly(units + at[item]);
    }
    PRESSO_UNROLL
    for (u32 item = 0; item < kTileItems; ++item) {
      found[item] = kNoRow;
      if ((joins >> item & 1) == 0) continue;
      const Key hash = hashes[item];
      if (settles(first[item], hash, found[item])) continue;
      do {
        at[item] = next_unit(at[item], hash);
      } while (!settles(simt::load_readonly(units + at[item]), hash, found[item]));
    }
  }

  /// An insertion: the word that a lane tries to claim, and what it puts there.
  struct Insertion {
    u32 unit;
    u64* word;
    u64 value;
  };
  PRESSO_DEVICE Insertion begin_insertion(u64 hash, u32) const {
    const u32 unit = first_unit(hash);
    return {unit, &units[unit].hash, hash};
  }
  PRESSO_DEVICE Insertion begin_insertion(u32 hash, u32 row) const {
    const u32 unit = first_unit(hash);
    return {unit, units[unit].slots, u64{row} << 32 | hash};
  }
  PRESSO_DEVICE static u64 claim(const Insertion& insertion) {
    return simt::atomic_cas(insertion.word, kEmptySlot, insertion.value);
  }

  /// Goes on from what the first claim gave, until there is a slot; whether it held the key before.
  PRESSO_DEVICE bool finish(Insertion& insertion, u64 old, u64 hash, u32 row) const {
    if (is_special(hash)) {
      return simt::atomic_cas(&units[count].row, kNoRow, row) != kNoRow;
    }
    while (old != kEmptySlot && old != hash) {
      insertion.unit = next_unit(insertion.unit, hash);
      insertion.word = &units[insertion.unit].hash;
      old = claim(insertion);
    }
    if (old == kEmptySlot) units[insertion.unit].row = row;
    return old == hash;
  }
  PRESSO_DEVICE bool finish(Insertion& insertion, u64 old, u32 hash, u32) const {
    while (old != kEmptySlot && static_cast<u32>(old) != hash) {
      if (insertion.word == units[insertion.unit].slots) {
        ++insertion.word;
      } else {
        insertion.unit = next_unit(insertion.unit, hash);
        insertion.word = units[insertion.unit].slots;
      }
      old = claim(insertion);
    }
    return old != kEmptySlot;
  }
};

template <class Source>
struct TableBuildArguments {
  KeyTable<typename Source::Key> table;
  JoinRows build;
  JoinTotals* totals = nullptr;
  Source source = {};
};

/// Threads to data: a thread block a tile of build rows. No shared memory.
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
      // All first claims are on their way before one is looked at.
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
