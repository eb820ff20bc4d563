// SPDX-License-Identifier: MIT
// Kinds 5 and 6 of the coding for integers (format/columns/integer_layout.h), for doubles: ALP and
// ALP-RD (Afroozeh, Kuffo and Boncz, "ALP: Adaptive Lossless floating-Point Compression", SIGMOD
// 2023). ALP is for doubles that were written with few decimals: they are v = d * 10^f * 10^-e for
// an integer d. In ALP-RD, for others, the bits of sign, exponent and the front of the mantissa,
// of which a block has few different ones, become a code of up to 3 bits. Both list values that do
// not fit as exceptions. Lossless for every bit pattern, NaNs included.
#pragma once

#include <array>
#include <vector>

#include "compress/columns/vector_plan.h"

namespace presso {

/// The exponents of v * 10^e * 10^-f, rounded to an integer.
struct AlpExponents {
  std::uint32_t e = 0;
  std::uint32_t f = 0;
};

/// Which exponents and which cut the vectors of a block should try, as a sample tells.
struct DoublesChoice {
  static constexpr std::uint32_t kCandidates = 3;
  std::array<AlpExponents, kCandidates> exponents;
  std::uint32_t candidates = 0;  ///< how many pairs of exponents; 0: ALP gains nothing
  std::uint32_t right_bits = 0;  ///< ALP-RD: bits that are stored as they are; 0: it gains nothing
  std::uint32_t code_bits = 0;   ///< ALP-RD: bits of the code for the other, left part
  std::array<std::uint16_t, kAlpRdEntries> lefts{};  ///< the left part of each code
  std::vector<Byte> code_of;  ///< indexed by left part; kNoCode: not in the dictionary
  static constexpr Byte kNoCode = 0xFF;
};

/// `sample`: values spread over the block; not empty.
DoublesChoice choose_for_doubles(const std::vector<double>& sample, const IntegerLoops& loops);

/// Appends the vector as kind 5 or 6 if one of them takes fewer than `words` words, and fills
/// all of `entry` except the word offset. Otherwise returns false and appends nothing. `bits`:
/// the doubles' bits.
bool append_doubles(const std::uint64_t* bits, std::uint32_t n, const DoublesChoice& choice,
                    std::uint32_t words, const IntegerLoops& loops, VectorEntry& entry, Buffer& to);

}  // namespace presso
