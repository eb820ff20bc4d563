// SPDX-License-Identifier: MIT
// The filter kernels of integer_filter_kernels.h for CPUs that have AVX2 but not AVX-512: which of
// the 1,024 values of a vector lie in a range or in a set, as bits. AVX2 compares only signed
// numbers, so 2^31 is added to both sides. The results of 32 values are packed to bytes before they
// become bits. integer_filter_loop.h, which is included at the end, has the rest of the kernels.
#include <immintrin.h>

#include "decompress/columns/cpu/integer_filter_kernels.h"
#include "format/steps.h"

namespace presso {
namespace avx2 {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// Steps of 32 values in four registers of eight.
struct Lanes {
  static u64 join(u32 low, u32 high) { return low | u64{high} << 32; }
  static __m256i load(const u8* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }

  /// Turns 32 values that are 0 or -1 each into bits.
  static u32 bits_of(__m256i a, __m256i b, __m256i c, __m256i d) {
    const __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    // Packing interleaves the two halves of registers; this puts them in order.
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return static_cast<u32>(_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(bytes, order)));
  }

  // value - low <= span as one signed comparison.
  struct Bounds {
    static constexpr u32 kSign = u32{1} << 31;
    Bounds(u32 least, u32 steps)
        : low(_mm256_set1_epi32(static_cast<int>(least + kSign))),
          span(_mm256_set1_epi32(static_cast<int>(steps - kSign))) {}
    __m256i low;
    __m256i span;
  };

  /// For 8 words: the packed value of kWidth bits that begins at bit kShift, moved to the upper end
  /// of its word. The bits below it are undefined. If the value goes on in the next word of its
  /// lane, 128 bytes further on, it is put together from both.
  template <u32 kWidth, u32 kShift>
  static __m256i upper(const u8* words) {
    const __m256i word = load(words);
    if constexpr (kShift + kWidth == 32) return word;
    if constexpr (kShift + kWidth < 32) return _mm256_slli_epi32(word, 32 - kShift - kWidth);
    const __m256i next = _mm256_slli_epi32(load(words + 128), 64 - kShift - kWidth);
    return _mm256_or_si256(next, _mm256_srli_epi32(word, kShift + kWidth - 32));
  }

  /// -1 where a value lies outside of the bounds.
  template <u32 kWidth, u32 kShift>
  static __m256i outside(const u8* words, const Bounds& bounds) {
    const __m256i value = _mm256_sub_epi32(upper<kWidth, kShift>(words), bounds.low);
    return _mm256_cmpgt_epi32(value, bounds.span);
  }
  /// A bit for each value inside; inverted since AVX2 has only "greater".
  template <u32 kWidth, u32 kShift>
  static u32 range(const u8* words, const Bounds& bounds) {
    return ~bits_of(
        outside<kWidth, kShift>(words, bounds), outside<kWidth, kShift>(words + 32, bounds),
        outside<kWidth, kShift>(words + 64, bounds), outside<kWidth, kShift>(words + 96, bounds));
  }

  /// The set's table in registers: 32 words.
  struct Set {
    explicit Set(const u32* table) {
      for (u32 i = 0; i < 4; ++i) {
        words[i] = load(reinterpret_cast<const u8*>(table + 8 * i));
      }
    }
    __m256i words[4];
  };

  /// As upper(), moved to the lower end; the bits above the value are undefined.
  template <u32 kWidth, u32 kShift>
  static __m256i lower(const u8* words) {
    const __m256i word = load(words);
    if constexpr (kShift == 0) return word;
    const __m256i value = _mm256_srli_epi32(word, kShift);
    if constexpr (kShift + kWidth <= 32) return value;
    return _mm256_or_si256(value, _mm256_slli_epi32(load(words + 128), 32 - kShift));
  }

