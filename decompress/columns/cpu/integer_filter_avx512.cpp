// SPDX-License-Identifier: MIT
// The filter kernels of integer_filter_kernels.h for AVX-512, whose comparisons give masks: a bit
// for each row, without packing.
#include <immintrin.h>

#include "decompress/columns/cpu/integer_filter_kernels.h"
#include "format/steps.h"

namespace presso {
namespace avx512 {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// Steps of 32 values in two registers of sixteen.
struct Lanes {
  static u64 join(u32 low, u32 high) { return low | u64{high} << 32; }
  static __m512i load(const u8* from) { return _mm512_loadu_si512(from); }
  static u32 join_halves(__mmask16 low, __mmask16 high) {
    return static_cast<u32>(_mm512_kunpackw(high, low));
  }

  struct Bounds {
    Bounds(u32 least, u32 steps)
        : low(_mm512_set1_epi32(static_cast<int>(least))),
          span(_mm512_set1_epi32(static_cast<int>(steps))) {}
    __m512i low;
    __m512i span;
  };

  /// For 16 words: the packed value of kWidth bits that begins at bit kShift, moved to the upper
  /// end of its word. The bits below it are undefined.
  template <u32 kWidth, u32 kShift>
  static __m512i upper(const u8* words) {
    const __m512i word = load(words);
    if constexpr (kShift + kWidth == 32) return word;
    if constexpr (kShift + kWidth < 32) return _mm512_slli_epi32(word, 32 - kShift - kWidth);
    return _mm512_shldi_epi32(load(words + 128), word, 64 - kShift - kWidth);
  }

  /// value - low <= span as one unsigned comparison.
  template <u32 kWidth, u32 kShift>
  static __mmask16 range_half(const u8* words, const Bounds& bounds) {
    const __m512i value = _mm512_sub_epi32(upper<kWidth, kShift>(words), bounds.low);
    return _mm512_cmple_epu32_mask(value, bounds.span);
  }
  template <u32 kWidth, u32 kShift>
  static u32 range(const u8* words, const Bounds& bounds) {
    return join_halves(range_half<kWidth, kShift>(words, bounds),
                       range_half<kWidth, kShift>(words + 64, bounds));
  }

  /// The set's 32 words in two registers.
  struct Set {
    explicit Set(const u32* table)
        : low(_mm512_loadu_si512(table)), high(_mm512_loadu_si512(table + 16)) {}
    __m512i low;
    __m512i high;
  };

  /// As upper(), moved to the lower end. The bits above the value are undefined, which is harmless
  /// as the set's table repeats.
  template <u32 kWidth, u32 kShift>
  static __m512i lower(const u8* words) {
    const __m512i word = load(words);
    if constexpr (kShift == 0) return word;
    if constexpr (kShift + kWidth <= 32) return _mm512_srli_epi32(word, kShift);
    return _mm512_shrdi_epi32(word, load(words + 128), kShift);
  }

