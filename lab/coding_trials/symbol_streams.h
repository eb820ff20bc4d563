// SPDX-License-Identifier: MIT
// The symbols of a block as the Bit coding has them, for trials of other codes.
#pragma once

#include <array>
#include <vector>

#include "compress/encode/bit_encoder.h"
#include "compress/encode/block_encoder.h"

namespace presso::trials {

using Counts = PerSymbol<std::uint32_t>;

struct SymbolStreams {
  /// In the list of all alphabets (bit_code.h): of each sequence the command and what it leads to,
  /// then literals.
  std::vector<std::uint16_t> symbols;
  std::uint32_t sequences = 0;
  Counts counts{};
  std::uint64_t extra_bits = 0;    ///< after symbols
  std::uint64_t stored_bytes = 0;  ///< header, payload and padding, as the Bit coding stores it
  std::uint64_t list_bits = 0;     ///< of them the list of code lengths
};

/// The streams of a block, with the codes' limits as the encoder has them. `parser`: made with
/// `parameters`.
SymbolStreams streams_of(Bytes plain, const EncoderParameters& parameters, Parser& parser);

inline std::span<const std::uint32_t> counts_of(const Counts& counts, std::uint32_t alphabet) {
  return std::span(counts).subspan(bit::first_symbol(alphabet), bit::symbols_of(alphabet));
}

/// All symbols' code words, in bits, under codes of their own with words up to `limit`.
std::uint64_t huffman_bits(const Counts& counts, unsigned limit);

/// The same with codes that fit `model`, in which every symbol has a word.
std::uint64_t huffman_bits_under(const Counts& counts, const Counts& model, unsigned limit);

}  // namespace presso::trials
