// SPDX-License-Identifier: MIT
// XXH3 with 64 bits, seed 0 and the default secret, as FORMAT.md 8 uses it: plain functions for the
// CPU and for one lane of a GPU. Warps that hash together build on the pieces below
// (gpu/xxh3_warp.cuh). Written from xxHash's specification of the algorithm.
//
// Inputs of up to 240 bytes are folded 16 bytes at a time. Longer ones go through eight 64-bit
// accumulators: a stripe of 64 bytes gives each of them one word; stripe n of a round of 16 is
// keyed by the secret from byte 8n on, and after a full round the accumulators are scrambled. The
// last 64 bytes are always taken as one more stripe, keyed from byte 121 on. So 1024 bytes, a
// segment of the content checksum, are 15 stripes and the last one, with no scrambling.
//
// Accumulator i takes the keyed product of word i and the plain word i ^ 1, so accumulators live in
// pairs here: a pair needs only its own 16 bytes of a stripe, and the end folds pairs too.
//
// Words are read through a reader, because a GPU has no unaligned loads:
//   byte(at) -> u32    word32(at) -> u32    word64(at) -> u64    at any offset, little-endian
//
// Invariant: nothing outside of the given bytes is read. Test:
// tests/unit/decompress/gpu/xxh3_test.cpp.
#pragma once

#include <cstdint>

#include "format/host_device.h"
#include "presso/bytes.h"

