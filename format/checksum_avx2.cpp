// SPDX-License-Identifier: MIT
// Content checksums (checksum.h) on 32-byte registers: four 64-bit words each. The loops are those
// of checksum_vector.h. Compiled with -mavx2 -mbmi -mbmi2, so nothing here may be called before
// cpu_level() has been asked.
#if defined(__x86_64__)
#include <immintrin.h>

#define XXH_INLINE_ALL
#define XXH_VECTOR XXH_AVX2
#include <xxhash.h>

#include "format/checksum_vector.h"

namespace presso::checksum_detail {
namespace {

struct Avx2 {
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

}  // namespace

void hash_segments_avx2(const Byte* plain, std::size_t count, std::uint64_t* hashes) {
  hash_segments<Avx2>(plain, count, hashes);
}

std::uint64_t hash_avx2(Bytes bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace presso::checksum_detail
#endif
