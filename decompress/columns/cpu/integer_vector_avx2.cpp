// SPDX-License-Identifier: MIT
// Vectors of integers on AVX2: the common loop compiled for this level, and its gather of run
// values.
#include "decompress/columns/cpu/integer_vector.h"

#include <immintrin.h>

namespace presso {
namespace avx2 {

/// Writes four 8-byte values, those at the places in the lowest four bytes of `places`, each
/// below 4.
inline void pick_four(const std::uint8_t* values, __m128i places, std::uint8_t* to) {
  const __m256i twice = _mm256_cvtepu8_epi64(_mm_add_epi8(places, places));
  const __m256i halves =
      _mm256_or_si256(twice, _mm256_slli_epi64(_mm256_add_epi64(twice, _mm256_set1_epi64x(1)), 32));
  const __m256i from = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(from, halves));
}

/// Eight values by a permutation; 8-byte values take two halves.
template <class T>
inline void pick_eight(const std::uint8_t* values, const std::uint8_t* places, std::uint8_t* to) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(places));
  if constexpr (sizeof(T) == 8) {  // of each four rows, the values are among four
    const __m128i second =
        _mm_sub_epi8(_mm_srli_epi64(bytes, 32), _mm_set1_epi8(static_cast<char>(places[4])));
    pick_four(values, bytes, to);
    pick_four(values + 8 * places[4], second, to + 32);
  } else {
    const __m256i from = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_permutevar8x32_epi32(from, _mm256_cvtepu8_epi32(bytes)));
  }
}

#include "decompress/columns/cpu/integer_vector_loop.h"

}  // namespace avx2

void decode_integer_vector_avx2(const IntegerVectorJob& job) {
  avx2::decode_integer_vector(job);
}

}  // namespace presso
