// SPDX-License-Identifier: MIT
// The inner loops of grouping that gain from wide registers, one set for each CPU level; all levels
// give the same results. Loops that access tables at random are not among them, as those wait for
// memory at every level. Tested by tests/unit/query/group/kernels_test.cpp at every level.
#pragma once

#include <cstdint>

namespace presso::query::grouping {

/// Up to this number of groups, the sums of a vector are made in registers or in several copies at
/// once; otherwise each addition would wait for the one before at the same place.
constexpr std::uint32_t kFewGroups = 64;

/// How doubles become three integers (limbs): x = (a[2] * 2^84 + a[1] * 2^42 + a[0]) * 2^exponent,
/// rounded to nearest, ties to even. The power of two is applied as two factors, as it may be no
/// double.
struct DoubleScale {
  double first = 1;
  double second = 1;
};
/// Bits of a limb, and the number of limbs: together 126 bits.
constexpr unsigned kLimbBits = 42;
constexpr std::uint32_t kLimbs = 3;
// Results of split_doubles().
constexpr unsigned kOutside = 1;
constexpr unsigned kSmall = 2;

/// The loops of one level. Arrays do not overlap, unless said otherwise.
struct Kernels {
  /// out[i] = hash_word(words[i])
  void (*hash_words)(const std::uint64_t* words, std::uint32_t count, std::uint64_t* out);
  /// The greatest word; 0 if there is none.
  std::uint64_t (*greatest)(const std::uint64_t* words, std::uint32_t count);
  void (*narrow)(const std::uint64_t* words, std::uint32_t count, std::uint32_t* out);
  /// Writes where runs of equal words end; returns the number of runs.
  std::uint32_t (*run_ends)(const std::uint64_t* words, std::uint32_t count, std::uint32_t* ends);
  /// Returns how many words differ from the one before.
  std::uint32_t (*changes)(const std::uint64_t* words, std::uint32_t count);
  /// Returns how many words are less than the one before.
  std::uint32_t (*descents)(const std::uint64_t* words, std::uint32_t count);
  /// Returns a bound of |value|: not less than any, and at most twice the greatest; 0 if all are 0.
  std::uint64_t (*magnitude)(const std::int64_t* values, std::uint32_t count);
  /// Sum modulo 2^64.
  std::int64_t (*sum)(const std::int64_t* values, std::uint32_t count);
  /// sums[id] += value, for ids below groups <= kFewGroups; modulo 2^64.
  void (*sum_few)(const std::uint32_t* ids, const std::int64_t* values, std::uint32_t count,
                  std::uint32_t groups, std::int64_t* sums);
  /// counts[id] += 1, for ids below groups <= kFewGroups.
  void (*count_few)(const std::uint32_t* ids, std::uint32_t count, std::uint32_t groups,
                    std::uint32_t* counts);
  /// sums[r] = the sum of the values of run r, which ends before ends[r]; modulo 2^64.
  void (*sum_runs)(const std::int64_t* values, const std::uint32_t* ends, std::uint32_t runs,
                   std::int64_t* sums);
  /// out[i] = valid ? values[i] : 0
  void (*zero_nulls)(const std::int64_t* values, const std::uint64_t* validity, std::uint32_t count,
                     std::int64_t* out);
  /// Splits doubles into limbs. Returns kOutside if a value is NaN, infinite, or 2^126 units or
  /// more; then nothing is written. Returns kSmall if a value other than 0 is below 2^52 units, so
  /// that rounding may lose bits. Otherwise 0.
  unsigned (*split_doubles)(const double* values, std::uint32_t count, DoubleScale scale,
                            std::int64_t* const* limbs);
  /// out[i] = the number of bits set before bit places[i]; before[w] is that number for word w.
  void (*ranks)(const std::uint64_t* places, std::uint32_t count, const std::uint64_t* bits,
                const std::uint64_t* before, std::uint64_t* out);
  std::int64_t (*least)(const std::int64_t* values, std::uint32_t count);
  std::int64_t (*most)(const std::int64_t* values, std::uint32_t count);

  /// One set a level; loops_for() of format/cpu_loops.h picks one.
  static const Kernels portable, avx2, avx512;
};

}  // namespace presso::query::grouping
