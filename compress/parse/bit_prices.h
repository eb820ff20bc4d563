// SPDX-License-Identifier: MIT
// What literals, lengths and offsets cost in the Bit coding, for a parser that minimises it: from
// how often each symbol occurred in a parse before, or from a guess. In parts of a bit: the codes
// that the encoder will build have whole bits, but a symbol's length is not known before all counts
// are.
#pragma once

#include <array>

#include "compress/parse/sequence.h"
#include "format/bit_code.h"
#include "presso/bytes.h"

namespace presso {

class BitPrices {
 public:
  static constexpr std::uint32_t kBit = 64;    ///< units in a bit
  static constexpr std::uint32_t kSpan = 256;  ///< positions that a parser looks over at a time
  static constexpr bool kHasRepeats = true;    ///< the last distances are cheaper
  using Counts = std::array<std::uint32_t, bit::kListedSymbols>;

  /// A guess for text or whatever this is: literals by how often they occur in `plain`.
  void guess(Bytes plain, Byte min_match);
  void learn(const Counts& counts);

  std::uint32_t literal(Byte literal) const { return symbols_[literal]; }
  std::uint32_t literal_length(std::uint32_t length) const {
    return length < kTable ? literal_lengths_[length] : price(bit::kLiteralLengths, length);
  }
  std::uint32_t match_value(std::uint32_t value) const {
    return value < kTable ? match_values_[value] : price(bit::kMatchLengths, value);
  }
  std::uint32_t offset(std::uint32_t value) const { return price(bit::kOffsets, value); }

  static void count_literal(Counts& counts, Byte literal) { ++counts[literal]; }
  /// A sequence with a match.
  static void count_match(Counts& counts, std::uint32_t literals, std::uint32_t match_value,
                          std::uint32_t offset) {
    ++counts[symbol_of(bit::kLiteralLengths, literals)];
    ++counts[symbol_of(bit::kMatchLengths, match_value)];
    ++counts[symbol_of(bit::kOffsets, offset)];
  }

 private:
  static constexpr std::uint32_t kTable = 512;

  static std::uint32_t symbol_of(std::uint32_t alphabet, std::uint32_t value) {
    return bit::first_symbol(alphabet) + bit::class_of(value, bit::mantissa_of(alphabet)).symbol;
  }
  std::uint32_t price(std::uint32_t alphabet, std::uint32_t value) const;
  void fill_tables();

  std::array<std::uint32_t, bit::kListedSymbols> symbols_;
  std::array<std::uint32_t, kTable> literal_lengths_;
  std::array<std::uint32_t, kTable> match_values_;
};

}  // namespace presso
