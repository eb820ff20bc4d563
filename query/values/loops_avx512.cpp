// SPDX-License-Identifier: MIT
// Loops over values for AVX-512. Tables of up to 16 entries are held in a register.
#include <immintrin.h>

#include "query/values/loops.h"

namespace presso::query {
namespace avx512 {

#include "query/values/loops_body.h"

/// Eight codes at a time; larger tables take the common loop.
void look_up_in_register(const u32* table, u32 entries, const u32* codes, u32 count, u64* to) {
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

constexpr ValueLoops with_register() {
  ValueLoops loops = kLoops;
  loops.look_up = look_up_in_register;
  return loops;
}
constexpr ValueLoops kWithRegister = with_register();

}  // namespace avx512

const ValueLoops& value_loops_avx512() {
  return avx512::kWithRegister;
}

}  // namespace presso::query
