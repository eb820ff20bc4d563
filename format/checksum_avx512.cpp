// SPDX-License-Identifier: MIT
// Content checksums (checksum.h) on 64-byte registers: a stripe of eight 64-bit words in each. The
// loops are those of checksum_vector.h. Compiled with -mavx512f -mbmi -mbmi2, so nothing here may
// be called before cpu_level() has been asked.
#if defined(__x86_64__)
#include <immintrin.h>

#define XXH_INLINE_ALL
#define XXH_VECTOR XXH_AVX512
#include <xxhash.h>

#include "format/checksum_vector.h"

namespace presso::checksum_detail {
namespace {

struct Avx512 {
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

}  // namespace

void hash_segments_avx512(const Byte* plain, std::size_t count, std::uint64_t* hashes) {
  hash_segments<Avx512>(plain, count, hashes);
}

std::uint64_t hash_avx512(Bytes bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace presso::checksum_detail
#endif
