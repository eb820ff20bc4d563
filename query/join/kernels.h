// SPDX-License-Identifier: MIT
// The inner loops of filters of keys, one set per CPU level; all levels give the same results.
// Tested by tests/unit/query/join/key_filter_test.cpp at every level.
#pragma once

#include <cstdint>

#include "presso/cpu.h"

namespace presso::query::join {

/// 32 bytes, of which a key sets a bit in each word.
struct BloomBlock {
  std::uint32_t words[8] = {};
};

struct Kernels {
  /// Bit i is set where keys[i] - least <= span. Bits from `count` to the end of a word are 0.
  void (*test_range)(const std::uint64_t* keys, std::uint32_t count, std::uint64_t least,
                     std::uint64_t span, std::uint64_t* bits);
  /// And bit keys[i] - least of the bitmap is set, which has a bit more than span + 1, a 0.
  void (*test_bitmap)(const std::uint64_t* keys, std::uint32_t count, std::uint64_t least,
                      std::uint64_t span, const std::uint64_t* bitmap, std::uint64_t* bits);
  /// And the key's block has all its bits.
  void (*test_bloom)(const std::uint64_t* keys, std::uint32_t count, std::uint64_t least,
                     std::uint64_t span, const BloomBlock* blocks, std::uint32_t block_count,
                     std::uint64_t* bits);
  /// Sets the bits of those keys whose block is one of `first` to before `end`.
  void (*fill_bloom)(const std::uint64_t* keys, std::uint32_t count, BloomBlock* blocks,
                     std::uint32_t block_count, std::uint32_t first, std::uint32_t end);
};

const Kernels& kernels_portable();
const Kernels& kernels_avx2();
const Kernels& kernels_avx512();
const Kernels& kernels_for(CpuLevel level);
/// Those for this machine.
const Kernels& kernels();

}  // namespace presso::query::join
