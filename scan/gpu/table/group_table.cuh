// SPDX-License-Identifier: MIT
// Groups that are told by keys of 64 bits: an open-addressing table in device memory whose places
// are the groups. A place has the group's cells and its key side by side (Pipeline::group_words),
// so that a row mostly needs one sector of memory, and nothing has to be known of the number of
// groups but a guess: where a key finds no place near its hash the table is too full, and the query
// begins again with a larger one (optimistic; F5).
//
// Keys are claimed by compare-and-swap and never go. Which place a key gets depends on who comes
// first; nobody asks.
// Tests: tests/simt/query_on_gpu_test.cpp, in the emulator and on a device.
#pragma once

#include "scan/gpu/join/key_hash.cuh"
#include "scan/gpu/table/pipeline.h"

namespace presso::gpu {

/// As many places are looked at, one behind another, before a table counts as full. At 3/4 full a
/// key that is not there yet looks at 8.5 on average.
inline constexpr u32 kMostProbes = 64;

PRESSO_DEVICE u64* key_at(const Pipeline& of, u32 place) {
  return of.cells_out + u64{place} * of.group_words + kGroupCells + of.cells;
}

/// Others write keys while this one reads: what is old shows when the place is claimed.
PRESSO_DEVICE u64 read_key(const Pipeline& of, u32 place) {
  return *static_cast<const volatile u64*>(key_at(of, place));
}

/// The place of a key, of which `found` stands at `place`; of.table_places: there is none.
PRESSO_DEVICE u32 place_of(const Pipeline& of, u64 key, u32 place, u64 found) {
  for (u32 probes = 0; probes < kMostProbes; ++probes) {
    if (found == kNoKey) {
      found = simt::atomic_cas(key_at(of, place), kNoKey, key);
      if (found == kNoKey) return place;
    }
    if (found == key) return place;
    place = place + 1 == of.table_places ? 0 : place + 1;
    found = read_key(of, place);
  }
  return of.table_places;
}

/// Keys become the numbers of their groups; returns which of the rows have one.
PRESSO_DEVICE u32 find_groups(const Pipeline& of, u32 alive, u64 (&values)[kChunkSteps]) {
  u32 places[kChunkSteps];
  u64 found[kChunkSteps];
  PRESSO_UNROLL
  for (u32 k = 0; k < kChunkSteps; ++k) {
    places[k] = simt::multiply_high(upper_word(hash_key(values[k])), of.table_places);
    found[k] = (alive >> k & 1) != 0 ? read_key(of, places[k]) : u64{0};
  }
  u32 with_group = alive;
  PRESSO_UNROLL
  for (u32 k = 0; k < kChunkSteps; ++k) {
    if ((alive >> k & 1) == 0) continue;
    if (values[k] == kNoKey) {
      values[k] = of.table_places;
      continue;
    }
    values[k] = place_of(of, values[k], places[k], found[k]);
    if (values[k] != of.table_places) continue;
    with_group &= ~(1u << k);
    *of.fault = kTableIsFull;
  }
  return with_group;
}

/// Of a table: whether the query has to begin again, so that nothing is worth doing any more.
PRESSO_DEVICE bool is_full(const Pipeline& of) {
  return *static_cast<const volatile u64*>(of.fault) != 0;
}

}  // namespace presso::gpu
