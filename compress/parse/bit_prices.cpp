// SPDX-License-Identifier: MIT
// Prices of the Bit coding's symbols, by their entropy, in units of BitPrices::kBit to a bit.
// Tested through every decode of the optimal parser's blocks.
#include "compress/parse/bit_prices.h"

#include <algorithm>
#include <cmath>

namespace presso {
namespace {

/// Added to every count: a symbol that was not seen is dear, not impossible.
constexpr double kUnseen = 0.3;
constexpr double kDearest = 12;  ///< the highest price of a symbol, in bits
// It is guessed that one offset in 16 repeats the last distance.
constexpr std::uint32_t kOffsetsToARepeat = 16;

/// The entropy of a symbol, between a tenth of a bit and kDearest.
std::uint32_t price_of(double count, double total) {
  const double bits = std::log2(total / count);
  return static_cast<std::uint32_t>(BitPrices::kBit * std::clamp(bits, 0.1, kDearest));
}

}  // namespace

/// The first pass over a block has no counts: literals are counted in the block, everything
/// else is guessed.
void BitPrices::guess(Bytes plain, Byte) {
  Counts counts{};
  for (const Byte byte : plain) ++counts[byte];
  // Counts are halved for each class, or every few classes, upwards: about what texts and logs
  // have.
  for (std::uint32_t symbol = 0; symbol < bit::kLengthSymbols; ++symbol) {
    counts[bit::first_symbol(bit::kLiteralLengths) + symbol] = 4096u >> std::min(symbol, 12u);
    counts[bit::first_symbol(bit::kMatchLengths) + symbol] = 4096u >> std::min(symbol / 4, 12u);
  }
  for (std::uint32_t symbol = 0; symbol < bit::kCommandSymbols; ++symbol) {
    const bit::Command command = bit::command_of(symbol);
    const std::uint32_t literals = command.literals;
    const std::uint32_t halvings = std::min(literals, bit::kLongLiterals - 1) + command.match / 4;
    counts[bit::first_symbol(bit::kCommands) + symbol] =
        (4096u >> halvings) * (command.match == bit::kLongMatch ? 8 : 1) /
        (command.repeats ? kOffsetsToARepeat : 1);
  }
  for (std::uint32_t symbol = 0; symbol < bit::kOffsetSymbols; ++symbol) {
    counts[bit::first_symbol(bit::kOffsets) + symbol] = 16;
  }
  learn(counts);
}

/// Prices of all alphabets from one pass's counts.
void BitPrices::learn(const Counts& counts) {
  learn_commands(counts);
  for (std::uint32_t alphabet = 0; alphabet < bit::kAlphabets; ++alphabet) {
    if (alphabet == bit::kCommands) continue;
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

/// Splits a command's price into the part of its literals and the part of the rest given those,
/// because a parser knows the literals first.
void BitPrices::learn_commands(const Counts& counts) {
  std::array<double, bit::kLongLiterals + 1> with_literals{};
  double total = 0;
  for (std::uint32_t symbol = 0; symbol < bit::kCommandSymbols; ++symbol) {
    const double count = counts[bit::first_symbol(bit::kCommands) + symbol] + kUnseen;
    with_literals[bit::command_of(symbol).literals] += count;
    total += count;
  }
  for (std::uint32_t literals = 0; literals <= bit::kLongLiterals; ++literals) {
    command_literals_[literals] = price_of(with_literals[literals], total);
  }
  for (std::uint32_t symbol = 0; symbol < bit::kCommandSymbols; ++symbol) {
    const double count = counts[bit::first_symbol(bit::kCommands) + symbol] + kUnseen;
    symbols_[bit::first_symbol(bit::kCommands) + symbol] =
        price_of(count, with_literals[bit::command_of(symbol).literals]);
  }
}

/// The price of a value is that of its symbol, and one bit for each extra bit.
std::uint32_t BitPrices::price(std::uint32_t alphabet, std::uint32_t value) const {
  const bit::ClassOf value_class = bit::class_of(value, bit::mantissa_of(alphabet));
  return symbols_[bit::first_symbol(alphabet) + value_class.symbol] + kBit * value_class.extra_bits;
}

// Prices of short lengths are looked up in tables, because the parser's inner loop asks for them.
void BitPrices::fill_tables() {
  for (std::uint32_t value = 0; value < kTable; ++value) {
    literal_lengths_[value] = literal_length_price(value);
    const bool is_long = value >= bit::kLongMatch;
    const std::uint32_t rest = is_long ? price(bit::kMatchLengths, value - bit::kLongMatch) : 0;
    const std::uint32_t match = std::min(value, bit::kLongMatch);
    for (std::uint32_t command = 0; command < kCommandTables; ++command) {
      match_values_[command][value] =
          symbols_[bit::first_symbol(bit::kCommands) + command * (bit::kLongMatch + 1) + match] +
          rest;
    }
  }
}

}  // namespace presso
