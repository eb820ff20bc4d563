// SPDX-License-Identifier: MIT
// Bitmaps as Arrow and ColumnView have them, beginning with the least significant bit of the first
// byte: copying bits between any offsets, eight at a time, and counting them, 64 at a time.
// Tested by tests/unit/format/columns/arrow_format_test.cpp.
#pragma once

#include <cstdint>

#include "presso/bytes.h"

namespace presso {

/// The bit of this number.
inline bool bit_at(const Byte* bits, std::uint64_t at) {
  return (bits[at / 8] >> (at % 8) & 1) != 0;
}

/// Copies `count` bits from bit `from` of `source` to bit `to` of `target`, whose bits must be
/// 0 there. No byte is read that holds none of the bits, so arrays may end anywhere.
inline void copy_bits(const Byte* source, std::uint64_t from, std::uint64_t count, Byte* target,
                      std::uint64_t to) {
  const auto copy_one = [&] {
    if (bit_at(source, from)) target[to / 8] |= static_cast<Byte>(1u << (to % 8));
    ++from;
    ++to;
    --count;
  };
  while (count > 0 && to % 8 != 0) copy_one();
  const auto shift = static_cast<unsigned>(from % 8);
  for (; count >= 8; count -= 8, from += 8, to += 8) {
    unsigned bits = static_cast<unsigned>(source[from / 8]) >> shift;
    if (shift != 0) bits |= static_cast<unsigned>(source[from / 8 + 1]) << (8 - shift);
    target[to / 8] = static_cast<Byte>(bits);
  }
  while (count > 0) copy_one();
}

/// The number of ones, by adding neighbours in parallel (Hacker's Delight, 5-1). The
/// processor's own instruction is not on every x86, and without it compilers call a function;
/// this is inlined.
constexpr std::uint32_t ones_of(std::uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555u;
  bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
  bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
  return static_cast<std::uint32_t>(bits * 0x0101010101010101u >> 56);
}

/// Counts the ones among the first `count` bits.
inline std::uint64_t count_bits(const Byte* bits, std::uint64_t count) {
  std::uint64_t ones = 0;
  std::uint64_t at = 0;
  for (; at + 64 <= count; at += 64) {
    ones += ones_of(load<std::uint64_t>(bits + at / 8));
  }
  for (; at < count; ++at) ones += bit_at(bits, at) ? 1 : 0;
  return ones;
}

}  // namespace presso
