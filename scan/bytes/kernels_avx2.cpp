// SPDX-License-Identifier: MIT
// The operations of kernels_vector.h on registers of 32 bytes. Compiled with -mavx2 -mbmi -mbmi2
// -mpopcnt and called only on CPUs that have these.
#if defined(__x86_64__)
#include <immintrin.h>

#include "scan/bytes/kernels_vector.h"

namespace presso::scan_detail {
namespace {

/// Sets of byte positions are registers here, with 0xFF for a hit.
struct Avx2 {
  using Reg = __m256i;
  using Hits = __m256i;
  static constexpr std::size_t kBytes = 32;

  static Reg load(const Byte* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static Reg splat(Byte value) { return _mm256_set1_epi8(static_cast<char>(value)); }
  static Reg table16(const Byte* from) {
    return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(from)));
  }
  static Reg bit_and(Reg a, Reg b) { return _mm256_and_si256(a, b); }
  static Reg low_nibbles(Reg a) { return bit_and(a, splat(15)); }
  static Reg high_nibbles(Reg a) { return bit_and(_mm256_srli_epi16(a, 4), splat(15)); }
  static Reg shuffle(Reg table, Reg index) { return _mm256_shuffle_epi8(table, index); }
  static Hits equal(Reg a, Reg b) { return _mm256_cmpeq_epi8(a, b); }
  static Hits nonzero(Reg a) {
    return _mm256_xor_si256(equal(a, _mm256_setzero_si256()), splat(0xFF));
  }
  static Hits both(Hits a, Hits b) { return _mm256_and_si256(a, b); }
  static Hits either(Hits a, Hits b) { return _mm256_or_si256(a, b); }
  static bool any(Hits a) { return _mm256_testz_si256(a, a) == 0; }
  static std::uint64_t bits(Hits a) { return static_cast<std::uint32_t>(_mm256_movemask_epi8(a)); }
};

}  // namespace

const Kernels kAvx2Kernels = {find_pairs<Avx2>, find_nibbles<Avx2>, find_sequences<Avx2>,
                              count_byte<Avx2>};

}  // namespace presso::scan_detail
#endif
