// SPDX-License-Identifier: MIT
// The hash of keys of groups and joins. Integers: the finaliser of SplitMix64 (Stafford's mix 13)
// behind an exclusive or with a key. It is a bijection, so two different words never have the same
// hash, and every bit of the word reaches every bit of the hash: dense keys, multiples of powers of
// two and packed keys fill a table alike. Two multiplications and three shifts a word, which
// compilers turn into vector code. Bytes: XXH3, as the format's checksums.
//
// Who needs several independent numbers takes different bits: slots of tables the lowest 32,
// partitions the bits from 32 on, parts of larger-than-memory runs the highest.
// Tested by tests/unit/query/group/hash_test.cpp.
#pragma once

#include <cstdint>

#include "presso/bytes.h"
#include "presso/checksum.h"

namespace presso::query {

constexpr std::uint64_t kHashKey = 0x9E3779B97F4A7C15u;

constexpr std::uint64_t hash_word(std::uint64_t word, std::uint64_t key = kHashKey) {
  std::uint64_t hash = word ^ key;
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
  return hash ^ (hash >> 31);
}

constexpr std::uint64_t hash_pair(std::uint64_t first, std::uint64_t second) {
  return hash_word(second, hash_word(first));
}

inline std::uint64_t hash_bytes(Bytes bytes) {
  return checksum64(bytes);
}

/// Which of `parts` a hash falls into, by its upper half.
constexpr std::uint32_t part_of(std::uint64_t hash, std::uint32_t parts) {
  return static_cast<std::uint32_t>(((hash >> 32) * parts) >> 32);
}

}  // namespace presso::query
