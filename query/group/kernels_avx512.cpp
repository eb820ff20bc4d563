// SPDX-License-Identifier: MIT
// The loops of kernels_loop.h, compiled with AVX-512 (flags are in query/CMakeLists.txt), except
// for sums of up to eight groups: each group has a register, to which eight rows are added at a
// time under a mask. No row then waits for a place in memory that the row before has just written.
#include <immintrin.h>

#include "query/group/kernels.h"

namespace presso::query::grouping {
namespace avx512 {

#include "query/group/kernels_loop.h"

constexpr u32 kRegisters = 8;

/// Adds up the values of at most kGroups groups, each in a register of its own.
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
void sum_fewer(const u32* ids, const i64* values, u32 count, u32 groups, i64* sums) {
  if (groups > kRegisters) return sum_few(ids, values, count, groups, sums);
  if (groups <= 2) return sum_in_registers<2>(ids, values, count, groups, sums);
  if (groups <= 4) return sum_in_registers<4>(ids, values, count, groups, sums);
  if (groups <= 6) return sum_in_registers<6>(ids, values, count, groups, sums);
  return sum_in_registers<8>(ids, values, count, groups, sums);
}

constexpr Kernels with_registers() {
  Kernels kernels = kKernels;
  kernels.sum_few = sum_fewer;
  return kernels;
}
constexpr Kernels kWithRegisters = with_registers();

}  // namespace avx512

const Kernels& kernels_avx512() {
  return avx512::kWithRegisters;
}

}  // namespace presso::query::grouping
