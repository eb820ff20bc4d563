// SPDX-License-Identifier: MIT
// 16 strings at a time. Compiled with -mavx512bw -mavx512vl -mbmi -mbmi2 -mpopcnt.
#if defined(__x86_64__)
#include <immintrin.h>

#include <bit>

#include "lab/strings/regex_kernels_vector.h"

namespace presso::strings {
namespace {

struct Avx512 {
  using Int = __m512i;
  using Mask = __mmask16;
  static constexpr std::int32_t kLanes = 16;

  static Int splat(std::int32_t value) { return _mm512_set1_epi32(value); }
  static Int iota() {
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  }
  static Int add(Int a, Int b) { return _mm512_add_epi32(a, b); }
  static Int sub(Int a, Int b) { return _mm512_sub_epi32(a, b); }
  static Int multiply(Int a, Int b) { return _mm512_mullo_epi32(a, b); }
  static Int bit_and(Int a, Int b) { return _mm512_and_si512(a, b); }
  static Int bit_or(Int a, Int b) { return _mm512_or_si512(a, b); }
  template <int kBits>
  static Int shift_left(Int a) {
    return _mm512_maskz_slli_epi32(all(), a, kBits);
  }
  template <int kBits>
  static Int shift_right(Int a) {
    return _mm512_maskz_srli_epi32(all(), a, kBits);
  }
  static Int shift_left_by(Int a, Int bits) { return _mm512_maskz_sllv_epi32(all(), a, bits); }
  static Int shift_right_by(Int a, Int bits) { return _mm512_maskz_srlv_epi32(all(), a, bits); }
  static Mask all() { return 0xFFFF; }
  static Mask greater(Int a, Int b) { return _mm512_cmpgt_epi32_mask(a, b); }
  static Mask equal(Int a, Int b) { return _mm512_cmpeq_epi32_mask(a, b); }
  static Mask both(Mask a, Mask b) { return static_cast<Mask>(a & b); }
  static Mask either(Mask a, Mask b) { return static_cast<Mask>(a | b); }
  static bool any(Mask a) { return a != 0; }
  static std::int32_t count(Mask a) { return std::popcount(a); }
  static Int blend(Mask mask, Int a, Int b) { return _mm512_mask_mov_epi32(b, mask, a); }

  /// 4 bytes at each place.
  static Int gather_bytes(const Byte* from, Int at) {
    return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), all(), at, from, 1);
  }
  static Int gather_bytes(Int other, Mask mask, const Byte* from, Int at) {
    return _mm512_mask_i32gather_epi32(other, mask, at, from, 1);
  }
  static Int gather_entries(Int other, Mask mask, const std::int32_t* from, Int at) {
    return _mm512_mask_i32gather_epi32(other, mask, at, from, 4);
  }

  /// Writes a whole register, of which count(mask) places count.
  static void store_selected(std::uint32_t* to, Mask mask, Int values) {
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(mask, values));
  }
  static void store(std::int32_t* to, Int values) { _mm512_storeu_si512(to, values); }
  /// `first`, `first` + 1, ... in the lanes of `mask`.
  static Int next_rows(Mask mask, Int rows, std::int32_t first) {
    return _mm512_mask_expand_epi32(rows, mask, add(iota(), splat(first)));
  }
};

}  // namespace

const RegexKernels<Table32View> kAvx512Regex32 = regex_kernels<Avx512, Table32View>();
const RegexKernels<Table8View> kAvx512Regex8 = regex_kernels<Avx512, Table8View>();

}  // namespace presso::strings
#endif
