// SPDX-License-Identifier: MIT
// The loops of loops.h, compiled once for each CPU level (presso_cpu_levels). Nothing of the
// standard library is used (format/cpu_loops.h). Compilers turn the loops into vector code; only
// at AVX-512 has one of them intrinsics.
#if defined(PRESSO_AVX512)
#include <immintrin.h>
#endif

#include "query/values/loops.h"

namespace presso::query {
namespace PRESSO_LEVEL {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

inline void add(const u64* a, const u64* b, u32 count, u64* to) {
  for (u64 i = 0; i < count; ++i) to[i] = a[i] + b[i];
}

inline void subtract(const u64* a, const u64* b, u32 count, u64* to) {
  for (u64 i = 0; i < count; ++i) to[i] = a[i] - b[i];
}

inline void multiply(const u64* a, const u64* b, u32 count, u64* to) {
  for (u64 i = 0; i < count; ++i) to[i] = a[i] * b[i];
}

inline void widen(const u32* from, u32 count, u64* to) {
  for (u64 i = 0; i < count; ++i) to[i] = from[i];
}

/// A vector gather is no faster here, so the compiler is kept from making one.
inline void look_up(const u32* table, u32, const u32* codes, u32 count, u64* to) {
#pragma GCC unroll 1
  for (u64 i = 0; i < count; ++i) {
    to[i] = table[codes[i]];
    __asm__ volatile("");
  }
}

inline void offsets(const u64* values, u64 least, u32 count, u64* to) {
  for (u64 i = 0; i < count; ++i) to[i] = values[i] - least;
}

inline void add_digits(const u64* values, u64 least, u64 stride, u32 count, u64* to) {
  for (u64 i = 0; i < count; ++i) to[i] += (values[i] - least) * stride;
}

#if defined(PRESSO_AVX512)

/// Takes eight codes at a time from a table of up to 16 entries that is held in a register; larger
/// tables take the common loop.
inline void look_up_values(const u32* table, u32 entries, const u32* codes, u32 count, u64* to) {
  if (entries > 16) return look_up(table, entries, codes, count, to);
  const __m512i held = _mm512_loadu_si512(table);
  u32 i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m256i code = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes + i));
    const __m512i found = _mm512_permutexvar_epi32(_mm512_castsi256_si512(code), held);
    _mm512_storeu_si512(to + i, _mm512_cvtepu32_epi64(_mm512_castsi512_si256(found)));
  }
  look_up(table, entries, codes + i, count - i, to + i);
}

#else

constexpr auto look_up_values = look_up;

#endif

}  // namespace PRESSO_LEVEL

const ValueLoops ValueLoops::PRESSO_LEVEL = {
    PRESSO_LEVEL::add,       PRESSO_LEVEL::subtract,       PRESSO_LEVEL::multiply,
    PRESSO_LEVEL::widen,     PRESSO_LEVEL::look_up_values, PRESSO_LEVEL::offsets,
    PRESSO_LEVEL::add_digits};

}  // namespace presso::query
