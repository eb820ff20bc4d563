// SPDX-License-Identifier: MIT
// kTable: one open-addressing hash table in device memory, at most half full. Slots have 16 bytes
// for keys of 64 bits and 8 bytes for keys of 32. A load reads a *unit* of 16 bytes, which is one
// slot or two; two units are a bucket, which is one sector of memory. A key begins at one unit of
// its bucket, continues with the other, then with the next bucket. An empty slot ends every search,
// as nothing is ever removed.
//
// Slots hold hashes, which stand for their keys (key_hash.cuh). If a key repeats, its slot holds
// one of its rows, any of them, and has_duplicates is set. Source: G21 of docs/sources.md. Tested
// by tests/simt/joins_in_emulator_test.cpp.
//
// Cost: a look-up of a key of 64 bits usually reads one unit, and both units of a bucket are one
// access to memory. At most half full means that searches are short even for keys that are not in
// the table.
#pragma once

#include "presso/no_row.h"
#include "query/gpu/join/key_hash.cuh"

namespace presso::gpu {

template <class Key>
struct KeyUnit;

/// Claimed by its hash; the row is stored afterwards. The one hash that means "empty" has a slot of
/// its own after all units, which is claimed by its row.
/// Building needs no lock: a claim by compare-and-swap either takes the slot or shows who has it.
/// The row may still be missing while the table is built, but look-ups begin in a later kernel.
template <>
struct alignas(16) KeyUnit<u64> {
  u64 hash;
  u32 row;
  u32 unused;
};
/// Each slot is claimed as a whole; the row, in the upper half, says whether it is empty.
template <>
struct alignas(16) KeyUnit<u32> {
  u64 slots[2];
};

inline constexpr u64 kEmptySlot = ~u64{0};

/// A Finder (look_up.cuh). `count` units, an even number, and one more.
template <class KeyType>
struct KeyTable {
  using Key = KeyType;
  static constexpr u32 kSharedBytes = 0;
  /// Building notices a key that is in the table already; if none was, FindGroups does nothing.
  static constexpr bool kTellsRepeats = true;

  KeyUnit<Key>* units = nullptr;  ///< all bits must be set before building
  u32 count = 0;

  /// The units of a hash in their order. Whether a unit is the first of its bucket for this hash
  /// follows from the last bits, which then agree.
  PRESSO_DEVICE u32 first_unit(Key hash) const {
    return 2 * simt::multiply_high(upper_word(hash), count / 2) + (static_cast<u32>(hash) & 1);
  }
  PRESSO_DEVICE u32 next_unit(u32 unit, Key hash) const {
    const u32 other = unit ^ 1;
    if (((unit ^ static_cast<u32>(hash)) & 1) == 0) return other;
    return other + 2 >= count ? other + 2 - count : other + 2;
  }

  /// Whether the hash is the one that means "empty".
  PRESSO_DEVICE static bool is_special(Key hash) {
    return sizeof(Key) == 8 && hash == static_cast<Key>(kEmptySlot);
  }

  /// Whether the search ends at this unit; if so, `row` is the row, or kNoRow.
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

  /// Loads the first unit of all keys of the lane before it looks at one; most searches end there.
  template <u32 kItems>
  PRESSO_DEVICE void find(u64, const Key (&keys)[kItems], u32 joins, u32 (&found)[kItems],
                          Byte*) const {
    Key hashes[kItems];
    u32 at[kItems];
    KeyUnit<Key> first[kItems];
    PRESSO_UNROLL
    for (u32 item = 0; item < kItems; ++item) {
      hashes[item] = hash_key(keys[item]);
      at[item] = is_special(hashes[item]) ? count : first_unit(hashes[item]);
      if ((joins >> item & 1) != 0) first[item] = simt::load_readonly(units + at[item]);
    }
    PRESSO_UNROLL
    for (u32 item = 0; item < kItems; ++item) {
      found[item] = kNoRow;
      if ((joins >> item & 1) == 0) continue;
      const Key hash = hashes[item];
      if (settles(first[item], hash, found[item])) continue;
      do {
        at[item] = next_unit(at[item], hash);
      } while (!settles(simt::load_readonly(units + at[item]), hash, found[item]));
    }
  }

  /// An insertion in progress: the word that a lane tries to claim, and the value it puts there.
  struct Insertion {
    u32 unit;
    u64* word;
    u64 value;
  };
  /// An insertion begins at the hash's first unit.
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

  /// Continues from the result `old` of the first claim until the key has a slot. Returns whether
  /// the key was there before.
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

}  // namespace presso::gpu
