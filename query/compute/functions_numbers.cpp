// SPDX-License-Identifier: MIT
// Scalar functions of numbers. Functions of doubles follow IEEE 754 and never fail: the logarithm
// of a negative number is NaN. Their last digit is that of the C library. Functions of bits take
// 64 bits. round() and trunc() of whole numbers and decimals are exact.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "query/compute/functions.h"

namespace presso::query::number_functions {
namespace {

using Number = std::int64_t;

/// A loop over doubles for a function of one double.
template <double (*function)(double)>
void real(const StepContext& c) {
  const double* const a = c.from[0]->as<double>();
  double* const to = c.to.make<double>();
  for (std::uint32_t i = 0; i < c.count; ++i) to[i] = function(a[i]);
}

double cotangent(double x) {
  return 1 / std::tan(x);
}
double degrees(double x) {
  return x * (180 / std::numbers::pi);
}
double radians(double x) {
  return x * (std::numbers::pi / 180);
}

// The names are those that SQL writes; each is a kernel of one double.
constexpr Kernel kOfReal[] = {
    {"ln", real<std::log>},      {"log2", real<std::log2>},   {"log10", real<std::log10>},
    {"exp", real<std::exp>},     {"cbrt", real<std::cbrt>},   {"sin", real<std::sin>},
    {"cos", real<std::cos>},     {"tan", real<std::tan>},     {"cot", real<cotangent>},
    {"asin", real<std::asin>},   {"acos", real<std::acos>},   {"atan", real<std::atan>},
    {"sinh", real<std::sinh>},   {"cosh", real<std::cosh>},   {"tanh", real<std::tanh>},
    {"asinh", real<std::asinh>}, {"acosh", real<std::acosh>}, {"atanh", real<std::atanh>},
    {"degrees", real<degrees>},  {"radians", real<radians>},  {"gamma", real<std::tgamma>},
};

double atan2(const Row&, double y, double x) {
  return std::atan2(y, x);
}
double log_of_base(const Row&, double base, double x) {
  return std::log10(x) / std::log10(base);
}
bool is_nan(const Row&, double x) {
  return std::isnan(x);
}
bool is_inf(const Row&, double x) {
  return std::isinf(x);
}
bool is_finite(const Row&, double x) {
  return std::isfinite(x);
}

Number sign(const Row&, double x) {
  return (x > 0 ? 1 : 0) - (x < 0 ? 1 : 0);
}

std::uint64_t magnitude(Number a) {
  return a < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(a) : static_cast<std::uint64_t>(a);
}
constexpr auto kMostNumber = static_cast<std::uint64_t>(std::numeric_limits<Number>::max());

Number gcd(const Row& row, Number a, Number b) {
  const std::uint64_t divisor = std::gcd(magnitude(a), magnitude(b));
  if (divisor > kMostNumber) return row.fail(), 0;
  return static_cast<Number>(divisor);
}

Number lcm(const Row& row, Number a, Number b) {
  if (a == 0 || b == 0) return 0;
  const std::uint64_t first = magnitude(a) / std::gcd(magnitude(a), magnitude(b));
  std::uint64_t multiple = 0;
  if (__builtin_mul_overflow(first, magnitude(b), &multiple) || multiple > kMostNumber) {
    return row.fail(), 0;
  }
  return static_cast<Number>(multiple);
}

Number bit_and(const Row&, Number a, Number b) {
  return a & b;
}
Number bit_or(const Row&, Number a, Number b) {
  return a | b;
}
Number bit_xor(const Row&, Number a, Number b) {
  return a ^ b;
}
Number bit_not(const Row&, Number a) {
  return ~a;
}
Number bit_count(const Row&, Number a) {
  return std::popcount(static_cast<std::uint64_t>(a));
}
Number shift_left(const Row& row, Number a, Number by) {
  if (a == 0 && by >= 0) return 0;
  if (a < 0 || by < 0 || by > 62 || a > std::numeric_limits<Number>::max() >> by) {
    return row.fail(), 0;
  }
  return a << by;
}
/// What is shifted out is lost; further than all bits gives 0.
Number shift_right(const Row&, Number a, Number by) {
  return by < 0 || by > 63 ? 0 : a >> by;
}

constexpr Kernel kAtan2{"atan2", each<atan2>};
constexpr Kernel kLog{"log", each<log_of_base>};
constexpr Kernel kIsNan{"isnan", each<is_nan>};
constexpr Kernel kIsInf{"isinf", each<is_inf>};
constexpr Kernel kIsFinite{"isfinite", each<is_finite>};
constexpr Kernel kSign{"sign", each<sign>};
constexpr Kernel kGcd{"gcd", each<gcd>, "a greatest common divisor does not fit into 64 bits"};
constexpr Kernel kLcm{"lcm", each<lcm>, "a least common multiple does not fit into 64 bits"};
constexpr Kernel kAnd{"&", each<bit_and>};
constexpr Kernel kOr{"|", each<bit_or>};
constexpr Kernel kXor{"xor", each<bit_xor>};
constexpr Kernel kNot{"~", each<bit_not>};
constexpr Kernel kBitCount{"bit_count", each<bit_count>};
constexpr Kernel kShiftLeft{"<<", each<shift_left>,
                            "a number is shifted out of 64 bits, or a sign is involved"};
constexpr Kernel kShiftRight{">>", each<shift_right>};

// --- rounding

/// How digits are taken from a whole number: `dropped` at the end, and `zeros` put in their place.
struct Shortening {
  unsigned dropped = 0;
  unsigned zeros = 0;
  bool rounds = false;  ///< half away from zero; otherwise towards zero

