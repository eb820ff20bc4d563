// SPDX-License-Identifier: MIT
// The inner loops of key filters (key_filter.h), one set for each CPU level; all levels give the
// same results. They take arrays of keys and work without branches. Tested by
// tests/unit/query/join/key_filter_test.cpp at every level.
#pragma once

#include <cstdint>

namespace presso::query::join {

/// A block of a Bloom filter, 32 bytes: each key sets one bit in each of its eight words. Half a
/// cache line, so that a test costs one cache miss at most.
struct BloomBlock {
  std::uint32_t words[8] = {};
};

/// The loops of one level. Results are bitmaps with one bit a key; bits from `count` to the end of
/// the last word are 0.
struct Kernels {
  /// Sets bit i where least <= keys[i] <= least + span.
  void (*test_range)(const std::uint64_t* keys, std::uint32_t count, std::uint64_t least,
                     std::uint64_t span, std::uint64_t* bits);
  /// As test_range(), and bit keys[i] - least of `bitmap` must be set. The bitmap has one bit more
  /// than the range, a 0, which answers for keys outside without a branch.
  void (*test_bitmap)(const std::uint64_t* keys, std::uint32_t count, std::uint64_t least,
                      std::uint64_t span, const std::uint64_t* bitmap, std::uint64_t* bits);
  /// As test_range(), and the key's block must have all bits of the key.
  void (*test_bloom)(const std::uint64_t* keys, std::uint32_t count, std::uint64_t least,
                     std::uint64_t span, const BloomBlock* blocks, std::uint32_t block_count,
                     std::uint64_t* bits);
  /// Sets the bits of those keys whose block number is in [first, end), so that threads can fill
  /// ranges of blocks from the same keys.
  void (*fill_bloom)(const std::uint64_t* keys, std::uint32_t count, BloomBlock* blocks,
                     std::uint32_t block_count, std::uint32_t first, std::uint32_t end);

  /// One set a level; loops_for() of format/cpu_loops.h picks one.
  static const Kernels portable, avx2, avx512;
};

}  // namespace presso::query::join
