// SPDX-License-Identifier: MIT
// Groups that are identified by keys of 64 bits: a hash table in device memory whose places are the
// groups. Keys lie in buckets of four, one sector of memory each, so that a row mostly reads one
// sector to find its place; the cells of a group are found by the place's number
// (Pipeline::group_words). The number of groups need only be guessed: if a key finds no place in
// several buckets, the table is too full, and the query starts again with a larger one (optimistic;
// F5).
//
// The places of a bucket are taken in order, each claimed by compare-and-swap, and never given
// back, so a new key goes to the first free place. What a thread has read of a bucket may be
// outdated, and some of it more than the rest; therefore every place from the first one on that was
// read as free is claimed in turn, and the claim shows whose it is. Which place a key gets depends
// on which thread comes first, and nothing depends on it. Later buckets follow at a distance that
// depends on the key (double hashing); the number of buckets is prime, so that a key can reach all
// of them. Code that is compiled at run time includes this header.
// Tests: tests/simt/group_table_test.cpp, and tests/queries/one_table.txt, in the emulator and
// on a device.
#pragma once

#include "query/gpu/join/key_hash.cuh"
#include "query/gpu/kernels/result_words.h"

namespace presso::gpu {

struct alignas(16) KeyBucket {
  u64 key[kBucketKeys];
};

/// Steps between a key's buckets are up to so many: what has been near stays near.
inline constexpr u32 kMostBucketStep = 1024;

// `Table`: a Pipeline, or what has its members of a table of groups.

template <class Table>
PRESSO_DEVICE u32 first_bucket(const Table& of, u64 key) {
  return simt::multiply_high(upper_word(hash_key(key)), of.table_buckets);
}

/// The bucket where a key looks after another one that was full.
template <class Table>
PRESSO_DEVICE u32 next_bucket(const Table& of, u64 key, u32 bucket) {
  const u32 others = of.table_buckets - 1;
  const u32 steps = others < kMostBucketStep ? others : kMostBucketStep;
  bucket += 1 + simt::multiply_high(static_cast<u32>(hash_key(key)), steps);
  return bucket < of.table_buckets ? bucket : bucket - of.table_buckets;
}

inline constexpr u32 kNoPlace = ~u32{0};

/// The place that a key has in a bucket, which may be new; kNoPlace: the bucket is full of others.
/// `found` is what stands there.
template <class Table>
PRESSO_DEVICE u32 place_in_bucket(const Table& of, u64 key, u32 bucket, const KeyBucket& found) {
  const u32 first = bucket * kBucketKeys;
  u32 place = kNoPlace;
  u32 free = kBucketKeys;
  PRESSO_UNROLL
  for (u32 i = kBucketKeys; i-- > 0;) {
    if (found.key[i] == key) place = first + i;
    if (found.key[i] == kNoKey) free = i;
  }
  if (place != kNoPlace) return place;
  for (u32 i = free; i < kBucketKeys; ++i) {
    const u64 before = simt::atomic_cas(of.table_keys + first + i, kNoKey, key);
    if (before == kNoKey || before == key) return first + i;
  }
  return kNoPlace;
}

/// The numbers of keys' groups; returns which of the keys that are alive have a group. A round
/// looks at a bucket for each key that has no group yet.
template <u32 kKeys, class Table>
PRESSO_DEVICE u32 find_groups(const Table& of, u32 alive, const u64 (&keys)[kKeys],
                              u32 (&groups)[kKeys]) {
  u32 waiting = alive;
  u32 buckets[kKeys];
  PRESSO_UNROLL
  for (u32 k = 0; k < kKeys; ++k) {
    buckets[k] = first_bucket(of, keys[k]);
    groups[k] = of.table_buckets * kBucketKeys;
    if (keys[k] == kNoKey) waiting &= ~(1u << k);
  }
  for (u32 round = 0; round < of.table_probes && waiting != 0; ++round) {
    KeyBucket found[kKeys] = {};
    PRESSO_UNROLL
    for (u32 k = 0; k < kKeys; ++k) {
      if ((waiting >> k & 1) == 0) continue;
      found[k] = reinterpret_cast<const KeyBucket*>(of.table_keys)[buckets[k]];
    }
    PRESSO_UNROLL
    for (u32 k = 0; k < kKeys; ++k) {
      if ((waiting >> k & 1) == 0) continue;
      groups[k] = place_in_bucket(of, keys[k], buckets[k], found[k]);
      if (groups[k] != kNoPlace) {
        waiting &= ~(1u << k);
      } else {
        buckets[k] = next_bucket(of, keys[k], buckets[k]);
      }
    }
  }
  if (waiting != 0) *of.fault = kTableIsFull;
  return alive & ~waiting;
}

/// Finds the groups of a lane's keys of several steps, four at a time, since the keys that are
/// looked for together are held in registers.
template <u32 kKeys, class Table>
PRESSO_DEVICE u32 find_groups_of_steps(const Table& of, u32 alive, const u64 (&keys)[kKeys],
                                       u32 (&groups)[kKeys]) {
  constexpr u32 kTile = kKeys < 4 ? kKeys : 4;
  static_assert(kKeys % kTile == 0);
  u32 with_group = 0;
  PRESSO_UNROLL
  for (u32 first = 0; first < kKeys; first += kTile) {
    u64 some[kTile];
    u32 found[kTile];
    PRESSO_UNROLL
    for (u32 i = 0; i < kTile; ++i) some[i] = keys[first + i];
    with_group |= find_groups(of, alive >> first & ((1u << kTile) - 1), some, found) << first;
    PRESSO_UNROLL
    for (u32 i = 0; i < kTile; ++i) groups[first + i] = found[i];
  }
  return with_group;
}

/// Of a table: whether the query has to begin again, so that nothing is worth doing any more.
template <class Table>
PRESSO_DEVICE bool is_full(const Table& of) {
  return *static_cast<const volatile u64*>(of.fault) != 0;
}

}  // namespace presso::gpu
