// SPDX-License-Identifier: MIT
// The hash of keys of groups, joins and buckets. Integers: the finaliser of SplitMix64 (Stafford's
// mix 13; Steele, Lea and Flood 2014) after an exclusive or with a key. It is a bijection, so two
// different words never have one hash, and every bit of the word reaches every bit of the hash:
// dense keys, multiples of powers of two and packed keys fill a table equally well. It takes two
// multiplications and three shifts a word, which compilers turn into vector code. Bytes: XXH3, the
// hash of the format's checksums.
//
// Hashes of this file are part of answers (bucket(), partial answers for other machines), so they
// must not change. Those who need several independent numbers use different bits: slots of tables
// the lowest 32, partitions the bits from 32 on, parts of runs that exceed memory the highest.
// Tested by tests/unit/query/group/hash_test.cpp.
#pragma once

#include <cstdint>

#include "presso/bytes.h"
#include "presso/checksum.h"

namespace presso::query {

/// The golden ratio times 2^64; without a key, the word 0 would have the hash 0.
constexpr std::uint64_t kHashKey = 0x9E3779B97F4A7C15u;

/// Returns the hash of a word; other keys give independent hashes.
constexpr std::uint64_t hash_word(std::uint64_t word, std::uint64_t key = kHashKey) {
  std::uint64_t hash = word ^ key;
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
  return hash ^ (hash >> 31);
}

/// Returns the hash of two words in this order; the hash of the first is the key for the second.
constexpr std::uint64_t hash_pair(std::uint64_t first, std::uint64_t second) {
  return hash_word(second, hash_word(first));
}

/// Returns the hash of a string.
inline std::uint64_t hash_bytes(Bytes bytes) {
  return checksum64(bytes);
}

/// Returns which of `parts` parts a hash falls into, from 0 on, by its upper half and without a
/// division.
constexpr std::uint32_t part_of(std::uint64_t hash, std::uint32_t parts) {
  return static_cast<std::uint32_t>(((hash >> 32) * parts) >> 32);
}

}  // namespace presso::query