  /// Chooses each value's word by a permutation and rotates its bit to the lowest place. Up to
  /// 5 bits all words are alike, up to 9 the first register has them all.
  template <u32 kWidth, u32 kShift>
  static __mmask16 set_half(const u8* words, const Set& set) {
    const __m512i value = lower<kWidth, kShift>(words);
    __m512i word = set.low;
    if constexpr (kWidth > 9) {
      word = _mm512_permutex2var_epi32(set.low, _mm512_srli_epi32(value, 5), set.high);
    } else if constexpr (kWidth > 5) {
      word = _mm512_permutexvar_epi32(_mm512_srli_epi32(value, 5), set.low);
    }
    return _mm512_test_epi32_mask(_mm512_rorv_epi32(word, value), _mm512_set1_epi32(1));
  }
  template <u32 kWidth, u32 kShift>
  static u32 set(const u8* words, const Set& set) {
    return join_halves(set_half<kWidth, kShift>(words, set),
                       set_half<kWidth, kShift>(words + 64, set));
  }
};

// Here a comparison gives the word of the bitmap itself.
void bytes_range(const ValueRange& range, u64* bits) {
  const __m512i low = _mm512_set1_epi8(static_cast<char>(range.low));
  const __m512i span = _mm512_set1_epi8(static_cast<char>(range.span));
  for (u32 i = 0; i < 16; ++i) {
    const __m512i value = _mm512_sub_epi8(Lanes::load(range.values + 64 * i), low);
    bits[i] = _mm512_cmple_epu8_mask(value, span);
  }
}

void halves_range(const ValueRange& range, u64* bits) {
  // 32 values a register: two masks make a word.
  const __m512i low = _mm512_set1_epi16(static_cast<short>(range.low));
  const __m512i span = _mm512_set1_epi16(static_cast<short>(range.span));
  const auto half = [&](u32 i) {
    const __m512i value = _mm512_sub_epi16(Lanes::load(range.values + 64 * i), low);
    return static_cast<u32>(_mm512_cmple_epu16_mask(value, span));
  };
  for (u32 i = 0; i < 16; ++i) bits[i] = Lanes::join(half(2 * i), half(2 * i + 1));
}

/// A word of a bitmap from eight masks of eight values.
template <class Mask>
u64 eight_masks(const Mask& mask) {
  u64 word = 0;
  for (u32 i = 0; i < 8; ++i) word |= u64{mask(i)} << (8 * i);
  return word;
}

void longs_range(const ValueRange& range, u64* bits) {
  const __m512i low = _mm512_set1_epi64(static_cast<long long>(range.low));
  const __m512i span = _mm512_set1_epi64(static_cast<long long>(range.span));
  for (u32 i = 0; i < 16; ++i) {
    bits[i] = eight_masks([&](u32 k) {
      const __m512i value = Lanes::load(range.values + 512 * i + 64 * k);
      return _mm512_cmple_epu64_mask(_mm512_sub_epi64(value, low), span);
    });
  }
}

// Codes past the set are masked, so that the gather reads nothing outside of it.
void value_set(const ValueSet& set, u64* bits) {
  // The set's words are gathered as 32 bits, and rotated by the code's lower five.
  const __m512i size = _mm512_set1_epi32(static_cast<int>(set.size));
  const auto half = [&](u32 i) {
    const __m512i value = Lanes::load(set.values + 64 * i);
    const __mmask16 inside = _mm512_cmplt_epu32_mask(value, size);
    const __m512i word = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), inside,
                                                     _mm512_srli_epi32(value, 5), set.wanted, 4);
    return _mm512_test_epi32_mask(_mm512_rorv_epi32(word, value), _mm512_set1_epi32(1));
  };
  for (u32 i = 0; i < 16; ++i) {
    bits[i] = Lanes::join(Lanes::join_halves(half(4 * i), half(4 * i + 1)),
                          Lanes::join_halves(half(4 * i + 2), half(4 * i + 3)));
  }
}

template <bool kNan>
void floats_range(const RealRange& range, u64* bits) {
  const __m512 least = _mm512_set1_ps(static_cast<float>(range.least));
  const __m512 most = _mm512_set1_ps(static_cast<float>(range.most));
  const auto half = [&](u32 i) {
    const __m512 value = _mm512_loadu_ps(range.values + 64 * i);
    const __mmask16 above = _mm512_cmp_ps_mask(value, least, _CMP_GE_OQ);
    __mmask16 inside = _mm512_mask_cmp_ps_mask(above, value, most, _CMP_LE_OQ);
    if constexpr (kNan) inside |= _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
    return inside;
  };
  for (u32 i = 0; i < 16; ++i) {
    bits[i] = Lanes::join(Lanes::join_halves(half(4 * i), half(4 * i + 1)),
                          Lanes::join_halves(half(4 * i + 2), half(4 * i + 3)));
  }
}

template <bool kNan>
void doubles_range(const RealRange& range, u64* bits) {
  const __m512d least = _mm512_set1_pd(range.least);
  const __m512d most = _mm512_set1_pd(range.most);
  for (u32 i = 0; i < 16; ++i) {
    bits[i] = eight_masks([&](u32 k) {
      const __m512d value = _mm512_loadu_pd(range.values + 512 * i + 64 * k);
      const __mmask8 above = _mm512_cmp_pd_mask(value, least, _CMP_GE_OQ);
      __mmask8 inside = _mm512_mask_cmp_pd_mask(above, value, most, _CMP_LE_OQ);
      if constexpr (kNan) inside |= _mm512_cmp_pd_mask(value, value, _CMP_UNORD_Q);
      return inside;
    });
  }
}

#include "decompress/columns/cpu/integer_filter_loop.h"

}  // namespace
}  // namespace avx512

const FilterKernels FilterKernels::avx512 = {avx512::packed_range, avx512::packed_set,
                                             avx512::value_range,  avx512::value_set,
                                             avx512::real_range,   avx512::spread_runs};

}  // namespace presso
