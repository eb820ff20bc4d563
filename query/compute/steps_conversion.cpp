// SPDX-License-Identifier: MIT
// Steps that convert values: between 64 and 128 bits, between scales of decimals, between whole
// numbers, truth values and doubles, and from text and to text. Whoever builds a node decides
// whether it may fail (step_may_fail()); here rows that do not fit are marked. Reading and printing
// text goes value by value through written_value.h and costs far more than the loops over numbers.
// Tested by compute_test.cpp (CastsWhatFits, KeepsDecimalsExact).
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "format/columns/value_text.h"
#include "query/compute/steps.h"
#include "query/compute/whole_real.h"
#include "query/compute/written_value.h"

namespace presso::query {
namespace {

/// One loop from type From to type To.
template <class From, class To, class Apply>
void convert(const StepContext& c, Apply apply) {
  const From* const a = c.from[0]->as<From>();
  To* const to = c.to.make<To>();
  for (std::uint32_t i = 0; i < c.count; ++i) to[i] = apply(a[i]);
}

/// Converts and marks the rows outside the node's interval; a value that does not fit `To` is one
/// of them.
template <class From, class To>
void check_values(const StepContext& c) {
  const From* const a = c.from[0]->as<From>();
  To* const to = c.to.make<To>();
  const Range& range = c.node.range;
  for (std::uint32_t i = 0; i < c.count; ++i) {
    to[i] = static_cast<To>(a[i]);
    if (a[i] < range.least || a[i] > range.most) c.fail(i);
  }
}

/// The step checks an interval whatever the widths are, hence four pairs of forms despite its name.
void to_int64(const StepContext& c) {
  const bool from_wide = c.from[0]->physical == Physical::kInt128;
  const bool to_wide = c.node.physical == Physical::kInt128;
  if (from_wide && to_wide) return check_values<Int128, Int128>(c);
  if (from_wide) return check_values<Int128, std::int64_t>(c);
  if (to_wide) return check_values<std::int64_t, Int128>(c);
  check_values<std::int64_t, std::int64_t>(c);
}

/// Multiplies by 10^parameter. With a known interval nothing overflows; the product is computed
/// unsigned because values under nulls are arbitrary.
template <class T>
void scale_up(const StepContext& c) {
  const T factor = static_cast<T>(power_of_ten(static_cast<unsigned>(c.node.parameter)));
  const T* const a = c.from[0]->as<T>();
  T* const to = c.to.make<T>();
  if (c.node.range.known) {
    for (std::uint32_t i = 0; i < c.count; ++i) {
      to[i] = static_cast<T>(static_cast<Uint128>(a[i]) * static_cast<Uint128>(factor));
    }
    return;
  }
  for (std::uint32_t i = 0; i < c.count; ++i) {
    if (__builtin_mul_overflow(a[i], factor, &to[i])) {
      to[i] = 0;
      c.fail(i);
    }
  }
}

/// Divides by 10^parameter: down with `floor`, otherwise to nearest and half away from zero.
template <class T>
void scale_down(const StepContext& c, bool floor) {
  const T factor = static_cast<T>(power_of_ten(static_cast<unsigned>(c.node.parameter)));
  convert<T, T>(c, [factor, floor](T a) {
    const T quotient = static_cast<T>(a / factor);
    const T rest = static_cast<T>(a % factor);
    if (floor) return static_cast<T>(quotient - (rest < 0 ? 1 : 0));
    // Half of the factor, rounded up: a factor of 1 has no half that a rest could reach.
    const T half = static_cast<T>(factor / 2 + factor % 2);
    if (rest >= half) return static_cast<T>(quotient + 1);
    if (rest <= -half) return static_cast<T>(quotient - 1);
    return quotient;
  });
}

template <class T>
void scale(const StepContext& c) {
  if (c.node.step == Step::kScaleUp) return scale_up<T>(c);
  scale_down<T>(c, c.node.step == Step::kFloorScaled);
}

/// Integers (scale 0) convert in hardware, decimals by real_of_decimal().
template <class T>
void to_real(const StepContext& c) {
  const auto scale = static_cast<unsigned>(c.node.parameter);
  if (scale == 0) {
    return convert<T, double>(c, [](T a) { return static_cast<double>(a); });
  }
  convert<T, double>(c, [scale](T a) { return real_of_decimal(a, scale); });
}

/// NaN, infinities and values of more than 38 digits fail.
void real_to_integer(const StepContext& c) {
  const double* const a = c.from[0]->as<double>();
  Int128* const to = c.to.make<Int128>();
  const auto scale = static_cast<unsigned>(c.node.parameter);
  // DuckDB's rule: 2.5 becomes the integer 2, but 3 as a decimal(10,0).
  const bool half_to_even = c.node.family == Family::kInteger;
  for (std::uint32_t i = 0; i < c.count; ++i) {
    if (!decimal_of_real(a[i], scale, half_to_even, to[i])) {
      to[i] = 0;
      c.fail(i);
    }
  }
}

/// Rows that cannot be read hold zero and fail; null rows are not read.
void parse_texts(const StepContext& c) {
  const StringRef* const a = c.from[0]->as<StringRef>();
  const std::size_t width = physical_bytes(c.node.physical);
  c.to.own.resize_discarding(kBatchRows * width);
  c.to.values = c.to.own.data();
  for (std::uint32_t i = 0; i < c.count; ++i) {
    Byte* const to = c.to.own.data() + i * width;
    std::memset(to, 0, width);
    if (c.to.is_null(i)) continue;
    if (!read_value(c.node, a[i].bytes(), to)) c.fail(i);
  }
}

/// Texts live in the program's arena until its next run.
void print_values(const StepContext& c) {
  StringRef* const to = c.to.make<StringRef>();
  for (std::uint32_t i = 0; i < c.count; ++i) {
    to[i] = {};
    if (c.to.is_null(i)) continue;
    char text[kMaxValueText];
    const std::size_t size = write_value(*c.arguments[0], c.from[0]->view(), i, text);
    to[i] = c.strings.add({reinterpret_cast<const Byte*>(text), size});
  }
}

}  // namespace

void run_conversion_step(const StepContext& c) {
  const bool wide = c.from[0]->physical == Physical::kInt128;
  switch (c.node.step) {
    case Step::kToInt128:
      return convert<std::int64_t, Int128>(c, [](std::int64_t a) { return Int128{a}; });
    case Step::kToInt64:
      return to_int64(c);
    case Step::kScaleUp:
    case Step::kScaleDown:
    case Step::kFloorScaled:
      return wide ? scale<Int128>(c) : scale<std::int64_t>(c);
    case Step::kIntegerToReal:
      return wide ? to_real<Int128>(c) : to_real<std::int64_t>(c);
    case Step::kRealToInteger:
      return real_to_integer(c);
    case Step::kRealToFloat:
      return convert<double, double>(
          c, [](double a) { return static_cast<double>(static_cast<float>(a)); });
    case Step::kBoolToInteger:
      return convert<Byte, std::int64_t>(c, [](Byte a) { return std::int64_t{a}; });
    case Step::kIntegerToBool:
      return wide ? convert<Int128, Byte>(c, [](Int128 a) { return Byte{a != 0}; })
                  : convert<std::int64_t, Byte>(c, [](std::int64_t a) { return Byte{a != 0}; });
    case Step::kParse:
      return parse_texts(c);
    default:
      return print_values(c);
  }
}

}  // namespace presso::query