namespace presso::gpu::xxh3 {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u64 kPrime32A = 0x9E3779B1u;
constexpr u64 kPrime32B = 0x85EBCA77u;
constexpr u64 kPrime32C = 0xC2B2AE3Du;
constexpr u64 kPrime1 = 0x9E3779B185EBCA87u;
constexpr u64 kPrime2 = 0xC2B2AE3D27D4EB4Fu;
constexpr u64 kPrime3 = 0x165667B19E3779F9u;
constexpr u64 kPrime4 = 0x85EBCA77C2B2AE63u;
constexpr u64 kPrime5 = 0x27D4EB2F165667C5u;
constexpr u64 kAvalanchePrime = 0x165667919E3779F9u;
constexpr u64 kShortPrime = 0x9FB21C651E98DF25u;

constexpr u32 kStripeBytes = 64;
constexpr u32 kRoundStripes = 16;
constexpr u32 kPairBytes = 16;       ///< bytes of a stripe for each pair of accumulators
constexpr u32 kLastStripeKey = 121;  ///< offsets in the secret
constexpr u32 kScrambleKey = 128;
constexpr u32 kFinishKey = 11;
constexpr u32 kLongestFolded = 240;  ///< bytes; longer inputs go through accumulators

// --- the secret

struct Secret {
  u64 words[24];
};

PRESSO_HD constexpr Secret default_secret() {
  return {{0xBE4BA423396CFEB8u, 0x1CAD21F72C81017Cu, 0xDB979083E96DD4DEu, 0x1F67B3B7A4A44072u,
           0x78E5C0CC4EE679CBu, 0x2172FFCC7DD05A82u, 0x8E2443F7744608B8u, 0x4C263A81E69035E0u,
           0xCB00C391BB52283Cu, 0xA32E531B8B65D088u, 0x4EF90DA297486471u, 0xD8ACDEA946EF1938u,
           0x3F349CE33F76FAA8u, 0x1D4F0BC7C7BBDCF9u, 0x3159B4CD4BE0518Au, 0x647378D9C97E9FC8u,
           0xC3EBD33483ACC5EAu, 0xEB6313FAFFA081C5u, 0x49DAF0B751DD0D17u, 0x9E68D429265516D3u,
           0xFCA1477D58BE162Bu, 0xCE31D07AD1B8F88Fu, 0x280416958F3ACB45u, 0x7E404BBBCAFBD7AFu}};
}

/// Eight of its bytes as a little-endian word; offset 0 to 184.
PRESSO_HD constexpr u64 word_of(const Secret& secret, u32 offset) {
  const u32 shift = 8 * (offset % 8);
  const u64 low = secret.words[offset / 8] >> shift;
  return shift == 0 ? low : low | secret.words[offset / 8 + 1] << (64 - shift);
}

PRESSO_HD inline u64 secret_word(u32 offset) {
  static constexpr Secret kSecret = default_secret();
  return word_of(kSecret, offset);
}

// --- arithmetic

/// The two halves of the 128-bit product, one over the other.
PRESSO_HD inline u64 multiply_fold(u64 a, u64 b) {
#ifdef __CUDA_ARCH__
  return (a * b) ^ __umul64hi(a, b);
#else
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<u64>(product) ^ static_cast<u64>(product >> 64);
#endif
}

PRESSO_HD inline u64 avalanche(u64 value) {
  value ^= value >> 37;
  value *= kAvalanchePrime;
  return value ^ (value >> 32);
}

/// The final mixing of XXH64, used for the shortest inputs.
PRESSO_HD inline u64 avalanche_short(u64 value) {
  value ^= value >> 33;
  value *= kPrime2;
  value ^= value >> 29;
  value *= kPrime3;
  return value ^ (value >> 32);
}

PRESSO_HD inline u64 rotate_left(u64 value, u32 bits) {
  return value << bits | value >> (64 - bits);
}

PRESSO_HD inline u64 swap_bytes(u64 value) {
  value = (value & 0x00FF00FF00FF00FFu) << 8 | (value >> 8 & 0x00FF00FF00FF00FFu);
  value = (value & 0x0000FFFF0000FFFFu) << 16 | (value >> 16 & 0x0000FFFF0000FFFFu);
  return value << 32 | value >> 32;
}

// --- pairs of accumulators

/// Accumulators, words or keys 2i and 2i + 1 of a stripe. 16 aligned bytes are one load.
struct [[gnu::may_alias]] alignas(16) Pair {
  u64 even;
  u64 odd;
};

PRESSO_HD inline Pair operator+(Pair a, Pair b) {
  return {a.even + b.even, a.odd + b.odd};
}

PRESSO_HD inline Pair secret_pair(u32 offset) {
  return {secret_word(offset), secret_word(offset + 8)};
}

/// What accumulators 2 * pair and 2 * pair + 1 begin with.
PRESSO_HD inline Pair start_pair(u32 pair) {
  static constexpr Pair kStart[4] = {
      {kPrime32C, kPrime1}, {kPrime2, kPrime3}, {kPrime4, kPrime32B}, {kPrime5, kPrime32A}};
  return kStart[pair];
}

/// 32 x 32 bits: on a GPU one wide multiplication, which also adds.
PRESSO_HD inline u64 keyed_product(u64 word, u64 key) {
  const u64 keyed = word ^ key;
  return u64{static_cast<u32>(keyed)} * static_cast<u32>(keyed >> 32);
}

PRESSO_HD inline void accumulate(Pair& sums, Pair words, Pair keys) {
  sums.even += keyed_product(words.even, keys.even) + words.odd;
  sums.odd += keyed_product(words.odd, keys.odd) + words.even;
}

/// The keys of a segment of 1 KiB, in the order of its words.
struct SegmentKeyTable {
  Pair pairs[kRoundStripes * kStripeBytes / kPairBytes];
};

PRESSO_HD constexpr SegmentKeyTable segment_key_table() {
  const Secret secret = default_secret();
  SegmentKeyTable table{};
  for (u32 i = 0; i < kRoundStripes * kStripeBytes / kPairBytes; ++i) {
    const u32 stripe = i * kPairBytes / kStripeBytes;
    const u32 key =
        (stripe + 1 == kRoundStripes ? kLastStripeKey : 8 * stripe) + i * kPairBytes % kStripeBytes;
    table.pairs[i] = {word_of(secret, key), word_of(secret, key + 8)};
  }
  return table;
}

/// The key of the pair of words at offset `at` of a segment.
PRESSO_HD inline Pair segment_key(u32 at) {
  static constexpr SegmentKeyTable kTable = segment_key_table();
  return kTable.pairs[at / kPairBytes];
}

PRESSO_HD inline u64 scrambled(u64 sum, u64 key) {
  return (sum ^ sum >> 47 ^ key) * kPrime32A;
}
/// Scrambles a pair of accumulators, which is due after each full round.
PRESSO_HD inline void scramble(Pair& sums, u32 pair) {
  const Pair keys = secret_pair(kScrambleKey + kPairBytes * pair);
  sums = {scrambled(sums.even, keys.even), scrambled(sums.odd, keys.odd)};
}

/// The hash is avalanche(bytes * kPrime1 + the four pairs' folds).
PRESSO_HD inline u64 fold_pair(Pair sums, u32 pair) {
  const Pair keys = secret_pair(kFinishKey + kPairBytes * pair);
  return multiply_fold(sums.even ^ keys.even, sums.odd ^ keys.odd);
}

// --- readers

PRESSO_HD inline bool is_aligned(const Byte* at, u32 bytes) {
  return reinterpret_cast<std::uintptr_t>(at) % bytes == 0;
}

/// A word of aligned memory that may have been written as something else.
template <class T>
PRESSO_HD inline T load_aligned(const Byte* from) {
#ifdef __CUDACC__
  return *reinterpret_cast<const T*>(from);
#else
  using Alias [[gnu::may_alias]] = T;
  return *reinterpret_cast<const Alias*>(from);
#endif
}
PRESSO_HD inline Pair load_pair(const Byte* from) {
  return *reinterpret_cast<const Pair*>(from);
}

/// Bytes at any address. Where words are not aligned, of smaller loads.
struct ByteReader {
  const Byte* from;

