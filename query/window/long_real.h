// SPDX-License-Identifier: MIT
// Real numbers of 106 bits, as the unevaluated sum of two doubles (Dekker 1971; Hida, Li and Bailey
// 2001), for sums of which much cancels. NaN and infinities become NaN.
#pragma once

#include <cmath>

namespace presso::query {

struct LongReal {
  double high = 0;
  double low = 0;

  LongReal() = default;
  LongReal(double value) : high(value) {}
  LongReal(double a, double b) : high(a), low(b) {}
  double value() const { return high + low; }
};

/// The exact sum of two doubles.
inline LongReal exact_sum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
/// The exact sum where |a| >= |b|.
inline LongReal quick_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

inline LongReal operator+(const LongReal& a, const LongReal& b) {
  const LongReal high = exact_sum(a.high, b.high);
  const LongReal low = exact_sum(a.low, b.low);
  const LongReal sum = quick_sum(high.high, high.low + low.high);
  return quick_sum(sum.high, sum.low + low.low);
}
inline LongReal operator-(const LongReal& a) {
  return {-a.high, -a.low};
}
inline LongReal operator-(const LongReal& a, const LongReal& b) {
  return a + -b;
}
inline LongReal operator*(const LongReal& a, const LongReal& b) {
  const double product = a.high * b.high;
  const double rest = std::fma(a.high, b.high, -product);
  return quick_sum(product, rest + (a.high * b.low + a.low * b.high));
}
inline LongReal operator/(const LongReal& a, const LongReal& b) {
  const double first = a.high / b.high;
  LongReal rest = a - b * first;
  const double second = rest.high / b.high;
  rest = rest - b * second;
  return quick_sum(first, second) + LongReal(rest.high / b.high);
}
inline LongReal& operator+=(LongReal& a, const LongReal& b) {
  return a = a + b;
}

}  // namespace presso::query
