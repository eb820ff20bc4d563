// SPDX-License-Identifier: MIT
// Quotients: compared with the exact quotient by long multiplication, bit by bit at the borders of
// rounding, and with plain doubles where those are exact.
#include "query/group/ratio.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "corpora/random.h"
#include "query/group/grouping.h"

namespace presso::query::ratio_test {
namespace {

using grouping::average_rounded;
using grouping::Natural;
using grouping::ratio_rounded;
using grouping::WideSum;

double divide_rounded(Int128 numerator, Uint128 denominator) {
  const auto natural = [](Uint128 value) {
    return Natural{static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64)};
  };
  const auto bits = static_cast<Uint128>(numerator);
  return ratio_rounded(numerator < 0, natural(numerator < 0 ? Uint128{0} - bits : bits),
                       natural(denominator), 0);
}

/// An integer of any size, in digits of 32 bits, the lowest first.
using Big = std::vector<std::uint32_t>;

Big big(const Natural& number) {
  Big digits;
  for (const std::uint64_t word : number) {
    digits.push_back(static_cast<std::uint32_t>(word));
    digits.push_back(static_cast<std::uint32_t>(word >> 32));
  }
  return digits;
}

Big times(const Big& number, std::uint64_t factor, unsigned shift) {
  Big product(number.size() + 3 + shift / 32, 0);
  for (std::size_t i = 0; i < number.size(); ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      std::uint64_t carry =
          std::uint64_t{number[i]} * static_cast<std::uint32_t>(factor >> (32 * j));
      for (std::size_t at = i + j; carry != 0; ++at) {
        carry += product[at];
        product[at] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
    }
  }
  for (; shift >= 32; shift -= 32) product.insert(product.begin(), 0);
  Big shifted(product.size() + 1, 0);
  for (std::size_t i = 0; i < product.size(); ++i) {
    const std::uint64_t both = std::uint64_t{product[i]} << shift;
    shifted[i] |= static_cast<std::uint32_t>(both);
    shifted[i + 1] |= static_cast<std::uint32_t>(both >> 32);
  }
  return shifted;
}

int compare(Big a, Big b) {
  a.resize(std::max(a.size(), b.size()));
  b.resize(a.size());
  for (std::size_t i = a.size(); i-- > 0;) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

/// numerator / denominator * 2^exponent against half_units * 2^-1075: less, equal or more.
int compare(const Natural& numerator, const Natural& denominator, int exponent,
            std::uint64_t significand, int power) {
  // numerator * 2^exponent against significand * 2^power * denominator
  const int shift = exponent - power;
  return compare(times(big(numerator), 1, static_cast<unsigned>(std::max(shift, 0))),
                 times(big(denominator), significand, static_cast<unsigned>(std::max(-shift, 0))));
}

/// Whether no double is nearer, and a tie went to the even one.
bool is_nearest(double result, const Natural& numerator, const Natural& denominator, int exponent) {
  if (!std::isfinite(result)) return false;
  const auto bits = std::bit_cast<std::uint64_t>(result);
  const std::uint64_t biased = bits >> 52;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t significand = biased == 0 ? fraction : fraction | std::uint64_t{1} << 52;
  const int power = biased == 0 ? -1074 : static_cast<int>(biased) - 1075;
  const bool even = significand % 2 == 0;
  // Halfway to the next larger one, and to the next smaller one.
  const int above = compare(numerator, denominator, exponent, 2 * significand + 1, power - 1);
  if (above > 0 || (above == 0 && !even)) return false;
  if (significand == 0) return true;
  const bool at_border = fraction == 0 && biased > 1;
  const int below = compare(numerator, denominator, exponent,
                            at_border ? 4 * significand - 1 : 2 * significand - 1,
                            at_border ? power - 2 : power - 1);
  return below > 0 || (below == 0 && even);
}

Natural random_natural(corpora::Random& random, unsigned bits) {
  Natural number{};
  for (unsigned i = 0; i < 4; ++i) {
    if (bits > 64 * i) number[i] = random.next();
    if (bits < 64 * (i + 1))
      number[i] &= bits > 64 * i ? (std::uint64_t{1} << (bits - 64 * i)) - 1 : 0;
  }
  if (random.one_in(4)) number = {0, 0, 0, 0};
  number[(bits - 1) / 64] |= std::uint64_t{1} << ((bits - 1) % 64);
  return number;
}

TEST(Ratio, IsTheNearestDouble) {
  corpora::Random random(1);
  for (int i = 0; i < 20'000; ++i) {
    const Natural numerator = random_natural(random, 1 + random.below(190));
    const Natural denominator = random_natural(random, 1 + random.below(190));
    const double result = ratio_rounded(false, numerator, denominator, 0);
    ASSERT_TRUE(is_nearest(result, numerator, denominator, 0)) << i << ' ' << result;
    EXPECT_EQ(ratio_rounded(true, numerator, denominator, 0), -result);
  }
}

TEST(Ratio, IsRoundedOnceAmongTheSmallestDoubles) {
  corpora::Random random(2);
  for (int i = 0; i < 20'000; ++i) {
    const Natural numerator = random_natural(random, 1 + random.below(126));
    const Natural denominator = random_natural(random, 1 + random.below(40));
    const int exponent = -1010 - static_cast<int>(random.below(200));
    const double result = ratio_rounded(false, numerator, denominator, exponent);
    ASSERT_TRUE(is_nearest(result, numerator, denominator, exponent)) << i << ' ' << result;
  }
}

TEST(Ratio, SendsTiesToTheEvenDouble) {
  const std::uint64_t odd = (std::uint64_t{1} << 53) + 1;  // between two doubles
  EXPECT_EQ(divide_rounded(Int128{odd}, 1), 0x1p53);
  EXPECT_EQ(divide_rounded(Int128{odd} + 2, 1), 0x1p53 + 4);
  EXPECT_EQ(divide_rounded(Int128{odd} * 3, 3), 0x1p53);
  EXPECT_EQ(divide_rounded((Int128{odd} << 70) + 1, Uint128{1} << 70), 0x1p53 + 2);
  EXPECT_EQ(divide_rounded(-(Int128{odd} << 70) - 1, Uint128{1} << 70), -0x1p53 - 2);
  EXPECT_EQ(divide_rounded((Int128{odd} << 70) - 1, Uint128{1} << 70), 0x1p53);
}

TEST(Ratio, OfSmallNumbersIsThePlainQuotient) {
  corpora::Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t a = std::int64_t{random.below(1u << 31)} - (1 << 30);
    const std::int64_t b = 1 + std::int64_t{random.below(1000)};
    EXPECT_EQ(divide_rounded(a, static_cast<Uint128>(b)),
              static_cast<double>(a) / static_cast<double>(b));
  }
  EXPECT_EQ(divide_rounded(0, 7), 0.0);
  EXPECT_FALSE(std::signbit(divide_rounded(0, 7)));
}

TEST(Ratio, OfExtremesIsRight) {
  const auto least = static_cast<Int128>(Uint128{1} << 127);
  EXPECT_EQ(divide_rounded(least, 1), -0x1p127);
  EXPECT_EQ(divide_rounded(least, ~Uint128{0}), -0.5);
  EXPECT_EQ(divide_rounded(1, ~Uint128{0}), 0x1p-128);
  EXPECT_EQ(ratio_rounded(false, {1, 0, 0, 0}, {1, 0, 0, 0}, 1024),
            std::numeric_limits<double>::infinity());
}

TEST(Average, DividesBy10ToTheScaleToo) {
  WideSum sum;
  for (int i = 0; i < 10; ++i) sum.add(Int128{12345});
  EXPECT_EQ(average_rounded(sum, 2, 10), 123.45);
  EXPECT_EQ(average_rounded(sum, 0, 4), 30862.5);
  WideSum negative;
  negative.add(Int128{-7});
  EXPECT_EQ(average_rounded(negative, 1, 2), -0.35);
  // 38 digits, of which 38 stand behind the point.
  Int128 power = 1;
  for (int i = 0; i < 37; ++i) power *= 10;
  WideSum wide;
  for (int i = 0; i < 9; ++i) wide.add(9 * power);
  EXPECT_EQ(average_rounded(wide, 38, 9), 0.9);
  WideSum many;
  many.add(Int128{-1} << 126);
  for (int i = 0; i < 10; ++i) many.add(many);
  EXPECT_EQ(average_rounded(many, 0, 1024), -0x1p126);
}

TEST(FixedPoint, Leaves126BitsForAllRows) {
  EXPECT_EQ(fixed_point_for(1024.0, 1).exponent, 10 - 126);
  EXPECT_EQ(fixed_point_for(-1025.0, 1).exponent, 11 - 126);
  EXPECT_EQ(fixed_point_for(1024.0, 1024).exponent, 20 - 126);
  EXPECT_EQ(fixed_point_for(1024.0, 1025).exponent, 21 - 126);
  EXPECT_EQ(fixed_point_for(0, 100).exponent, -1074);
  EXPECT_EQ(fixed_point_for(1e-320, 1).exponent, -1074);
  EXPECT_EQ(fixed_point_for(std::numeric_limits<double>::infinity(), 2).exponent, 1025 - 126);
}

}  // namespace
}  // namespace presso::query::ratio_test
