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

/// As many places are looked at, one behind another, before a table counts as full: with 10^6 keys
/// that happens from about half of its places on, with 10^8 from 0.4.
inline constexpr u32 kMostProbes = 64;

/// The first words of a place.
struct alignas(16) KeyedPlace {
  u64 first_row;
  u64 key;
};

PRESSO_DEVICE KeyedPlace* keyed_place(const Pipeline& of, u32 place) {
  return reinterpret_cast<KeyedPlace*>(of.cells_out + u64{place} * of.group_words);
}

/// The place of a key, and what stands there; `found` is what stands at `place`, where it may be.
/// of.table_places: there is none.
PRESSO_DEVICE u32 place_of(const Pipeline& of, u64 key, u32 place, KeyedPlace& found) {
  for (u32 probes = 0; probes < kMostProbes; ++probes) {
    if (found.key == kNoKey) {
      found.key = simt::atomic_cas(&keyed_place(of, place)->key, kNoKey, key);
      found.first_row = kNoRowYet;
      if (found.key == kNoKey) return place;
    }
    if (found.key == key) return place;
    place = place + 1 == of.table_places ? 0 : place + 1;
    found = *keyed_place(of, place);
  }
  return of.table_places;
}

/// Keys become the numbers of their groups, whose first rows are lowered to `rows`; returns which
/// of the rows have a group.
PRESSO_DEVICE u32 find_groups(const Pipeline& of, u32 alive, const u64 (&rows)[kChunkSteps],
                              u64 (&values)[kChunkSteps]) {
  u32 places[kChunkSteps];
  KeyedPlace found[kChunkSteps];
  PRESSO_UNROLL
  for (u32 k = 0; k < kChunkSteps; ++k) {
    places[k] = values[k] == kNoKey
                    ? of.table_places
                    : simt::multiply_high(upper_word(hash_key(values[k])), of.table_places);
    if ((alive >> k & 1) != 0) found[k] = *keyed_place(of, places[k]);
  }
  u32 with_group = alive;
  PRESSO_UNROLL
  for (u32 k = 0; k < kChunkSteps; ++k) {
    if ((alive >> k & 1) == 0) continue;
    if (values[k] != kNoKey) {
      places[k] = place_of(of, values[k], places[k], found[k]);
      if (places[k] == of.table_places) {
        with_group &= ~(1u << k);
        *of.fault = kTableIsFull;
        continue;
      }
    }
    values[k] = places[k];
    if (rows[k] < found[k].first_row) {
      simt::atomic_min(&keyed_place(of, places[k])->first_row, rows[k]);
    }
  }
  return with_group;
}

/// Of a table: whether the query has to begin again, so that nothing is worth doing any more.
PRESSO_DEVICE bool is_full(const Pipeline& of) {
  return *static_cast<const volatile u64*>(of.fault) != 0;
}

}  // namespace presso::gpu