  /// The words of the set that hold the values' bits. `index`: value / 32 in its lower bits.
  template <u32 kWidth>
  static __m256i words_of(__m256i index, const Set& set) {
    const auto of = [&](u32 i) { return _mm256_permutevar8x32_epi32(set.words[i], index); };
    if constexpr (kWidth <= 5) return set.words[0];
    if constexpr (kWidth <= 8) return of(0);
    // Bits of the index choose by the sign.
    const __m256 fourth = _mm256_castsi256_ps(_mm256_slli_epi32(index, 28));
    const auto choose = [&](u32 a, u32 b) {
      return _mm256_blendv_ps(_mm256_castsi256_ps(of(a)), _mm256_castsi256_ps(of(b)), fourth);
    };
    if constexpr (kWidth == 9) return _mm256_castps_si256(choose(0, 1));
    const __m256 fifth = _mm256_castsi256_ps(_mm256_slli_epi32(index, 27));
    return _mm256_castps_si256(_mm256_blendv_ps(choose(0, 1), choose(2, 3), fifth));
  }

  /// -1 where a value is in the set.
  template <u32 kWidth, u32 kShift>
  static __m256i in_set(const u8* words, const Set& set) {
    const __m256i value = lower<kWidth, kShift>(words);
    const __m256i word = words_of<kWidth>(_mm256_srli_epi32(value, 5), set);
    // The value's bit is moved to the sign, and the sign over the whole word.
    const __m256i bit = _mm256_and_si256(value, _mm256_set1_epi32(31));
    const __m256i sign = _mm256_sllv_epi32(word, _mm256_xor_si256(bit, _mm256_set1_epi32(31)));
    return _mm256_srai_epi32(sign, 31);
  }
  /// A bit for each value in the set.
  template <u32 kWidth, u32 kShift>
  static u32 set(const u8* words, const Set& set) {
    return bits_of(in_set<kWidth, kShift>(words, set), in_set<kWidth, kShift>(words + 32, set),
                   in_set<kWidth, kShift>(words + 64, set),
                   in_set<kWidth, kShift>(words + 96, set));
  }
};

// Values of 1, 2, 4 and 8 bytes, a kernel for each. With 1 and 2 bytes a subtraction and an
// unsigned minimum stand in for the unsigned comparison that AVX2 lacks; with 4 and 8 a signed
// comparison does, as in Bounds.
void bytes_range(const ValueRange& range, u64* bits) {
  // min(x, span) == x stands for x <= span without a sign.
  const __m256i low = _mm256_set1_epi8(static_cast<char>(range.low));
  const __m256i span = _mm256_set1_epi8(static_cast<char>(range.span));
  const auto half = [&](u32 i) {
    const __m256i value = _mm256_sub_epi8(Lanes::load(range.values + 32 * i), low);
    const __m256i inside = _mm256_cmpeq_epi8(_mm256_min_epu8(value, span), value);
    return static_cast<u32>(_mm256_movemask_epi8(inside));
  };
  for (u32 i = 0; i < 16; ++i) bits[i] = Lanes::join(half(2 * i), half(2 * i + 1));
}

// Packing works within halves of a register, so quarters are put in order after it.
void halves_range(const ValueRange& range, u64* bits) {
  const __m256i low = _mm256_set1_epi16(static_cast<short>(range.low));
  const __m256i span = _mm256_set1_epi16(static_cast<short>(range.span));
  const auto inside = [&](u32 i) {
    const __m256i value = _mm256_sub_epi16(Lanes::load(range.values + 32 * i), low);
    return _mm256_cmpeq_epi16(_mm256_min_epu16(value, span), value);
  };
  const auto half = [&](u32 i) {
    const __m256i bytes = _mm256_packs_epi16(inside(2 * i), inside(2 * i + 1));
    return static_cast<u32>(_mm256_movemask_epi8(_mm256_permute4x64_epi64(bytes, 0xD8)));
  };
  for (u32 i = 0; i < 16; ++i) bits[i] = Lanes::join(half(2 * i), half(2 * i + 1));
}

/// A word of a bitmap from 16 masks of four bits.
template <class Mask>
u64 four_bits(const Mask& mask) {
  u64 word = 0;
  for (u32 i = 0; i < 16; ++i) word |= u64{static_cast<u32>(mask(i))} << (4 * i);
  return word;
}

// Unsigned comparison by moving both sides by 2^63, as Bounds does for 32 bits.
void longs_range(const ValueRange& range, u64* bits) {
  constexpr u64 kSign = u64{1} << 63;
  const __m256i low = _mm256_set1_epi64x(static_cast<long long>(range.low + kSign));
  const __m256i span = _mm256_set1_epi64x(static_cast<long long>(range.span - kSign));
  for (u32 i = 0; i < 16; ++i) {
    bits[i] = ~four_bits([&](u32 k) {
      const __m256i value = _mm256_sub_epi64(Lanes::load(range.values + 512 * i + 32 * k), low);
      return _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(value, span)));
    });
  }
}