  PRESSO_HD u32 byte(u32 at) const { return from[at]; }
  PRESSO_HD u32 word32(u32 at) const {
    if (is_aligned(from + at, 4)) return load_aligned<u32>(from + at);
    return byte(at) | byte(at + 1) << 8 | byte(at + 2) << 16 | byte(at + 3) << 24;
  }
  PRESSO_HD u64 word64(u32 at) const {
    if (is_aligned(from + at, 8)) return load_aligned<u64>(from + at);
    return word32(at) | u64{word32(at + 4)} << 32;
  }
};

/// A small array of words, such as a header in registers. Offsets must be multiples of 4.
struct WordReader {
  const u32* words;

  PRESSO_HD u32 word32(u32 at) const { return words[at / 4]; }
  PRESSO_HD u64 word64(u32 at) const { return word32(at) | u64{word32(at + 4)} << 32; }
};

// --- the algorithm by length

template <class Reader>
PRESSO_HD inline u64 hash_1_to_3(const Reader& from, u32 size) {
  const u32 ends = from.byte(0) << 16 | from.byte(size - 1);
  const u32 word = ends | from.byte(size / 2) << 24 | size << 8;
  return avalanche_short(word ^ ((secret_word(0) ^ secret_word(0) >> 32) & 0xFFFFFFFFu));
}

template <class Reader>
PRESSO_HD inline u64 hash_4_to_8(const Reader& from, u32 size) {
  u64 value = from.word32(size - 4) + (u64{from.word32(0)} << 32);
  value ^= secret_word(8) ^ secret_word(16);
  value ^= rotate_left(value, 49) ^ rotate_left(value, 24);
  value *= kShortPrime;
  value ^= (value >> 35) + size;
  value *= kShortPrime;
  return value ^ value >> 28;
}

template <class Reader>
PRESSO_HD inline u64 hash_9_to_16(const Reader& from, u32 size) {
  const u64 low = from.word64(0) ^ secret_word(24) ^ secret_word(32);  // allow(bare-32): bytes
  const u64 high = from.word64(size - 8) ^ secret_word(40) ^ secret_word(48);
  return avalanche(size + swap_bytes(low) + high + multiply_fold(low, high));
}

template <class Reader>
PRESSO_HD inline u64 hash_up_to_16(const Reader& from, u32 size) {
  if (size > 8) return hash_9_to_16(from, size);
  if (size > 3) return hash_4_to_8(from, size);
  if (size > 0) return hash_1_to_3(from, size);
  return avalanche_short(secret_word(56) ^ secret_word(64));
}

template <class Reader>
PRESSO_HD inline u64 mix_16_bytes(const Reader& from, u32 at, u32 key) {
  return multiply_fold(from.word64(at) ^ secret_word(key),
                       from.word64(at + 8) ^ secret_word(key + 8));
}

template <class Reader>
PRESSO_HD inline u64 hash_17_to_128(const Reader& from, u32 size) {
  u64 sum = size * kPrime1;
  for (u32 i = 0; i <= (size - 1) / 32; ++i) {                    // allow(bare-32): bytes
    sum += mix_16_bytes(from, 16 * i, 32 * i);                    // allow(bare-32): bytes
    sum += mix_16_bytes(from, size - 16 * (i + 1), 32 * i + 16);  // allow(bare-32): bytes
  }
  return avalanche(sum);
}

template <class Reader>
PRESSO_HD inline u64 hash_129_to_240(const Reader& from, u32 size) {
  u64 sum = size * kPrime1;
  for (u32 i = 0; i < 8; ++i) sum += mix_16_bytes(from, 16 * i, 16 * i);
  sum = avalanche(sum);
  for (u32 i = 8; i < size / 16; ++i) sum += mix_16_bytes(from, 16 * i, 16 * (i - 8) + 3);
  sum += mix_16_bytes(from, size - 16, 136 - 17);
  return avalanche(sum);
}

/// The hash of at most kLongestFolded bytes.
template <class Reader>
PRESSO_HD inline u64 hash_folded(const Reader& from, u32 size) {
  if (size <= 16) return hash_up_to_16(from, size);
  return size <= 128 ? hash_17_to_128(from, size) : hash_129_to_240(from, size);
}

}  // namespace presso::gpu::xxh3
