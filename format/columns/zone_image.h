// SPDX-License-Identifier: MIT
// Zone images (FORMAT.md 15.4): 64-bit numbers in the order of the values that they stand for,
// so that one comparison of integers tells whether a block may hold what is looked for. Signed
// numbers have their top bit flipped; floating ones are mapped so that the order holds, with -0
// as +0; strings give their first eight bytes, the first one highest; decimal128 gives its high
// half. Equal images of strings and of decimal128 say nothing about the values.
// Tested by tests/unit/decompress/table/zone_check_test.cpp.
#pragma once

#include <bit>
#include <cstdint>

#include "presso/column_data.h"

namespace presso {

constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;

/// The image of a signed integer, a date, a timestamp or a decimal64.
constexpr std::uint64_t signed_image(std::int64_t value) {
  return static_cast<std::uint64_t>(value) ^ kTopBit;
}
/// The image of a double that is not NaN.
inline std::uint64_t double_image(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
  return (bits & kTopBit) != 0 ? ~bits : bits | kTopBit;
}
/// The inverse of double_image(), except that -0 has become +0.
inline double double_of_image(std::uint64_t image) {
  return std::bit_cast<double>((image & kTopBit) != 0 ? image ^ kTopBit : ~image);
}
/// The first eight bytes, the first one highest; zeros follow a shorter string.
inline std::uint64_t string_image(Bytes text) {
  if (text.size() >= 8) return __builtin_bswap64(load<std::uint64_t>(text.data()));
  std::uint64_t image = 0;
  for (std::size_t i = 0; i < text.size(); ++i) image |= std::uint64_t{text[i]} << (56 - 8 * i);
  return image;
}

}  // namespace presso
