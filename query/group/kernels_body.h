// SPDX-License-Identifier: MIT
// The inner loops of grouping, compiled once for each CPU level (presso_cpu_levels). Nothing of the
// standard library is used (format/cpu_loops.h). These are plain loops that compilers turn into
// vector code; only at AVX-512 have the sums of a few groups intrinsics.
#if defined(PRESSO_AVX512)
#include <immintrin.h>
#endif

#include "query/group/kernels.h"

namespace presso::query::grouping {
namespace PRESSO_LEVEL {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

/// A copy of hash_word(), so that it is compiled for the level.
/// The constants are those of splitmix64 (Steele, Lea and Flood 2014).
inline void hash_words(const u64* words, u32 count, u64* out) {
  for (u32 i = 0; i < count; ++i) {
    u64 hash = words[i] ^ 0x9E3779B97F4A7C15u;  // as hash_word()
    hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
    hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
    out[i] = hash ^ (hash >> 31);
  }
}

inline u64 greatest(const u64* words, u32 count) {
  u64 result = 0;
  for (u32 i = 0; i < count; ++i) result = words[i] > result ? words[i] : result;
  return result;
}

/// The caller has seen by greatest() that all words fit.
inline void narrow(const u64* words, u32 count, u32* out) {
  for (u32 i = 0; i < count; ++i) out[i] = static_cast<u32>(words[i]);
}

/// Counting in 64 bits keeps the vector lanes as wide as the words.
inline u32 changes(const u64* words, u32 count) {
  u64 result = 0;
  for (u32 i = 1; i < count; ++i) result += words[i] != words[i - 1] ? 1 : 0;
  return static_cast<u32>(result);
}

/// 0 if the words ascend; equal neighbours are allowed.
inline u32 descents(const u64* words, u32 count) {
  u64 result = 0;
  for (u32 i = 1; i < count; ++i) result += words[i] < words[i - 1] ? 1 : 0;
  return static_cast<u32>(result);
}

/// Every place is written, and the index advances only at a change, which avoids a branch.
inline u32 run_ends(const u64* words, u32 count, u32* ends) {
  u32 runs = 0;
  for (u32 i = 1; i < count; ++i) {
    ends[runs] = i;
    runs += words[i] != words[i - 1] ? 1 : 0;
  }
  if (count != 0) ends[runs++] = count;
  return runs;
}

/// Ors the bits that differ from the sign, instead of comparing values; the result is a power of
/// two.
inline u64 magnitude(const i64* values, u32 count) {
  i64 bits = 0;
  i64 any = 0;
  for (u32 i = 0; i < count; ++i) {
    bits |= values[i] ^ (values[i] >> 63);
    any |= values[i];
  }
  if (any == 0) return 0;
  if (bits == 0) return 1;  // all values are 0 or -1
  const unsigned length = 64 - static_cast<unsigned>(__builtin_clzll(static_cast<u64>(bits)));
  return u64{1} << length;  // -2^length is as far from 0 as it gets
}

/// May wrap around; NarrowSums knows when it cannot.
inline i64 sum(const i64* values, u32 count) {
  u64 result = 0;
  for (u32 i = 0; i < count; ++i) result += static_cast<u64>(values[i]);
  return static_cast<i64>(result);
}

/// Several copies of the sums take turns, so that a row need not wait for the addition of the row
/// before. The copies of a group lie together, so only as many are cleared as there are groups.
/// With the most groups they take 4 KiB of the stack, which stay in the L1 cache.
constexpr u32 kCopies = 8;
constexpr u32 kGroupLimit = 64;

inline void sum_few(const u32* ids, const i64* values, u32 count, u32 groups, i64* sums) {
  u64 copies[kCopies * kGroupLimit];
  for (u32 i = 0; i < kCopies * groups; ++i) copies[i] = 0;
  u64 i = 0;
  for (; i + kCopies <= count; i += kCopies) {
#pragma GCC unroll 8
    for (u32 copy = 0; copy < kCopies; ++copy) {
      copies[u64{ids[i + copy]} * kCopies + copy] += static_cast<u64>(values[i + copy]);
    }
  }
  for (; i < count; ++i) copies[u64{ids[i]} * kCopies] += static_cast<u64>(values[i]);
  for (u32 group = 0; group < groups; ++group) {
    u64 result = static_cast<u64>(sums[group]);
    for (u32 copy = 0; copy < kCopies; ++copy) result += copies[group * kCopies + copy];
    sums[group] = static_cast<i64>(result);
  }
}

/// As sum_few(), with 32-bit counts.
inline void count_few(const u32* ids, u32 count, u32 groups, u32* counts) {
  u32 copies[kCopies * kGroupLimit];
  for (u32 i = 0; i < kCopies * groups; ++i) copies[i] = 0;
  u64 i = 0;
  for (; i + kCopies <= count; i += kCopies) {
#pragma GCC unroll 8
    for (u32 copy = 0; copy < kCopies; ++copy) ++copies[u64{ids[i + copy]} * kCopies + copy];
  }
  for (; i < count; ++i) ++copies[u64{ids[i]} * kCopies];
  for (u32 group = 0; group < groups; ++group) {
    for (u32 copy = 0; copy < kCopies; ++copy) counts[group] += copies[group * kCopies + copy];
  }
}

/// Runs are at least two rows on average, or the caller would not have looked for them.
inline void sum_runs(const i64* values, const u32* ends, u32 runs, i64* sums) {
  u32 row = 0;
  for (u32 run = 0; run < runs; ++run) {
    u64 result = 0;
    for (; row < ends[run]; ++row) result += static_cast<u64>(values[row]);
    sums[run] = static_cast<i64>(result);
  }
}

/// The mask is made of the bit instead of a branch.
inline void zero_nulls(const i64* values, const u64* validity, u32 count, i64* out) {
  for (u32 i = 0; i < count; ++i) {
    const u64 valid = validity[i / 64] >> (i % 64) & 1;
    out[i] = values[i] & -static_cast<i64>(valid);
  }
}

/// Adding and subtracting 1.5 * 2^(52 + k) rounds to a multiple of 2^k, and the difference is exact
/// (Dekker 1971). The rest after the coarser limbs is rounded to units; an even number of units was
/// subtracted before, so ties go to the even unit of the whole value.
inline unsigned split_doubles(const double* values, u32 count, DoubleScale scale,
                              i64* const* limbs) {
  constexpr double kUnits = 0x1.8p52;
  constexpr double kMiddle = 0x1.8p94;
  constexpr double kHigh = 0x1.8p136;
  u64 outside = 0;
  u64 small = 0;
  for (u32 i = 0; i < count; ++i) {
    const double units = values[i] * scale.first * scale.second;
    outside |= (units < 0x1p126 && units > -0x1p126) ? 0 : 1;
    small |= (units < 0x1p52 && units > -0x1p52 && values[i] != 0) ? 1 : 0;
  }
  if (outside != 0) return kOutside;
  i64* const low = limbs[0];
  i64* const middle = limbs[1];
  i64* const high = limbs[2];
  // The bits of (x + constant) are those of the constant plus the multiple.
  i64 low_bits, middle_bits, high_bits;
  __builtin_memcpy(&low_bits, &kUnits, 8);
  __builtin_memcpy(&middle_bits, &kMiddle, 8);
  __builtin_memcpy(&high_bits, &kHigh, 8);
  for (u32 i = 0; i < count; ++i) {
    const double units = values[i] * scale.first * scale.second;
    const double with_high = units + kHigh;
    const double rest = units - (with_high - kHigh);
    const double with_middle = rest + kMiddle;
    const double last = rest - (with_middle - kMiddle);
    const double with_low = last + kUnits;
    i64 bits;
    __builtin_memcpy(&bits, &with_high, 8);
    high[i] = bits - high_bits;
    __builtin_memcpy(&bits, &with_middle, 8);
    middle[i] = bits - middle_bits;
    __builtin_memcpy(&bits, &with_low, 8);
    low[i] = bits - low_bits;
  }
  return small != 0 ? kSmall : 0;
}

/// The words of a bitmap before a place are summed up in `before`; the place's own word needs a
/// count.
inline void ranks(const u64* places, u32 count, const u64* bits, const u64* before, u64* out) {
  for (u32 i = 0; i < count; ++i) {
    const u64 word = places[i] / 64;
    const u64 below = (u64{1} << (places[i] % 64)) - 1;
    out[i] = before[word] + static_cast<unsigned>(__builtin_popcountll(bits[word] & below));
  }
}

/// The neutral value is returned for an empty vector.
inline i64 least(const i64* values, u32 count) {
  i64 result = 0x7FFFFFFFFFFFFFFF;
  for (u32 i = 0; i < count; ++i) result = values[i] < result ? values[i] : result;
  return result;
}

inline i64 most(const i64* values, u32 count) {
  i64 result = -0x7FFFFFFFFFFFFFFF - 1;
  for (u32 i = 0; i < count; ++i) result = values[i] > result ? values[i] : result;
  return result;
}

#if defined(PRESSO_AVX512)

constexpr u32 kRegisters = 8;

/// For up to kGroups groups. Each group has a register, to which eight rows are added at a time
/// under a mask. No row then waits for a place in memory that the row before has just written.
template <u32 kGroups>
void sum_in_registers(const u32* ids, const i64* values, u32 count, u32 groups, i64* sums) {
  __m512i results[kGroups];
#pragma GCC unroll 8
  for (u32 group = 0; group < kGroups; ++group) results[group] = _mm512_setzero_si512();
  u32 row = 0;
  for (; row + 8 <= count; row += 8) {
    const __m256i id = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(ids + row));
    const __m512i value = _mm512_loadu_si512(values + row);
#pragma GCC unroll 8
    for (u32 group = 0; group < kGroups; ++group) {
      const __mmask8 mask = _mm256_cmpeq_epi32_mask(id, _mm256_set1_epi32(static_cast<int>(group)));
      results[group] = _mm512_mask_add_epi64(results[group], mask, results[group], value);
    }
  }
  for (u32 group = 0; group < groups; ++group) {
    u64 lanes[8];
    _mm512_storeu_si512(lanes, results[group]);
    u64 result = static_cast<u64>(sums[group]);
    for (const u64 lane : lanes) result += lane;
    sums[group] = static_cast<i64>(result);
  }
  for (; row < count; ++row) {
    i64& sum = sums[ids[row]];
    sum = static_cast<i64>(static_cast<u64>(sum) + static_cast<u64>(values[row]));
  }
}

/// Each register costs a comparison for every row, so their number follows the groups in steps of
/// two.
inline void sum_of_few(const u32* ids, const i64* values, u32 count, u32 groups, i64* sums) {
  if (groups > kRegisters) return sum_few(ids, values, count, groups, sums);
  if (groups <= 2) return sum_in_registers<2>(ids, values, count, groups, sums);
  if (groups <= 4) return sum_in_registers<4>(ids, values, count, groups, sums);
  if (groups <= 6) return sum_in_registers<6>(ids, values, count, groups, sums);
  return sum_in_registers<8>(ids, values, count, groups, sums);
}

#else

constexpr auto sum_of_few = sum_few;

#endif

constexpr Kernels kKernels = {hash_words,    greatest, narrow,     run_ends,  changes,  descents,
                              magnitude,     sum,      sum_of_few, count_few, sum_runs, zero_nulls,
                              split_doubles, ranks,    least,      most};

}  // namespace PRESSO_LEVEL

const Kernels Kernels::PRESSO_LEVEL = PRESSO_LEVEL::kKernels;

}  // namespace presso::query::grouping
