// SPDX-License-Identifier: MIT
// XXH3 of many segments (FORMAT.md 8) and of long inputs, compiled once for each CPU level
// (presso_cpu_levels). The portable level has the library's code; the others have segments of
// their own, written once for both. All that differs there is V, the operations on registers:
//
//   Reg, kWords                      a register of kWords 64-bit words
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
// Nothing of the standard library is used (format/cpu_loops.h).
#if defined(PRESSO_AVX2)
#include <immintrin.h>
#endif

#define XXH_INLINE_ALL
#if defined(PRESSO_AVX512)
#define XXH_VECTOR XXH_AVX512
#elif defined(PRESSO_AVX2)
#define XXH_VECTOR XXH_AVX2
#endif
#include <xxhash.h>

#include "format/checksum_loops.h"

namespace presso::checksum_detail {
namespace PRESSO_LEVEL {
namespace {

#if defined(PRESSO_AVX2)
#if defined(PRESSO_AVX512)

struct V {
  using Reg = __m512i;
  static constexpr std::size_t kWords = 8;

  static Reg zero() { return _mm512_setzero_si512(); }
  static Reg load(const void* from) { return _mm512_loadu_si512(from); }
  static void store(void* to, Reg a) { _mm512_storeu_si512(to, a); }
  static Reg add(Reg a, Reg b) { return _mm512_add_epi64(a, b); }
  static Reg exclusive_or(Reg a, Reg b) { return _mm512_xor_si512(a, b); }
  static Reg multiply_halves(Reg a) {
    constexpr __mmask8 kAll = 0xFF;
    return _mm512_maskz_mul_epu32(kAll, a, _mm512_maskz_srli_epi64(kAll, a, 32));
  }
  static Reg swap_pairs(Reg a) {
    return _mm512_maskz_permutex_epi64(0xFF, a, _MM_SHUFFLE(2, 3, 0, 1));
  }
};

#else

struct V {
  using Reg = __m256i;
  static constexpr std::size_t kWords = 4;

  static Reg zero() { return _mm256_setzero_si256(); }
  static Reg load(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }
  static void store(void* to, Reg a) { _mm256_storeu_si256(static_cast<__m256i*>(to), a); }
  static Reg add(Reg a, Reg b) { return _mm256_add_epi64(a, b); }
  static Reg exclusive_or(Reg a, Reg b) { return _mm256_xor_si256(a, b); }
  static Reg multiply_halves(Reg a) { return _mm256_mul_epu32(a, _mm256_srli_epi64(a, 32)); }
  static Reg swap_pairs(Reg a) { return _mm256_permute4x64_epi64(a, _MM_SHUFFLE(2, 3, 0, 1)); }
};

#endif

// Its secret and the last steps are taken from inside the library, where XXH3 is final since 0.8.
static_assert(XXH_VERSION_NUMBER >= 800);

constexpr std::size_t kStripeBytes = 64;
constexpr std::size_t kStripes = kSegmentBytes / kStripeBytes;
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
  std::uint64_t hash = kSegmentBytes * XXH_PRIME64_1;
  for (std::size_t i = 0; i < kStripeWords; i += 2) {
    hash += XXH3_mul128_fold64(accumulators[i] ^ key[i], accumulators[i + 1] ^ key[i + 1]);
  }
  return XXH3_avalanche(hash);
}

/// One segment, which needs not be aligned.
inline std::uint64_t hash_segment(const std::uint8_t* from, const Keys& keys) {
  constexpr std::size_t kRegs = kStripeWords / V::kWords;
  alignas(kStripeBytes) std::uint64_t accumulators[kStripeWords];
#pragma GCC unroll 2
  for (std::size_t reg = 0; reg < kRegs; ++reg) {
    const std::size_t first = reg * V::kWords;
    V::Reg products = V::load(kStart + first);
    V::Reg words = V::zero();
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
[[gnu::flatten]] inline void hash_segments(const std::uint8_t* plain, std::size_t count,
                                           std::uint64_t* hashes) {
  const Keys keys = make_keys();
  for (std::size_t i = 0; i < count; ++i) {
    hashes[i] = hash_segment(plain + i * kSegmentBytes, keys);
  }
}

#else

void hash_segments(const std::uint8_t* plain, std::size_t count, std::uint64_t* hashes) {
  for (std::size_t i = 0; i < count; ++i) {
    hashes[i] = XXH3_64bits(plain + i * kSegmentBytes, kSegmentBytes);
  }
}

#endif

std::uint64_t hash(const std::uint8_t* bytes, std::size_t size) {
  return XXH3_64bits(bytes, size);
}

}  // namespace
}  // namespace PRESSO_LEVEL

const ChecksumLoops ChecksumLoops::PRESSO_LEVEL = {PRESSO_LEVEL::hash_segments, PRESSO_LEVEL::hash};

}  // namespace presso::checksum_detail
