// SPDX-License-Identifier: MIT
// Arithmetic steps. Where the node's interval shows that nothing can overflow (parameter 0), the
// loops are plain and become vector code; 64-bit sums and products use the loops of
// query/values/loops.h, which exist for several instruction sets. Checked loops test each row.
// Under nulls values may wrap around, which is why unsigned types are used. Tested by
// compute_test.cpp (AddsIntegersInSixtyFourBits, SaysWhereIntegersOverflow, KeepsDecimalsExact).
#include <cmath>
#include <limits>
#include <type_traits>

#include "format/cpu_loops.h"
#include "query/compute/steps.h"
#include "query/values/loops.h"

namespace presso::query {
namespace {

/// The unsigned type of the same width, in which overflow is defined.
template <class T>
struct UnsignedOf {
  using Type = Uint128;
};
template <>
struct UnsignedOf<std::int64_t> {
  using Type = std::uint64_t;
};

/// Applies a function to every row of one operand.
template <class T, class Apply>
void unary(const StepContext& c, Apply apply) {
  const T* const a = c.from[0]->as<T>();
  T* const to = c.to.make<T>();
  for (std::uint32_t i = 0; i < c.count; ++i) to[i] = apply(a[i]);
}

/// Applies a function to every row of two operands of one physical form.
template <class T, class Apply>
void binary(const StepContext& c, Apply apply) {
  const T* const a = c.from[0]->as<T>();
  const T* const b = c.from[1]->as<T>();
  T* const to = c.to.make<T>();
  for (std::uint32_t i = 0; i < c.count; ++i) to[i] = apply(a[i], b[i]);
}

/// As binary(), for operations that may wrap around: 64-bit values go through `loop`, which is
/// vector code chosen for the processor, 128-bit ones through `apply`.
template <class T, class Loop, class Apply>
void wrapping(const StepContext& c, Loop loop, Apply apply) {
  if constexpr (std::is_same_v<T, std::int64_t>) {
    loop(c.from[0]->as<std::uint64_t>(), c.from[1]->as<std::uint64_t>(), c.count,
         c.to.make<std::uint64_t>());
  } else {
    binary<T>(c, apply);
  }
}

/// Whether a 128-bit result has more than 38 digits, which counts as an overflow. 64-bit results
/// never have.
template <class T>
bool too_large(T value) {
  if constexpr (std::is_same_v<T, Int128>) {
    const Int128 most = power_of_ten(kMostDigits);
    return value >= most || value <= -most;
  } else {
    (void)value;
    return false;
  }
}

/// As binary(), but a row for which `apply` returns true fails; this is how the compiler's overflow
/// built-ins report an overflow.
template <class T, class Apply>
void checked_binary(const StepContext& c, Apply apply) {
  const T* const a = c.from[0]->as<T>();
  const T* const b = c.from[1]->as<T>();
  T* const to = c.to.make<T>();
  for (std::uint32_t i = 0; i < c.count; ++i) {
    if (apply(a[i], b[i], &to[i]) || too_large(to[i])) {
      to[i] = 0;
      c.fail(i);
    }
  }
}

/// For the three operations below: checked if the node asks for it, otherwise wrapping.
template <class T>
void add_values(const StepContext& c) {
  using U = typename UnsignedOf<T>::Type;
  if (c.node.parameter != 0) {
    return checked_binary<T>(c, [](T a, T b, T* r) { return __builtin_add_overflow(a, b, r); });
  }
  wrapping<T>(c, loops_for<ValueLoops>().add,
              [](T a, T b) { return static_cast<T>(static_cast<U>(a) + static_cast<U>(b)); });
}

template <class T>
void subtract(const StepContext& c) {
  using U = typename UnsignedOf<T>::Type;
  if (c.node.parameter != 0) {
    return checked_binary<T>(c, [](T a, T b, T* r) { return __builtin_sub_overflow(a, b, r); });
  }
  wrapping<T>(c, loops_for<ValueLoops>().subtract,
              [](T a, T b) { return static_cast<T>(static_cast<U>(a) - static_cast<U>(b)); });
}

template <class T>
void multiply(const StepContext& c) {
  using U = typename UnsignedOf<T>::Type;
  if (c.node.parameter != 0) {
    return checked_binary<T>(c, [](T a, T b, T* r) { return __builtin_mul_overflow(a, b, r); });
  }
  wrapping<T>(c, loops_for<ValueLoops>().multiply,
              [](T a, T b) { return static_cast<T>(static_cast<U>(a) * static_cast<U>(b)); });
}

/// The negative, or with `absolute` the absolute value. The least number of a width has neither and
/// fails, if the node asks for checks.
template <class T>
void negate(const StepContext& c, bool absolute) {
  using U = typename UnsignedOf<T>::Type;
  unary<T>(c, [absolute](T a) {
    return absolute && a >= 0 ? a : static_cast<T>(U{0} - static_cast<U>(a));
  });
  if (c.node.parameter == 0) return;
  // The loop above runs for all rows; the rare value without a result is looked for afterwards.
  constexpr T kLeast = static_cast<T>(U{1} << (8 * sizeof(T) - 1));
  const T* const a = c.from[0]->as<T>();
  for (std::uint32_t i = 0; i < c.count; ++i) {
    if (a[i] == kLeast) c.fail(i);
  }
}

/// Quotient rounded towards zero, or with `remainder` the remainder, which has the dividend's sign.
/// A divisor of zero fails. A divisor of -1 is treated apart because the processor traps on the
/// least number divided by -1.
template <class T>
void divide(const StepContext& c, bool remainder) {
  const T* const a = c.from[0]->as<T>();
  const T* const b = c.from[1]->as<T>();
  T* const to = c.to.make<T>();
  for (std::uint32_t i = 0; i < c.count; ++i) {
    if (b[i] == 0) {
      to[i] = 0;
      c.fail(i);
    } else if (b[i] == -1) {  // the least number's quotient would not fit
      using U = typename UnsignedOf<T>::Type;
      to[i] = remainder ? 0 : static_cast<T>(U{0} - static_cast<U>(a[i]));
      if (!remainder && a[i] != 0 && to[i] == a[i]) c.fail(i);
    } else {
      to[i] = static_cast<T>(remainder ? a[i] % b[i] : a[i] / b[i]);
    }
  }
}

/// Picks the loop once for each vector.
template <class T>
void whole_numbers(const StepContext& c) {
  switch (c.node.step) {
    case Step::kAdd:
      return add_values<T>(c);
    case Step::kSubtract:
      return subtract<T>(c);
    case Step::kMultiply:
      return multiply<T>(c);
    case Step::kNegate:
      return negate<T>(c, false);
    case Step::kAbs:
      return negate<T>(c, true);
    case Step::kDivideInteger:
      return divide<T>(c, false);
    default:
      return divide<T>(c, true);
  }
}

/// Rounds to `digits` places after the point by the value that the double has, half away from zero:
/// the double next to 0.35 is less than that and becomes 0.3, although its product with ten is 3.5.
/// The product's own rounding error, which fma() tells, decides in such a case. That is exact where
/// a double holds 10^|digits|, up to 22 digits. A product of 2^52 or more has no digits to round,
/// and the value stays.
double round_to(double value, std::int64_t digits) {
  if (!std::isfinite(value)) return value;
  const double scale = std::pow(10.0, static_cast<double>(std::abs(digits)));
  const double scaled = digits < 0 ? value / scale : value * scale;
  if (std::fabs(scaled) >= 0x1p52) return value;
  double rounded = std::round(scaled);
  const double whole = std::trunc(scaled);
  if (std::fabs(scaled - whole) == 0.5) {
    // By how much `scaled` is greater than the exact quotient or product.
    const double error =
        digits < 0 ? std::fma(scaled, scale, -value) : -std::fma(value, scale, -scaled);
    if (scaled > 0 ? error > 0 : error < 0) rounded = whole;
  }
  return digits < 0 ? rounded * scale : rounded / scale;
}

/// Doubles follow IEEE 754 and never fail, except for the square root of a negative number.
void real_numbers(const StepContext& c) {
  switch (c.node.step) {
    case Step::kAdd:
      return binary<double>(c, [](double a, double b) { return a + b; });
    case Step::kSubtract:
      return binary<double>(c, [](double a, double b) { return a - b; });
    case Step::kMultiply:
      return binary<double>(c, [](double a, double b) { return a * b; });
    case Step::kDivideReal:
      return binary<double>(c, [](double a, double b) { return a / b; });
    case Step::kModulo:
      return binary<double>(c, [](double a, double b) { return std::fmod(a, b); });
    case Step::kDivideInteger:
      return binary<double>(c, [](double a, double b) { return std::trunc(a / b); });
    case Step::kPower:
      return binary<double>(c, [](double a, double b) { return std::pow(a, b); });
    case Step::kNegate:
      return unary<double>(c, [](double a) { return -a; });
    case Step::kAbs:
      return unary<double>(c, [](double a) { return std::fabs(a); });
    case Step::kFloor:
      return unary<double>(c, [](double a) { return std::floor(a); });
    case Step::kCeil:
      return unary<double>(c, [](double a) { return std::ceil(a); });
    case Step::kSquareRoot: {
      unary<double>(c, [](double a) { return std::sqrt(a); });
      for (std::uint32_t i = 0; i < c.count; ++i) {
        if (c.from[0]->as<double>()[i] < 0) c.fail(i);
      }
      return;
    }
    default:
      return unary<double>(c, [&](double a) { return round_to(a, c.node.parameter); });
  }
}

}  // namespace

void run_arithmetic_step(const StepContext& context) {
  switch (context.node.physical) {
    case Physical::kInt64:
      return whole_numbers<std::int64_t>(context);
    case Physical::kInt128:
      return whole_numbers<Int128>(context);
    default:
      return real_numbers(context);
  }
}

}  // namespace presso::query
