// SPDX-License-Identifier: MIT
// Vectors of integers on AVX-512: the common loop compiled for this level, and its gather of
// run values.
#include "decompress/columns/cpu/integer_vector.h"

#include <immintrin.h>

namespace presso {
namespace avx512 {

/// Eight values by one permutation.
template <class T>
inline void pick_eight(const std::uint8_t* values, const std::uint8_t* places, std::uint8_t* to) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(places));
  if constexpr (sizeof(T) == 8) {
    const __m512i from = _mm512_loadu_si512(values);
    _mm512_storeu_si512(to, _mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(bytes), from));
  } else {
    const __m256i from = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_permutevar8x32_epi32(from, _mm256_cvtepu8_epi32(bytes)));
  }
}

#include "decompress/columns/cpu/integer_vector_loop.h"

}  // namespace avx512

void decode_integer_vector_avx512(const IntegerVectorJob& job) {
  avx512::decode_integer_vector(job);
}

}  // namespace presso
