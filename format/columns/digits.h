// SPDX-License-Identifier: MIT
// Decimal digits eight at a time: text to numbers and back in a 64-bit register whose lowest
// byte is the first character. Eight digits cost three multiplications either way: pairs, then
// fours, then all eight are combined (or split) in parallel lanes. No branch depends on leading
// zeros, so columns of mixed lengths do not stall on mispredictions.
// Tested through tests/unit/format/columns/value_text_test.cpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "presso/bytes.h"

namespace presso::digits {

constexpr std::uint64_t kZeros = 0x3030303030303030u;  ///< "00000000"

/// The powers of ten from 10^0 to 10^19.
constexpr auto kPowers = [] {
  struct {
    std::uint64_t at[20];
  } powers{};
  std::uint64_t power = 1;
  for (std::uint64_t& entry : powers.at) {
    entry = power;
    power *= 10;
  }
  return powers;
}();
constexpr std::uint64_t power(std::size_t exponent) {
  return kPowers.at[exponent];
}

/// Whether all eight characters are digits: the upper half of each byte is 3, also after 6 is
/// added.
inline bool all_digits(std::uint64_t word) {
  constexpr std::uint64_t kHigh = 0xF0F0F0F0F0F0F0F0u;
  return ((word & kHigh) ^ kZeros) == 0 && (((word + 0x0606060606060606u) & kHigh) ^ kZeros) == 0;
}

/// Combines neighbouring digits: four numbers of two digits each, in 16-bit lanes.
inline std::uint64_t pairs_of(std::uint64_t word) {
  return ((word & 0x0F0F0F0F0F0F0F0Fu) * (10u * 256 + 1) >> 8) & 0x00FF00FF00FF00FFu;
}

/// The number that eight digits make; not checked to be digits.
inline std::uint64_t number_of(std::uint64_t word) {
  const std::uint64_t pairs = pairs_of(word);
  const std::uint64_t fours = (pairs * (100u * 65536 + 1) >> 16) & 0x0000FFFF0000FFFFu;
  return fours * (10000 * (std::uint64_t{1} << 32) + 1) >> 32;
}

/// Loads `n` characters (1 to 8) with zeros in front; overlapping loads, so that no other bytes
/// are read.
inline std::uint64_t word_of(const Byte* from, std::size_t n) {
  if (n == 8) return load<std::uint64_t>(from);
  const std::size_t shift = 8 * (8 - n);
  std::uint64_t word = 0;
  if (n >= 4) {
    word = std::uint64_t{load<std::uint32_t>(from)} << shift |
           std::uint64_t{load<std::uint32_t>(from + n - 4)} << 32;
  } else {
    word = std::uint64_t{from[0]} << shift | std::uint64_t{from[n / 2]} << (shift + n / 2 * 8) |
           std::uint64_t{from[n - 1]} << 56;
  }
  return word | kZeros >> (8 * n);
}

/// Parses `n` characters (1 to 20); false unless all are digits and the number fits into 64
/// bits. Leading zeros are allowed.
inline bool parse(const Byte* from, std::size_t n, std::uint64_t& value) {
  if (n <= 8) {
    const std::uint64_t word = word_of(from, n);
    value = number_of(word);
    return all_digits(word);
  }
  const std::uint64_t last = load<std::uint64_t>(from + n - 8);
  if (n <= 16) {
    const std::uint64_t first = word_of(from, n - 8);
    value = number_of(first) * power(8) + number_of(last);
    return all_digits(first) && all_digits(last);
  }
  const std::uint64_t middle = load<std::uint64_t>(from + n - 16);
  const std::uint64_t first = word_of(from, n - 16);
  if (!all_digits(first) || !all_digits(middle) || !all_digits(last)) return false;
  const std::uint64_t low = number_of(middle) * power(8) + number_of(last);
  return !__builtin_mul_overflow(number_of(first), power(16), &value) &&
         !__builtin_add_overflow(value, low, &value);
}

/// Splits four numbers below 100, in 16-bit lanes, into eight digits 0 to 9, not yet
/// characters. 103 / 2^10 stands for 1 / 10.
inline std::uint64_t digits_of_pairs(std::uint64_t pairs) {
  const std::uint64_t tens = (pairs * 103 >> 10) & 0x000F000F000F000Fu;
  return tens | (pairs - 10 * tens) << 8;
}

/// The eight digits of a number below 10^8, with leading zeros, not yet characters.
inline std::uint64_t digits_of(std::uint32_t value) {
  const std::uint64_t fours = value / 10000 | std::uint64_t{value % 10000} << 32;
  const std::uint64_t hundreds = (fours * 10486 >> 20) & 0x0000007F0000007Fu;
  return digits_of_pairs(hundreds | (fours - 100 * hundreds) << 16);
}

/// Writes exactly eight digits.
inline void print_eight(std::uint32_t value, char* to) {
  const std::uint64_t word = digits_of(value) | kZeros;
  std::memcpy(to, &word, sizeof word);
}

/// Prints a number below 10^8 without leading zeros. It writes eight bytes whatever the length,
/// which it returns: at least 1.
inline std::size_t print_short(std::uint32_t value, char* to) {
  std::uint64_t word = digits_of(value);
  const int zero_bits = std::countr_zero(word | std::uint64_t{1} << 56) & ~7;
  word = (word | kZeros) >> zero_bits;
  std::memcpy(to, &word, sizeof word);
  return 8 - static_cast<std::size_t>(zero_bits) / 8;
}

/// Prints any number. It writes up to 24 bytes, more than the digits whose count it returns.
inline std::size_t print(std::uint64_t value, char* to) {
  if (value < power(8)) return print_short(static_cast<std::uint32_t>(value), to);
  const std::uint64_t high = value / power(8);
  const auto low = static_cast<std::uint32_t>(value % power(8));
  std::size_t length = 0;
  if (high < power(8)) {
    length = print_short(static_cast<std::uint32_t>(high), to);
  } else {
    length = print_short(static_cast<std::uint32_t>(high / power(8)), to);
    print_eight(static_cast<std::uint32_t>(high % power(8)), to + length);
    length += 8;
  }
  print_eight(low, to + length);
  return length + 8;
}

/// Writes exactly `n` (at most 19) digits of a number below 10^n, with zeros in front.
inline void print_padded(std::uint64_t value, std::size_t n, char* to) {
  while (n > 8) {
    n -= 8;
    print_eight(static_cast<std::uint32_t>(value % power(8)), to + n);
    value /= power(8);
  }
  const std::uint64_t word =
      n == 0 ? 0 : (digits_of(static_cast<std::uint32_t>(value)) | kZeros) >> (8 * (8 - n));
  std::memcpy(to, &word, n);
}

}  // namespace presso::digits
