// SPDX-License-Identifier: MIT
// What literals, commands, lengths and offsets cost in the Bit coding (format/bit_code.h), for the
// optimal parser, which minimises the cost: from how often each symbol occurred in an earlier pass
// over the block, or from a guess. Prices are fractions of a bit: the encoder's codes will have
// whole bits, but a symbol's length is not known before all counts are, and rounding would mislead
// the parser.
#pragma once

#include <array>

#include "compress/parse/sequence.h"
#include "format/bit_code.h"
#include "presso/bytes.h"

namespace presso {

/// The prices of one block. The interface is that of BytePrices, so that OptimalParser is a
/// template over the two.
class BitPrices {
 public:
  static constexpr std::uint32_t kBit = 64;  ///< units in a bit
  /// How many positions the parser sees at a time under a dependency rule.
  static constexpr std::uint32_t kRuledSpan = 256;
  static constexpr bool kHasRepeats = true;  ///< the last three distances are cheaper
  using Counts = std::array<std::uint32_t, bit::kListedSymbols>;

  /// Guesses prices for text or any other data; literals by how often they occur in `plain`.
  void guess(Bytes plain, Byte min_match);
  /// Takes prices from the counts of a pass.
  void learn(const Counts& counts);

  std::uint32_t literal(Byte literal) const { return symbols_[literal]; }
  /// The part of a sequence's price that depends only on the number of its literals.
  std::uint32_t literal_length(std::uint32_t length) const {
    return length < kTable ? literal_lengths_[length] : literal_length_price(length);
  }
  std::uint32_t offset(std::uint32_t value) const {
    return value == bit::kCommandOffset ? 0 : price(bit::kOffsets, value);
  }
  /// The rest of a sequence's price, as a function of the match value (length less the
  /// minimum).
  class MatchValues {
   public:
    std::uint32_t operator()(std::uint32_t value) const {
      if (value < kTable) return table_[value];
      return table_[bit::kLongMatch] - prices_.price(bit::kMatchLengths, 0) +
             prices_.price(bit::kMatchLengths, value - bit::kLongMatch);
    }

   private:
    friend class BitPrices;
    MatchValues(const BitPrices& prices, const std::uint32_t* table)
        : prices_(prices), table_(table) {}
    const BitPrices& prices_;
    const std::uint32_t* table_;
  };
  MatchValues match_values(std::uint32_t literals, std::uint32_t offset) const {
    const std::uint32_t table = bit::command_symbol(literals, 0, offset) / (bit::kLongMatch + 1);
    return {*this, match_values_[table].data()};
  }

  static void count_literal(Counts& counts, Byte literal) { ++counts[literal]; }
  /// Counts a sequence that has a match.
  static void count_match(Counts& counts, std::uint32_t literals, std::uint32_t match_value,
                          std::uint32_t offset) {
    ++counts[bit::first_symbol(bit::kCommands) +
             bit::command_symbol(literals, match_value, offset)];
    if (literals >= bit::kLongLiterals) {
      ++counts[symbol_of(bit::kLiteralLengths, literals - bit::kLongLiterals)];
    }
    if (match_value >= bit::kLongMatch) {
      ++counts[symbol_of(bit::kMatchLengths, match_value - bit::kLongMatch)];
    }
    if (offset != bit::kCommandOffset) ++counts[symbol_of(bit::kOffsets, offset)];
  }

 private:
  static constexpr std::uint32_t kTable = 512;
  /// A table for each command without its match value, that is for literals and offset.
  static constexpr std::uint32_t kCommandTables = bit::kCommandSymbols / (bit::kLongMatch + 1);

  static std::uint32_t symbol_of(std::uint32_t alphabet, std::uint32_t value) {
    return bit::first_symbol(alphabet) + bit::class_of(value, bit::mantissa_of(alphabet)).symbol;
  }
  std::uint32_t price(std::uint32_t alphabet, std::uint32_t value) const;
  std::uint32_t literal_length_price(std::uint32_t length) const {
    if (length < bit::kLongLiterals) return command_literals_[length];
    return command_literals_[bit::kLongLiterals] +
           price(bit::kLiteralLengths, length - bit::kLongLiterals);
  }
  void learn_commands(const Counts& counts);
  void fill_tables();

  std::array<std::uint32_t, bit::kListedSymbols> symbols_;
  std::array<std::uint32_t, bit::kLongLiterals + 1> command_literals_;
  std::array<std::uint32_t, kTable> literal_lengths_;
  std::array<std::array<std::uint32_t, kTable>, kCommandTables> match_values_;
};

}  // namespace presso
