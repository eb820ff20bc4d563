// SPDX-License-Identifier: MIT
// Divides (key, row) tuples into partitions by the hashes of their keys; within a partition the
// order of rows is kept. The partition is the highest bits of the lower 32 bits of a hash, so that
// it is a contiguous range of the slots of any table that takes its slots from those bits.
//
// Two passes: count, then write. Tuples of a partition are gathered in three cache lines and
// written together (software write-combining; Balkesen et al. 2013): writing single tuples to as
// many places would lose cache lines, and address translations (TLB entries), between one tuple and
// the next. Tested by tests/unit/query/join/key_partition_test.cpp.
#pragma once

#include <vector>

#include "query/join/build_rows.h"
#include "query/join/tuple.h"

namespace presso::query::join {

/// The most bits of one pass; more partitions would not fit the TLB.
constexpr unsigned kMostPartitionBits = 8;

/// Returns the partition of a hash among 2^bits.
constexpr std::uint64_t partition_of(std::uint64_t hash, unsigned bits) {
  return (hash & 0xFFFFFFFFu) >> (32 - bits);
}

/// Writes a tuple for each row that has a key to `tuples`, partition by partition, on all threads.
/// Returns 2^bits + 1 numbers: where each partition begins, and where the last one ends.
Result<std::vector<std::uint64_t>> partition_keys(const BuildKeys& keys, unsigned threads,
                                                  unsigned bits, Tuple* tuples);

}  // namespace presso::query::join
