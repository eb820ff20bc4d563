// SPDX-License-Identifier: MIT
#include "compress/parse/bit_prices.h"

#include <algorithm>
#include <cmath>

namespace presso {
namespace {

/// Counted on top of what was seen, of symbols not seen too: they are dear, not impossible.
constexpr double kUnseen = 0.3;
constexpr double kDearest = 12;  ///< bits

std::uint32_t price_of(double count, double total) {
  const double bits = std::log2(total / count);
  return static_cast<std::uint32_t>(BitPrices::kBit * std::clamp(bits, 0.1, kDearest));
}

}  // namespace

void BitPrices::guess(Bytes plain, Byte) {
  Counts counts{};
  for (const Byte byte : plain) ++counts[byte];
  // Halving a count for every few classes up: about what texts and logs have.
  for (std::uint32_t symbol = 0; symbol < bit::kLengthSymbols; ++symbol) {
    counts[bit::first_symbol(bit::kLiteralLengths) + symbol] = 4096u >> std::min(symbol, 12u);
    counts[bit::first_symbol(bit::kMatchLengths) + symbol] = 4096u >> std::min(symbol / 4, 12u);
  }
  for (std::uint32_t symbol = 0; symbol < bit::kOffsetSymbols; ++symbol) {
    counts[bit::first_symbol(bit::kOffsets) + symbol] = 16;
  }
  learn(counts);
}

void BitPrices::learn(const Counts& counts) {
  for (std::uint32_t alphabet = 0; alphabet < bit::kAlphabets; ++alphabet) {
    const std::uint32_t first = bit::first_symbol(alphabet);
    const std::uint32_t symbols = bit::symbols_of(alphabet);
    double total = 0;
    for (std::uint32_t i = first; i < first + symbols; ++i) total += counts[i] + kUnseen;
    for (std::uint32_t i = first; i < first + symbols; ++i) {
      symbols_[i] = price_of(counts[i] + kUnseen, total);
    }
  }
  fill_tables();
}

std::uint32_t BitPrices::price(std::uint32_t alphabet, std::uint32_t value) const {
  const bit::ClassOf value_class = bit::class_of(value, bit::mantissa_of(alphabet));
  return symbols_[bit::first_symbol(alphabet) + value_class.symbol] + kBit * value_class.extra_bits;
}

void BitPrices::fill_tables() {
  for (std::uint32_t value = 0; value < kTable; ++value) {
    literal_lengths_[value] = price(bit::kLiteralLengths, value);
    match_values_[value] = price(bit::kMatchLengths, value);
  }
}

}  // namespace presso
