// SPDX-License-Identifier: MIT
// The inner loops of key filters, compiled once for each CPU level (presso_cpu_levels). Nothing of
// the standard library is used (format/cpu_loops.h). There are no intrinsics; the eight words of a
// block are one GCC vector, for which compilers use the registers that the level has.
#include "query/join/kernels.h"

namespace presso::query::join {
namespace PRESSO_LEVEL {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
typedef u32 Words8 __attribute__((vector_size(32)));

/// A copy of hash_word() of query/values/hash.h, which must not be included here. The two must
/// agree.
inline u64 hash_of(u64 word) {
  u64 hash = word ^ 0x9E3779B97F4A7C15u;  // as hash_word()
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
  return hash ^ (hash >> 31);
}

/// The upper half of the hash says which block, the lower half which bits (bits_of()).
inline u32 block_of(u64 hash, u32 block_count) {
  return static_cast<u32>(((hash >> 32) * block_count) >> 32);
}
/// One bit in each of the eight words: the highest five bits of the products of the hash with eight
/// odd numbers, as in Parquet's split block Bloom filters (Putze, Sanders and Singler, 2007).
/// Vectors are passed by pointer, as passing them by value depends on the level.
inline void bits_of(u64 hash, Words8* bits) {
  const u32 low = static_cast<u32>(hash);
  const Words8 salts = {0x47B6137Bu, 0x44974D91u, 0x8824AD5Bu, 0xA2B7289Du,
                        0x705495C7u, 0x2DF1424Bu, 0x9EFC4947u, 0x5C6BFB31u};
  const Words8 one = {1, 1, 1, 1, 1, 1, 1, 1};
  *bits = one << ((salts * low) >> 27);
}
inline void load_block(const BloomBlock& block, Words8* words) {
  __builtin_memcpy(words, block.words, sizeof(*words));
}
/// Whether a block has all eight bits of a hash.
inline bool has_bits(const BloomBlock& block, u64 hash) {
  Words8 bits, words;
  bits_of(hash, &bits);
  load_block(block, &words);
  const Words8 missing = bits & ~words;
  u64 parts[4];
  __builtin_memcpy(parts, &missing, sizeof(parts));
  return (parts[0] | parts[1] | parts[2] | parts[3]) == 0;
}

/// Makes a word of result bits for every 64 keys.
template <class Test>
inline void test_each(const u64* keys, u32 count, u64* bits, const Test& test) {
  for (u32 first = 0; first < count; first += 64) {
    const u32 size = count - first < 64 ? count - first : 64;
    u64 word = 0;
    for (u32 i = 0; i < size; ++i) word |= static_cast<u64>(test(keys[first + i])) << i;
    bits[first / 64] = word;
  }
}

inline void test_range(const u64* keys, u32 count, u64 least, u64 span, u64* bits) {
  test_each(keys, count, bits, [&](u64 key) { return key - least <= span; });
}

/// Keys out of range are led to the last bit, a 0, instead of branching.
inline void test_bitmap(const u64* keys, u32 count, u64 least, u64 span, const u64* bitmap,
                        u64* bits) {
  test_each(keys, count, bits, [&](u64 key) {
    const u64 at = key - least <= span ? key - least : span + 1;
    return (bitmap[at / 64] >> (at % 64)) & 1;
  });
}

/// Hashes are computed 64 at a time, and blocks are prefetched kAhead keys before they are tested;
/// NOTES.md has what that gains.
inline void test_bloom(const u64* keys, u32 count, u64 least, u64 span, const BloomBlock* blocks,
                       u32 block_count, u64* bits) {
  constexpr u32 kAhead = 16;
  for (u32 first = 0; first < count; first += 64) {
    const u32 size = count - first < 64 ? count - first : 64;
    u64 hashes[64 + kAhead] = {};
    for (u32 i = 0; i < size; ++i) hashes[i] = hash_of(keys[first + i]);
    for (u32 i = 0; i < size && i < kAhead; ++i) {
      __builtin_prefetch(blocks + block_of(hashes[i], block_count));
    }
    u64 word = 0;
    for (u32 i = 0; i < size; ++i) {
      __builtin_prefetch(blocks + block_of(hashes[i + kAhead], block_count));
      const bool may_be = has_bits(blocks[block_of(hashes[i], block_count)], hashes[i]);
      word |= static_cast<u64>(may_be & (keys[first + i] - least <= span)) << i;
    }
    bits[first / 64] = word;
  }
}

/// Skips keys of other threads' blocks; hashing is cheap compared with reaching into the filter.
inline void fill_bloom(const u64* keys, u32 count, BloomBlock* blocks, u32 block_count, u32 first,
                       u32 end) {
  for (u32 i = 0; i < count; ++i) {
    const u64 hash = hash_of(keys[i]);
    const u32 at = block_of(hash, block_count);
    if (at < first || at >= end) continue;
    Words8 bits, words;
    bits_of(hash, &bits);
    load_block(blocks[at], &words);
    words |= bits;
    __builtin_memcpy(blocks[at].words, &words, sizeof(words));
  }
}

}  // namespace PRESSO_LEVEL

const Kernels Kernels::PRESSO_LEVEL = {PRESSO_LEVEL::test_range, PRESSO_LEVEL::test_bitmap,
                                       PRESSO_LEVEL::test_bloom, PRESSO_LEVEL::fill_bloom};

}  // namespace presso::query::join
