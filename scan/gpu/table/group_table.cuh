// SPDX-License-Identifier: MIT
// Groups that are told by keys of 64 bits: an open-addressing table in device memory whose places
// are the groups. A place has the group's cells and its key side by side (Pipeline::group_words),
// so that a row mostly needs one sector of memory, and nothing has to be known of the number of
// groups but a guess: where a key finds no place near its hash the table is too full, and the query
// begins again with a larger one (optimistic; F5).
//
// Keys are claimed by compare-and-swap and never go. Which place a key gets depends on who comes
// first; nobody asks. What is read of a place may be old: then its key shows when it is claimed,
// and its first row is lowered in vain. Tests: tests/simt/query_on_gpu_test.cpp, in the emulator
// and on a device.
#pragma once

#include "scan/gpu/join/key_hash.cuh"
#include "scan/gpu/table/pipeline.h"

namespace presso::gpu {

/// The first words of a place.
struct alignas(16) KeyedPlace {
  u64 first_row;
  u64 key;
};

PRESSO_DEVICE KeyedPlace* keyed_place(const Pipeline& of, u32 place) {
  return reinterpret_cast<KeyedPlace*>(of.cells_out + u64{place} * of.group_words);
}

/// Whether a key has its place, which may be new, or is to look at the next one; `found` is what
/// stands at `place`.
PRESSO_DEVICE bool takes_place(const Pipeline& of, u64 key, u32 place, KeyedPlace& found) {
  if (found.key == kNoKey) {
    found.key = simt::atomic_cas(&keyed_place(of, place)->key, kNoKey, key);
    found.first_row = kNoRowYet;
    if (found.key == kNoKey) return true;
  }
  return found.key == key;
}

/// Keys become the numbers of their groups, whose first rows are lowered to `rows`; returns which
/// of the keys have a group. A round looks at a place for each key that has none yet.
template <u32 kKeys>
PRESSO_DEVICE u32 find_groups(const Pipeline& of, u32 alive, const u64 (&rows)[kKeys],
                              u64 (&keys)[kKeys]) {
  u32 places[kKeys];
  KeyedPlace found[kKeys] = {};
  PRESSO_UNROLL
  for (u32 k = 0; k < kKeys; ++k) {
    places[k] = keys[k] == kNoKey
                    ? of.table_places
                    : simt::multiply_high(upper_word(hash_key(keys[k])), of.table_places);
    if ((alive >> k & 1) != 0) found[k] = *keyed_place(of, places[k]);
  }
  u32 waiting = alive;
  for (u32 round = 0; round < of.table_probes && waiting != 0; ++round) {
    PRESSO_UNROLL
    for (u32 k = 0; k < kKeys; ++k) {
      if ((waiting >> k & 1) == 0) continue;
      // All rows of this key have the last place, and no other key is there.
      if (keys[k] == kNoKey || takes_place(of, keys[k], places[k], found[k])) {
        waiting &= ~(1u << k);
        if (rows[k] < found[k].first_row) {
          simt::atomic_min(&keyed_place(of, places[k])->first_row, rows[k]);
        }
        continue;
      }
      places[k] = places[k] + 1 == of.table_places ? 0 : places[k] + 1;
      found[k] = *keyed_place(of, places[k]);
    }
  }
  if (waiting != 0) *of.fault = kTableIsFull;
  PRESSO_UNROLL
  for (u32 k = 0; k < kKeys; ++k) keys[k] = places[k];
  return alive & ~waiting;
}

/// Of a table: whether the query has to begin again, so that nothing is worth doing any more.
PRESSO_DEVICE bool is_full(const Pipeline& of) {
  return *static_cast<const volatile u64*>(of.fault) != 0;
}

}  // namespace presso::gpu
