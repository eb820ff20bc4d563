// SPDX-License-Identifier: MIT
// make_value_test() turns bounds given as zone images into bounds on values. The difficult cases
// are the extremes: types' limits, -0, infinities, and floats rounded inwards.
#include "decompress/columns/cpu/value_test.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "format/columns/zone_image.h"

namespace presso {
namespace {

bool is_signed_integer(ColumnType type) {
  return (type >= ColumnType::kInt8 && type <= ColumnType::kInt64) || type >= ColumnType::kDate32;
}

/// The greatest value of the width, as a mask.
std::uint64_t low_mask(Byte width_bytes) {
  if (width_bytes == 0) return 1;
  return width_bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * width_bytes)) - 1;
}

/// An empty or a full range becomes kNone or kAll.
ValueTest integer_test(Byte width_bytes, bool is_signed, std::uint64_t least, std::uint64_t most) {
  ValueTest test;
  test.width_bytes = width_bytes;
  test.is_signed = is_signed;
  const std::uint64_t values = low_mask(width_bytes);  // less 1
  // The type's own range in images; bounds outside of it are cut.
  const std::uint64_t first = is_signed ? kTopBit - values / 2 - 1 : 0;
  const std::uint64_t from = std::max(least, first);
  const std::uint64_t to = std::min(most, first + values);
  if (from > to) return test;
  test.low = is_signed ? from ^ kTopBit : from;
  test.span = to - from;
  test.kind = test.span == values ? ValueTest::Kind::kAll : ValueTest::Kind::kInteger;
  return test;
}

/// The least double whose image is at least `image`.
double double_from(std::uint64_t image) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (image <= double_image(-kInfinity)) return -kInfinity;
  // No value has the image that belongs to the bits of -0.
  return image == kTopBit - 1 ? 0.0 : double_of_image(image);
}

/// The greatest double whose image is at most `image`, which is at least that of -infinity.
double double_to(std::uint64_t image) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (image >= double_image(kInfinity)) return kInfinity;
  return double_of_image(image == kTopBit - 1 ? image - 1 : image);
}

// NaNs are wanted if the upper bound is the greatest image.
ValueTest floating_test(bool is_float, std::uint64_t least, std::uint64_t most) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ValueTest test;
  test.width_bytes = is_float ? 4 : 8;
  test.nan = most == ~std::uint64_t{0};
  const auto kind = is_float ? ValueTest::Kind::kFloat : ValueTest::Kind::kDouble;
  // Images of NaNs lie above that of infinity.
  const bool has_numbers =
      least <= double_image(kInfinity) && most >= double_image(-kInfinity) && least <= most;
  if (!has_numbers && !test.nan) return test;
  test.kind = kind;
  test.least = has_numbers ? double_from(least) : kInfinity;
  test.most = has_numbers ? double_to(most) : -kInfinity;
  if (!is_float) return test;
  // Rounded inwards. Conversion of a finite double beyond the floats is undefined.
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  const auto to_float = [](double value) {
    if (std::abs(value) <= double{std::numeric_limits<float>::max()}) {
      return static_cast<float>(value);
    }
    return value > 0 ? kInfinite : -kInfinite;
  };
  float from = to_float(test.least);
  float to = to_float(test.most);
  if (double{from} < test.least) from = std::nextafter(from, kInfinite);
  if (double{to} > test.most) to = std::nextafter(to, -kInfinite);
  test.least = double{from};
  test.most = double{to};
  return test;
}

}  // namespace

// Bounds are images; a value passes if its image lies between them, both included.
ValueTest make_value_test(ColumnType type, std::uint64_t least, std::uint64_t most) {
  if (type == ColumnType::kFloat || type == ColumnType::kDouble) {
    return floating_test(type == ColumnType::kFloat, least, most);
  }
  return integer_test(static_cast<Byte>(value_bytes(type)), is_signed_integer(type), least, most);
}

// For codes and lengths, whose images are the numbers themselves.
ValueTest unsigned_test(Byte width_bytes, std::uint64_t low, std::uint64_t high) {
  return integer_test(width_bytes, false, low, high);
}

// For exceptions and single values; the kernels do the same for whole vectors.
bool passes(const ValueTest& test, std::uint64_t value) {
  switch (test.kind) {
    case ValueTest::Kind::kNone:
      return false;
    case ValueTest::Kind::kAll:
      return true;
    case ValueTest::Kind::kInteger:
      return ((value - test.low) & low_mask(test.width_bytes)) <= test.span;
    case ValueTest::Kind::kFloat: {
      const auto number = std::bit_cast<float>(static_cast<std::uint32_t>(value));
      return std::isnan(number) ? test.nan : number >= test.least && number <= test.most;
    }
    case ValueTest::Kind::kDouble: {
      const auto number = std::bit_cast<double>(value);
      return std::isnan(number) ? test.nan : number >= test.least && number <= test.most;
    }
  }
  return false;
}

}  // namespace presso
