// SPDX-License-Identifier: MIT
// The operations of kernels_vector.h on registers of 64 bytes. Compiled with -mavx512bw -mavx512vl
// -mbmi -mbmi2 -mpopcnt and called only on CPUs that have these.
#if defined(__x86_64__)
#include <immintrin.h>

#include "scan/bytes/kernels_vector.h"

namespace presso::scan_detail {
namespace {

/// Sets of byte positions are mask registers here.
struct Avx512 {
  using Reg = __m512i;
  using Hits = __mmask64;
  static constexpr std::size_t kBytes = 64;

  static Reg load(const Byte* from) { return _mm512_loadu_si512(from); }
  static Reg splat(Byte value) { return _mm512_set1_epi8(static_cast<char>(value)); }
  static Reg table16(const Byte* from) {
    return _mm512_maskz_broadcast_i32x4(0xFFFF,
                                        _mm_load_si128(reinterpret_cast<const __m128i*>(from)));
  }
  static Reg bit_and(Reg a, Reg b) { return _mm512_and_si512(a, b); }
  static Reg low_nibbles(Reg a) { return bit_and(a, splat(15)); }
  static Reg high_nibbles(Reg a) { return bit_and(_mm512_srli_epi16(a, 4), splat(15)); }
  static Reg shuffle(Reg table, Reg index) { return _mm512_shuffle_epi8(table, index); }
  static Hits equal(Reg a, Reg b) { return _mm512_cmpeq_epi8_mask(a, b); }
  static Hits nonzero(Reg a) { return _mm512_test_epi8_mask(a, a); }
  static Hits both(Hits a, Hits b) { return a & b; }
  static Hits either(Hits a, Hits b) { return a | b; }
  static bool any(Hits a) { return a != 0; }
  static std::uint64_t bits(Hits a) { return a; }
};

}  // namespace

const Kernels kAvx512Kernels = {find_pairs<Avx512>, find_nibbles<Avx512>, find_sequences<Avx512>,
                                count_byte<Avx512>};

}  // namespace presso::scan_detail
#endif