// One value at a time, since AVX2's gathers are no faster than scalar loads here.
void value_set(const ValueSet& set, u64* bits) {
  for (u32 i = 0; i < 16; ++i) {
    u64 word = 0;
    for (u32 k = 0; k < 64; ++k) {
      u32 code;
      __builtin_memcpy(&code, set.values + 256 * i + 4 * k, sizeof code);
      const u64 bit = code < set.size ? set.wanted[code / 64] >> (code % 64) & 1 : 0;
      word |= bit << k;
    }
    bits[i] = word;
  }
}

// Ordered comparisons are false for NaN, which kNan adds.
template <bool kNan>
void floats_range(const RealRange& range, u64* bits) {
  const __m256 least = _mm256_set1_ps(static_cast<float>(range.least));
  const __m256 most = _mm256_set1_ps(static_cast<float>(range.most));
  const auto inside = [&](u32 i) {
    const __m256 value = _mm256_castsi256_ps(Lanes::load(range.values + 32 * i));
    __m256 found = _mm256_and_ps(_mm256_cmp_ps(value, least, _CMP_GE_OQ),
                                 _mm256_cmp_ps(value, most, _CMP_LE_OQ));
    if constexpr (kNan) found = _mm256_or_ps(found, _mm256_cmp_ps(value, value, _CMP_UNORD_Q));
    return _mm256_castps_si256(found);
  };
  const auto half = [&](u32 i) {
    return Lanes::bits_of(inside(4 * i), inside(4 * i + 1), inside(4 * i + 2), inside(4 * i + 3));
  };
  for (u32 i = 0; i < 16; ++i) bits[i] = Lanes::join(half(2 * i), half(2 * i + 1));
}

template <bool kNan>
void doubles_range(const RealRange& range, u64* bits) {
  const __m256d least = _mm256_set1_pd(range.least);
  const __m256d most = _mm256_set1_pd(range.most);
  for (u32 i = 0; i < 16; ++i) {
    bits[i] = four_bits([&](u32 k) {
      const __m256d value = _mm256_castsi256_pd(Lanes::load(range.values + 512 * i + 32 * k));
      __m256d found = _mm256_and_pd(_mm256_cmp_pd(value, least, _CMP_GE_OQ),
                                    _mm256_cmp_pd(value, most, _CMP_LE_OQ));
      if constexpr (kNan) found = _mm256_or_pd(found, _mm256_cmp_pd(value, value, _CMP_UNORD_Q));
      return _mm256_movemask_pd(found);
    });
  }
}

#include "decompress/columns/cpu/integer_filter_loop.h"

}  // namespace
}  // namespace avx2

const FilterKernels FilterKernels::avx2 = {avx2::packed_range, avx2::packed_set, avx2::value_range,
                                           avx2::value_set,    avx2::real_range, avx2::spread_runs};

}  // namespace presso
