// SPDX-License-Identifier: MIT
// Tuples dealt out to parts by bits of their keys' hashes, with the order of rows kept within a
// part. Parts are the highest bits of the lower 32 of a hash, so that a part is a range of the
// slots of any table whose slots are taken from there.
//
// A first walk counts, a second one writes. Tuples of a part are collected in a few cache lines and
// written together (write-combining): of as many parts as this is for, lines would otherwise leave
// the cache, and translations of addresses the TLB, between one tuple and the next.
// Tested by tests/unit/query/join/key_partition_test.cpp.
#pragma once

#include <vector>

#include "query/join/build_rows.h"
#include "query/join/tuple.h"

namespace presso::query::join {

constexpr unsigned kMostPartitionBits = 8;

/// The part of a hash among 2^bits.
constexpr std::uint64_t partition_of(std::uint64_t hash, unsigned bits) {
  return (hash & 0xFFFFFFFFu) >> (32 - bits);
}

/// Writes the rows that have a key to `tuples` by parts, with all threads. Returns where parts
/// begin, and where the last one ends: 2^bits + 1 numbers.
Result<std::vector<std::uint64_t>> partition_keys(const BuildKeys& keys, unsigned threads,
                                                  unsigned bits, Tuple* tuples);

}  // namespace presso::query::join
