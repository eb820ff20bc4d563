// SPDX-License-Identifier: MIT
// Implements ratio.h, quotients of big integers that are rounded once to double. If both numbers
// are exact as doubles, the hardware's division already rounds once. Otherwise 128 bits are divided
// by 64, shifted so that the quotient has more bits than a double; whether a remainder is left
// decides ties. Larger numbers (averages of decimals of more than 19 digits) are divided bit by
// bit.
#include "query/group/ratio.h"

#include <bit>
#include <cmath>

#include "query/group/grouping.h"

namespace presso::query {
namespace grouping {
namespace {

/// The number of significant bits.
int bits_of(const Natural& number) {
  for (int word = 3; word >= 0; --word) {
    const std::uint64_t value = number[static_cast<std::size_t>(word)];
    if (value != 0) return 64 * word + 64 - std::countl_zero(value);
  }
  return 0;
}

Natural natural(Uint128 value) {
  return {static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64), 0, 0};
}

Uint128 low_half(const Natural& number) {
  return (Uint128{number[1]} << 64) | number[0];
}

/// Rounds (significand, and a little more if `rest`) * 2^exponent to a double, also in the range of
/// subnormal numbers, where doubles have fewer bits. With `rest` the significand must have at least
/// 55 bits.
double round_word(std::uint64_t significand, bool rest, int exponent) {
  if (significand == 0) return 0;
  const int bits = 64 - std::countl_zero(significand);
  // Below 2^-1022 doubles have less than 53 bits, down to none.
  const int lowest = std::max(exponent + bits - 53, -1074);
  const int drop = lowest - exponent;
  if (drop <= 0) return std::ldexp(static_cast<double>(significand), exponent);
  if (drop > 64) return 0;
  const Uint128 wide = significand;
  std::uint64_t kept = static_cast<std::uint64_t>(wide >> drop);
  const Uint128 dropped = wide - (Uint128{kept} << drop);
  const Uint128 half = Uint128{1} << (drop - 1);
  if (dropped > half || (dropped == half && (rest || (kept & 1) != 0))) ++kept;
  return std::ldexp(static_cast<double>(kept), lowest);
}

/// Whether a >= b.
bool at_least(const Natural& a, const Natural& b) {
  for (std::size_t word = 4; word-- > 0;) {
    if (a[word] != b[word]) return a[word] > b[word];
  }
  return true;
}

/// The caller knows that `number` is not greater than `from`.
void subtract(Natural& from, const Natural& number) {
  std::uint64_t borrow = 0;
  for (std::size_t word = 0; word < 4; ++word) {
    const Uint128 difference = Uint128{from[word]} - number[word] - borrow;
    from[word] = static_cast<std::uint64_t>(difference);
    borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
  }
}

/// Shifts left by one bit, with `bit` as the new lowest one.
void shift_in(Natural& number, std::uint64_t bit) {
  for (std::uint64_t& word : number) {
    const std::uint64_t out = word >> 63;
    word = (word << 1) | bit;
    bit = out;
  }
}

/// Restoring division, one bit at a time. The quotient has at least 64 bits, of which the highest
/// 128 suffice.
double divide_slowly(const Natural& numerator, const Natural& denominator, int exponent) {
  const int bits = bits_of(numerator);
  const int zeros = std::max(0, 65 + bits_of(denominator) - bits);
  Natural remainder{};
  Natural quotient{};
  for (int bit = bits - 1; bit >= -zeros; --bit) {
    const auto word = static_cast<std::size_t>(bit < 0 ? 0 : bit / 64);
    shift_in(remainder, bit < 0 ? 0 : numerator[word] >> (bit % 64) & 1);
    const bool fits = at_least(remainder, denominator);
    if (fits) subtract(remainder, denominator);
    shift_in(quotient, fits ? 1 : 0);
  }
  bool rest = bits_of(remainder) != 0;
  int up = -zeros;
  while (bits_of(quotient) > 128) {
    rest = rest || quotient[0] != 0;
    quotient = {quotient[1], quotient[2], quotient[3], 0};
    up += 64;
  }
  return round_once(low_half(quotient), rest, exponent + up);
}

/// Uses the 128-bit division of the compiler where it suffices.
double divide(const Natural& numerator, const Natural& denominator, int exponent) {
  const int bits = bits_of(numerator);
  if (bits == 0) return 0;
  if (bits > 127 || bits_of(denominator) > 64) {
    return divide_slowly(numerator, denominator, exponent);
  }
  const int up = 127 - bits;
  const Uint128 shifted = low_half(numerator) << up;
  const Uint128 quotient = shifted / denominator[0];
  return round_once(quotient, quotient * denominator[0] != shifted, exponent - up);
}

/// The caller knows that 256 bits hold the product.
Natural product(const Natural& number, std::uint64_t factor) {
  Natural result{};
  std::uint64_t carry = 0;
  for (std::size_t word = 0; word < 4; ++word) {
    const Uint128 step = Uint128{number[word]} * factor + carry;
    result[word] = static_cast<std::uint64_t>(step);
    carry = static_cast<std::uint64_t>(step >> 64);
  }
  return result;
}

Uint128 power_of_ten(unsigned exponent) {
  Uint128 power = 1;
  for (unsigned i = 0; i < exponent; ++i) power *= 10;
  return power;
}

/// Whether every integer up to this one is a double.
bool is_exact(std::uint64_t value) {
  return value <= (std::uint64_t{1} << 53);
}

}  // namespace

double round_once(Uint128 quotient, bool rest, int exponent) {
  const auto high = static_cast<std::uint64_t>(quotient >> 64);
  if (high == 0) return round_word(static_cast<std::uint64_t>(quotient), rest, exponent);
  const int shift = 64 - std::countl_zero(high);
  const bool more = rest || (quotient & ((Uint128{1} << shift) - 1)) != 0;
  return round_word(static_cast<std::uint64_t>(quotient >> shift), more, exponent + shift);
}

/// The negation of the most negative number still fits into 256 bits.
Natural WideSum::magnitude() const {
  if (high >= 0)
    return {low, static_cast<std::uint64_t>(high), static_cast<std::uint64_t>(high >> 64), 0};
  const std::uint64_t negated = std::uint64_t{0} - low;
  const Uint128 rest = ~static_cast<Uint128>(high) + (low == 0 ? 1 : 0);
  return {negated, static_cast<std::uint64_t>(rest), static_cast<std::uint64_t>(rest >> 64), 0};
}

/// The sign is applied last, so that rounding is symmetric.
double ratio_rounded(bool negative, const Natural& numerator, const Natural& denominator,
                     int exponent) {
  const double result = divide(numerator, denominator, exponent);
  return negative ? -result : result;
}

/// The fast way covers averages of integers and of decimals with few digits.
double average_rounded(const WideSum& sum, unsigned scale, std::uint64_t count, int exponent) {
  const Natural magnitude = sum.magnitude();
  Natural divisor = product(natural(power_of_ten(scale)), count);
  const bool small = (magnitude[1] | magnitude[2] | divisor[1] | divisor[2]) == 0;
  if (exponent == 0 && small && is_exact(magnitude[0]) && is_exact(divisor[0])) {
    const double result = static_cast<double>(magnitude[0]) / static_cast<double>(divisor[0]);
    return sum.is_negative() ? -result : result;
  }
  return ratio_rounded(sum.is_negative(), magnitude, divisor, exponent);
}

}  // namespace grouping

/// No unit is finer than 2^-1074, the lowest bit of any double.
FixedPoint fixed_point_for(double greatest, std::uint64_t rows) {
  int above = -1074;  // |x| <= 2^above
  if (!std::isfinite(greatest)) {
    above = 1024;
  } else if (greatest != 0) {
    const double fraction = std::frexp(std::fabs(greatest), &above);
    if (fraction == 0.5) --above;
  }
  const int for_rows = rows <= 1 ? 0 : 64 - std::countl_zero(rows - 1);
  // No double has bits below 2^-1074.
  return {std::max(above + for_rows - 126, -1074)};
}

}  // namespace presso::query