  std::int64_t packed() const { return dropped | zeros << 8 | (rounds ? 1u : 0u) << 16; }
  static Shortening unpacked(std::int64_t parameter) {
    const auto bits = static_cast<unsigned>(parameter);
    return {bits & 0xFF, bits >> 8 & 0xFF, (bits >> 16) != 0};
  }
};

/// A quotient of which nothing is left is zero, however many zeros would follow.
template <class From, class To>
void shorten(const StepContext& c) {
  const auto how = Shortening::unpacked(c.node.parameter);
  const Int128 divisor = power_of_ten(how.dropped);
  const Int128 half = divisor / 2 + divisor % 2;
  const Int128 factor = power_of_ten(how.zeros);
  const From* const a = c.from[0]->as<From>();
  To* const to = c.to.make<To>();
  for (std::uint32_t i = 0; i < c.count; ++i) {
    const Int128 value = a[i];
    Int128 quotient = how.dropped > kMostDigits ? 0 : value / divisor;
    const Int128 rest = how.dropped > kMostDigits ? 0 : value % divisor;
    if (how.rounds && rest >= half) ++quotient;
    if (how.rounds && -rest >= half) --quotient;
    Int128 result = 0;
    const bool overflows = __builtin_mul_overflow(quotient, factor, &result);
    to[i] = static_cast<To>(result);
    if (overflows || to[i] != result) c.fail(i);
  }
}
void shorten_any(const StepContext& c) {
  const bool wide = c.from[0]->physical == Physical::kInt128;
  if (c.node.physical == Physical::kInt128) {
    return wide ? shorten<Int128, Int128>(c) : shorten<std::int64_t, Int128>(c);
  }
  wide ? shorten<Int128, std::int64_t>(c) : shorten<std::int64_t, std::int64_t>(c);
}
constexpr Kernel kShorten{"round", shorten_any, "a rounded number does not fit into its type"};

/// Rounds towards zero to `parameter` digits after the point. Where that overflows there are no
/// such digits, and the value stays.
double truncate_real(const Row& row, double value) {
  const std::int64_t digits = row.context.node.parameter;
  if (digits == 0) return std::trunc(value);
  const double scale = std::pow(10.0, static_cast<double>(std::abs(digits)));
  const double cut =
      digits < 0 ? std::trunc(value / scale) * scale : std::trunc(value * scale) / scale;
  return std::isfinite(cut) ? cut : value;
}
constexpr Kernel kTruncateReal{"trunc", each<truncate_real>};

/// The literal number of digits that is the second argument, if there is one.
Result<std::int64_t> digits_of_call(const Call& call) {
  if (call.arguments.size() == 1) return std::int64_t{0};
  const Node& given = call.at(1);
  if (!call.is_constant(1) || given.family != Family::kInteger || given.is_null ||
      given.integer < -38 || given.integer > 38) {
    return refused(call.name + "() takes a literal number of digits from -38 to 38");
  }
  return static_cast<std::int64_t>(given.integer);
}

/// A whole number or decimal with at most `digits` after the point, which may be negative. It keeps
/// its type if nothing is taken away.
NodeId shortened(const Call& call, std::int64_t digits, bool rounds) {
  const Node& value = call.at(0);
  const std::int64_t scale = value.family == Family::kDecimal ? value.schema.scale : 0;
  if (digits >= scale) return call.arguments[0];
  Shortening how;
  how.dropped = static_cast<unsigned>(scale - digits);
  how.zeros = static_cast<unsigned>(std::max<std::int64_t>(0, -digits));
  how.rounds = rounds;
  const ColumnSchema type =
      value.family == Family::kDecimal
          ? schema_of(Family::kDecimal, static_cast<Byte>(std::max<std::int64_t>(0, digits)))
          : schema_of(Family::kInteger);
  const Int128 by = power_of_ten(how.dropped - how.zeros);
  const Int128 more = power_of_ten(std::min(how.zeros, kMostDigits - 1)) + 1;
  Range range;
  if (value.range.known && value.physical == Physical::kInt64) {
    range = whole_range(value.range.least / by - more, value.range.most / by + more);
    const Range most = range_of_type(type.type);
    range.least = std::max(range.least, most.least);
    range.most = std::min(range.most, most.most);
  }
  return call.build.call(kShorten, type, {call.arguments[0]}, range, how.packed());
}

/// round(x [, digits]) and trunc(x [, digits]). Decimals are rounded exactly, half away from zero;
/// doubles by their values. The number of digits must be a literal, because it decides the scale.
Result<NodeId> with_fewer_digits(Call& call, bool rounds) {
  const Node& value = call.at(0);
  PRESSO_ASSIGN(const std::int64_t digits, digits_of_call(call));
  const NodeId a = call.arguments[0];
  if (value.family == Family::kNull) return call.build.cast(a, schema_of(Family::kInteger));
  if (value.family == Family::kDouble) {
    const Range range = wider_by(value.range, std::pow(10.0, -static_cast<double>(digits)));
    if (rounds) return call.build.step(Step::kRoundReal, Family::kDouble, {a}, digits, range);
    return call.build.call(kTruncateReal, schema_of(Family::kDouble), {a}, range, digits);
  }
  if (value.family != Family::kInteger && value.family != Family::kDecimal) {
    return refused(call.name + "() takes a number; this is " + call.build.type_of(a));
  }
  // Rounding to more digits than there are changes nothing, not even the type.
  if (!rounds || digits < 0) return shortened(call, digits, rounds);
  if (value.family == Family::kInteger || value.schema.scale <= digits) return a;
  return call.build.rounded_to_scale(a, static_cast<unsigned>(digits));
}

/// floor(x), and ceil(x) with `above`. Doubles stay doubles; decimals become decimals of scale 0.
Result<NodeId> whole_below(Call& call, bool above) {
  const NodeId a = call.arguments[0];
  const Node& value = call.at(0);
  if (value.family == Family::kDouble) {
    return call.build.step(above ? Step::kCeil : Step::kFloor, Family::kDouble, {a}, 0,
                           wider_by(value.range, 1));
  }
  if (value.family != Family::kInteger && value.family != Family::kDecimal) {
    return refused(call.name + "() takes a number; this is " + call.build.type_of(a));
  }
  if (value.family == Family::kInteger || value.schema.scale == 0) return a;
  return call.build.floor_of_decimal(a, above);
}

/// A function of doubles that is a step; its arguments are cast to doubles.
Result<NodeId> of_real(Call& call, Step step) {
  PRESSO_TRY(convert_arguments(call, call.arguments.size() == 1 ? "r" : "rr"));
  return call.build.step(step, Family::kDouble, call.arguments);
}

}  // namespace

void add(Functions& functions) {
  const auto whole = [&](const Kernel& kernel, std::string_view types, Range range = {}) {
    functions[std::string(kernel.name)] = of_kernel(kernel, types, ColumnType::kInt64, range);
  };
  for (const Kernel& kernel : kOfReal) {
    functions[std::string(kernel.name)] = of_kernel(kernel, "r", ColumnType::kDouble);
  }
  functions["abs"] = {1, 1, [](Call& call) { return call.build.absolute(call.arguments[0]); }};
  functions["round"] = {1, 2, [](Call& call) { return with_fewer_digits(call, true); }};
  functions["trunc"] = {1, 2, [](Call& call) { return with_fewer_digits(call, false); }};
  functions["floor"] = {1, 1, [](Call& call) { return whole_below(call, false); }};
  functions["ceil"] =
      functions["ceiling"] = {1, 1, [](Call& call) { return whole_below(call, true); }};
  functions["sqrt"] = {1, 1, [](Call& call) { return of_real(call, Step::kSquareRoot); }};
  functions["power"] = functions["pow"] = functions["^"] =
      functions["**"] = {2, 2, [](Call& call) { return of_real(call, Step::kPower); }};
  functions["mod"] = {2, 2, [](Call& call) {
                        return call.build.arithmetic(Step::kModulo, call.arguments[0],
                                                     call.arguments[1]);
                      }};
  functions["pi"] = {
      0, 0, [](Call& call) -> Result<NodeId> { return call.build.real(std::numbers::pi); }};
  functions["atan2"] = of_kernel(kAtan2, "rr", ColumnType::kDouble);
  // log(x) has base 10, log(b, x) any.
  functions["log"] = {1, 2,
                      [of_base = of_kernel(kLog, "rr", ColumnType::kDouble),
                       of_ten = functions["log10"]](Call& call) {
                        return call.arguments.size() == 1 ? of_ten.make(call) : of_base.make(call);
                      }};
  functions["sign"] = of_kernel(kSign, "r", ColumnType::kInt8, whole_range(-1, 1));
  functions["isnan"] = of_kernel(kIsNan, "r", ColumnType::kBool);
  functions["isinf"] = of_kernel(kIsInf, "r", ColumnType::kBool);
  functions["isfinite"] = of_kernel(kIsFinite, "r", ColumnType::kBool);
  whole(kGcd, "ii");
  whole(kLcm, "ii");
  functions["greatest_common_divisor"] = functions["gcd"];
  functions["least_common_multiple"] = functions["lcm"];
  for (const Kernel* kernel : {&kAnd, &kOr, &kXor, &kShiftLeft, &kShiftRight}) whole(*kernel, "ii");
  whole(kNot, "i");
  whole(kBitCount, "i", whole_range(0, 64));
}

}  // namespace presso::query::number_functions
