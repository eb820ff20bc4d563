// SPDX-License-Identifier: MIT
// Conversions between decimals (a whole number and a scale) and doubles, each rounded only once.
// Used by CAST, by comparisons of decimals with doubles, and by averages and sums of doubles
// (query/group). Tested by compute_test.cpp (ComparesNumbersOfAllKindsExactly).
#pragma once

#include <charconv>
#include <cmath>
#include <string>

#include "query/compute/graph.h"

namespace presso::query {

/// Returns the decimal digits of a number, with a '-' in front if it is negative.
std::string digits_of(Int128 number);

/// Returns the double nearest to number / 10^scale. If number and 10^scale are exact as doubles (53
/// bits, scale at most 22), one division is correctly rounded (Clinger 1990). Otherwise the digits
/// go through std::from_chars with an exponent, which rounds correctly for every number but is much
/// slower.
template <class T>
double real_of_decimal(T number, unsigned scale) {
  constexpr T kExact = T{1} << 53;
  constexpr unsigned kExactScale = 22;  // 10^22 is a double
  if (number <= kExact && number >= -kExact && scale <= kExactScale) {
    // The usual case: one division of exact operands.
    return static_cast<double>(number) / static_cast<double>(power_of_ten(scale));
  }
  const std::string text = digits_of(number) + "e-" + std::to_string(scale);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Sets `number` to the whole number nearest to real * 10^scale. Ties go to the even number, or
/// away from zero without `half_to_even`. Returns false for NaN, infinities and results of more
/// than 38 digits.
inline bool decimal_of_real(double real, unsigned scale, bool half_to_even, Int128& number) {
  const double exact = real * static_cast<double>(power_of_ten(scale));
  const double scaled = half_to_even ? std::nearbyint(exact) : std::round(exact);
  if (!(std::fabs(scaled) < 1e38)) return false;
  number = static_cast<Int128>(scaled);
  return true;
}

}  // namespace presso::query
