// SPDX-License-Identifier: MIT
// Quotients of big integers, rounded once to double: for averages, and for sums of doubles that are
// kept as integers of a unit 2^exponent. Tested by tests/unit/query/group/ratio_test.cpp.
#pragma once

#include <array>
#include <cstdint>

#include "query/values/vector.h"

namespace presso::query::grouping {

/// A non-negative integer of 256 bits, the lowest word first.
using Natural = std::array<std::uint64_t, 4>;

/// A signed integer of 192 bits: high * 2^64 + low. Holds any sum of 2^63 values of 128 bits.
/// Sums of decimals of 38 digits may pass 128 bits on the way although their final sum does not.
struct WideSum {
  Int128 high = 0;
  std::uint64_t low = 0;

  void add(Int128 value) {
    const auto low_half = static_cast<std::uint64_t>(value);
    const auto high_half = static_cast<std::int64_t>(value >> 64);
    low += low_half;
    high += Int128{high_half} + (low < low_half ? 1 : 0);
  }
  void add(const WideSum& other) {
    low += other.low;
    high += other.high + (low < other.low ? 1 : 0);
  }
  bool is_negative() const { return high < 0; }
  Natural magnitude() const;
};

/// Returns (quotient, and a little more if `rest`) * 2^exponent as a double, rounded to nearest,
/// ties to even. With `rest` the quotient must have at least 55 bits.
double round_once(Uint128 quotient, bool rest, int exponent);
/// Returns +-numerator / denominator * 2^exponent, rounded to nearest, ties to even; the
/// denominator is positive.
double ratio_rounded(bool negative, const Natural& numerator, const Natural& denominator,
                     int exponent);
/// Returns sum / (10^scale * count) * 2^exponent, rounded once; scale is at most 38, count
/// positive.
double average_rounded(const WideSum& sum, unsigned scale, std::uint64_t count, int exponent = 0);

}  // namespace presso::query::grouping
