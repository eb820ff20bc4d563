// SPDX-License-Identifier: MIT
// The inner loops of grouping that gain by wide registers, one set per CPU level; all levels give
// the same results. Loops that reach into tables at random are not among them: those wait for
// memory at every level.
// Tested by tests/unit/query/group/kernels_test.cpp at every level.
#pragma once

#include <cstdint>

#include "presso/cpu.h"
#include "query/values/vector.h"

namespace presso::query::grouping {

/// Up to so many groups, sums of a vector are made in registers or in several copies at once: the
/// same few places would otherwise be read before they are written.
constexpr std::uint32_t kFewGroups = 64;

/// How doubles become three integers: x = (a[2] * 2^84 + a[1] * 2^42 + a[0]) * 2^exponent, rounded
/// to nearest, ties to even. The power of two is applied in two steps, as it may not be a double.
struct DoubleScale {
  double first = 1;
  double second = 1;
};
constexpr unsigned kLimbBits = 42;
constexpr std::uint32_t kLimbs = 3;
/// What split_doubles() met.
constexpr unsigned kOutside = 1;
constexpr unsigned kSmall = 2;

struct Kernels {
  /// out[i] = hash_word(words[i])
  void (*hash_words)(const std::uint64_t* words, std::uint32_t count, std::uint64_t* out);
  /// The greatest; 0 for none.
  std::uint64_t (*greatest)(const std::uint64_t* words, std::uint32_t count);
  void (*narrow)(const std::uint64_t* words, std::uint32_t count, std::uint32_t* out);
  /// Writes where runs of equal words end; returns how many there are.
  std::uint32_t (*run_ends)(const std::uint64_t* words, std::uint32_t count, std::uint32_t* ends);
  /// How many words differ from the one before.
  std::uint32_t (*changes)(const std::uint64_t* words, std::uint32_t count);
  /// How many words are less than the one before.
  std::uint32_t (*descents)(const std::uint64_t* words, std::uint32_t count);
  /// At least |value| for every value, and at most twice the greatest of them; 0 if all are 0.
  std::uint64_t (*magnitude)(const std::int64_t* values, std::uint32_t count);
  /// Sum modulo 2^64.
  std::int64_t (*sum)(const std::int64_t* values, std::uint32_t count);
  /// sums[id] += value, for ids below groups <= kFewGroups; modulo 2^64.
  void (*sum_few)(const std::uint32_t* ids, const std::int64_t* values, std::uint32_t count,
                  std::uint32_t groups, std::int64_t* sums);
  /// counts[id] += 1, likewise.
  void (*count_few)(const std::uint32_t* ids, std::uint32_t count, std::uint32_t groups,
                    std::uint32_t* counts);
  /// sums[r] = the sum of the values of run r, which ends before ends[r]; modulo 2^64.
  void (*sum_runs)(const std::int64_t* values, const std::uint32_t* ends, std::uint32_t runs,
                   std::int64_t* sums);
  /// out[i] = valid ? values[i] : 0
  void (*zero_nulls)(const std::int64_t* values, const std::uint64_t* validity, std::uint32_t count,
                     std::int64_t* out);
  /// kOutside where a value is a NaN or infinite, or 2^126 units or more; then nothing is written.
  /// kSmall where a value but 0 is below 2^52 units, which may lose bits by the rounding. Else 0.
  unsigned (*split_doubles)(const double* values, std::uint32_t count, DoubleScale scale,
                            std::int64_t* const* limbs);
  /// out[i] = how many bits are set before bit places[i]; before[w]: those before word w.
  void (*ranks)(const std::uint64_t* places, std::uint32_t count, const std::uint64_t* bits,
                const std::uint64_t* before, std::uint64_t* out);
  std::int64_t (*least)(const std::int64_t* values, std::uint32_t count);
  std::int64_t (*most)(const std::int64_t* values, std::uint32_t count);
};

const Kernels& kernels_portable();
const Kernels& kernels_avx2();
const Kernels& kernels_avx512();
const Kernels& kernels_for(CpuLevel level);
/// Those for this machine.
const Kernels& kernels();

}  // namespace presso::query::grouping
