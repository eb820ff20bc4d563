// SPDX-License-Identifier: MIT
// Between decimals, which are whole numbers with a scale, and doubles.
#pragma once

#include <charconv>
#include <cmath>
#include <string>

#include "query/compute/graph.h"

namespace presso::query {

/// The digits of a number, with '-' in front of a negative one.
std::string digits_of(Int128 number);

/// number / 10^scale, rounded once.
template <class T>
double real_of_decimal(T number, unsigned scale) {
  constexpr T kExact = T{1} << 53;
  constexpr unsigned kExactScale = 22;  // 10^22 is a double
  if (number <= kExact && number >= -kExact && scale <= kExactScale) {
    // A scale of a query's columns: one division, whose operands are exact.
    return static_cast<double>(number) / static_cast<double>(power_of_ten(scale));
  }
  const std::string text = digits_of(number) + "e-" + std::to_string(scale);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The whole number nearest to real * 10^scale; of two the even one, or the one that is farther
/// from 0. False where it has more than 38 digits.
inline bool decimal_of_real(double real, unsigned scale, bool half_to_even, Int128& number) {
  const double exact = real * static_cast<double>(power_of_ten(scale));
  const double scaled = half_to_even ? std::nearbyint(exact) : std::round(exact);
  if (!(std::fabs(scaled) < 1e38)) return false;
  number = static_cast<Int128>(scaled);
  return true;
}

}  // namespace presso::query
