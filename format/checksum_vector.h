// SPDX-License-Identifier: MIT
// XXH3 of a segment, 1 KiB of a block's content (FORMAT.md 8), written once for all vector
// registers. Included by one source file per CPU level (checksum_avx2.cpp, checksum_avx512.cpp),
// each compiled with that level's flags, which defines the register type V:
//
//   V::Reg, V::kWords                a register of kWords 64-bit words
//   load, store                      at any alignment
//   add, exclusive_or                word by word
//   multiply_halves                  of each word: its low half times its high half
//   swap_pairs                       each word in the place of its neighbour
//
// XXH3 takes a segment in stripes of eight words. Each word is added to the accumulator of its
// neighbour; each word, combined with a key by exclusive or, adds the product of its two halves
// to its own accumulator. Here words and products are summed apart, so that neighbours are
// swapped once a segment instead of once a stripe. A segment has 16 stripes, too few for XXH3's
// scrambling step, which is therefore absent.
//
// Nothing from the standard library is called here: its inline functions, compiled for a CPU level,
// could be the copy that the linker keeps for the whole program.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "format/checksum_kernels.h"
#include "presso/checksum.h"

namespace presso::checksum_detail {
namespace {

// Its secret and the last steps are taken from inside the library, where XXH3 is final since 0.8.
static_assert(XXH_VERSION_NUMBER >= 800);

constexpr std::size_t kStripeBytes = 64;
constexpr std::size_t kStripes = kChecksumSegmentBytes / kStripeBytes;
constexpr std::size_t kStripeWords = kStripeBytes / sizeof(std::uint64_t);
/// Offsets in XXH3's secret, as xxHash 0.8 has them.
constexpr std::size_t kLastStripeKey = 121;
constexpr std::size_t kFinishKey = 11;

/// The parts of XXH3's secret that each stripe and the last step use, copied once for all segments,
/// so that loads are aligned.
struct Keys {
  alignas(kStripeBytes) std::uint64_t stripes[kStripes][kStripeWords];
  std::uint64_t finish[kStripeWords];
};

inline Keys make_keys() {
  Keys keys;
  for (std::size_t stripe = 0; stripe < kStripes; ++stripe) {
    const std::size_t at = stripe + 1 == kStripes ? kLastStripeKey : 8 * stripe;
    __builtin_memcpy(keys.stripes[stripe], XXH3_kSecret + at, kStripeBytes);
  }
  __builtin_memcpy(keys.finish, XXH3_kSecret + kFinishKey, kStripeBytes);
  return keys;
}

alignas(kStripeBytes) constexpr std::uint64_t kStart[kStripeWords] = {
    XXH_PRIME32_3, XXH_PRIME64_1, XXH_PRIME64_2, XXH_PRIME64_3,
    XXH_PRIME64_4, XXH_PRIME32_2, XXH_PRIME64_5, XXH_PRIME32_1};

/// The last step of XXH3: folds the eight accumulators, starting from the input's length.
inline std::uint64_t finish(const std::uint64_t* accumulators, const std::uint64_t* key) {
  std::uint64_t hash = kChecksumSegmentBytes * XXH_PRIME64_1;
  for (std::size_t i = 0; i < kStripeWords; i += 2) {
    hash += XXH3_mul128_fold64(accumulators[i] ^ key[i], accumulators[i + 1] ^ key[i + 1]);
  }
  return XXH3_avalanche(hash);
}

/// One segment, which needs not be aligned.
template <class V>
inline std::uint64_t hash_segment(const Byte* from, const Keys& keys) {
  constexpr std::size_t kRegs = kStripeWords / V::kWords;
  alignas(kStripeBytes) std::uint64_t accumulators[kStripeWords];
#pragma GCC unroll 2
  for (std::size_t reg = 0; reg < kRegs; ++reg) {
    const std::size_t first = reg * V::kWords;
    typename V::Reg products = V::load(kStart + first);
    typename V::Reg words = V::zero();
#pragma GCC unroll 16
    for (std::size_t stripe = 0; stripe < kStripes; ++stripe) {
      const auto plain = V::load(from + stripe * kStripeBytes + first * sizeof(std::uint64_t));
      const auto keyed = V::exclusive_or(plain, V::load(keys.stripes[stripe] + first));
      words = V::add(words, plain);
      products = V::add(products, V::multiply_halves(keyed));
    }
    V::store(accumulators + first, V::add(products, V::swap_pairs(words)));
  }
  return finish(accumulators, keys.finish);
}

/// Flattened, so that the register type's functions are inlined even where optimisation is for
/// size.
template <class V>
[[gnu::flatten]] inline void hash_segments(const Byte* plain, std::size_t count,
                                           std::uint64_t* hashes) {
  const Keys keys = make_keys();
  for (std::size_t i = 0; i < count; ++i) {
    hashes[i] = hash_segment<V>(plain + i * kChecksumSegmentBytes, keys);
  }
}

}  // namespace
}  // namespace presso::checksum_detail
