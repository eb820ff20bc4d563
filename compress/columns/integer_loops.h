// SPDX-License-Identifier: MIT
// The loops over a vector of 1,024 values in which the encoder of coding 4 (integers,
// integer_encoder.h) spends its time, compiled once for each CPU level, with the same results at
// each. loops_for() chooses. U is std::uint32_t for values of up to 4 bytes and std::uint64_t
// for those of 8. Values are compared as signed numbers.
#pragma once

#include <cstdint>

namespace presso {

/// What the sizes of the kinds follow from: the least and the greatest of the n values v[i], of the
/// steps v[i] - v[i-1], of the lane steps v[i] - v[i-32], and of the first min(n, 32) values; and
/// the number of runs of equal values. Differences are modulo 2^32 or 2^64 and compared as signed.
template <class U>
struct VectorStatistics {
  U least, greatest;
  U least_step, greatest_step;
  U least_lane_step, greatest_lane_step;
  U least_first, greatest_first;
  std::uint32_t runs;
};

/// How many x reach a threshold, and the greatest x that does not.
template <class U>
struct Excess {
  std::uint32_t count;
  U greatest_below;
};

/// Division that leaves no remainder: x / divisor = (x * inverse) >> shift, modulo 2^32 or
/// 2^64.
template <class U>
struct ExactDivision {
  U divisor = 1;
  U inverse = 1;
  std::uint32_t shift = 0;
};

/// Whether a vector's values fit to a divisor.
struct Divisibility {
  bool divides;  ///< all |value - origin|
  bool is_far;   ///< a value is so far from the origin that differences of values may overflow
};

/// The numbers that are packed: (v[i] - v[i - back] - base) / divisor & mask, or, with `back` 0,
/// (v[i] - base) / divisor & mask.
template <class U>
struct QuotientsOf {
  std::uint32_t back;
  U base;
  U mask;
  ExactDivision<U> division;
};

/// The loops for one width of values.
template <class U>
struct VectorLoops {
  void (*statistics)(const U* values, std::uint32_t n, VectorStatistics<U>& to);
  /// Counts x = value - origin, or origin - value if `down`, as unsigned numbers.
  Excess<U> (*count_excess)(const U* values, std::uint32_t n, U origin, bool down, U threshold);
  Divisibility (*check_divisible)(const U* values, std::uint32_t n, U origin,
                                  const ExactDivision<U>& by);
  /// Rows below `back` become 0. Upper halves go to `high`, which is not written for 32 bits.
  void (*quotients)(const U* values, std::uint32_t n, const QuotientsOf<U>& of, std::uint32_t* low,
                    std::uint32_t* high);
};

/// One vector of doubles as integers, with exponents e and f (FORMAT.md 16.2, kind 5).
struct AlpIntegers {
  std::uint32_t exceptions;  ///< values that do not come back bit for bit
  // The range of the values that do come back; least > greatest if there is none.
  std::int64_t least, greatest;
};

/// All loops at one CPU level.
struct IntegerLoops {
  VectorLoops<std::uint32_t> narrow;
  VectorLoops<std::uint64_t> wide;
  /// Packs 1,024 values of `width` bits (1 to 32, no bits above) as lane_packing.h says, into
  /// 32 * width words.
  void (*pack)(const std::uint32_t* values, std::uint32_t width, std::uint8_t* to);
  /// `integers` may be nullptr; an exception's integer is INT64_MIN.
  AlpIntegers (*alp)(const double* values, std::uint32_t n, std::uint32_t e, std::uint32_t f,
                     std::int64_t* integers);

  /// One set a level; loops_for() of format/cpu_loops.h picks one.
  static const IntegerLoops portable, avx2, avx512;

  template <class U>
  const VectorLoops<U>& of() const {
    if constexpr (sizeof(U) == 4) {
      return narrow;
    } else {
      return wide;
    }
  }
};

}  // namespace presso
/// The loops for this level, which the CPU must support.
