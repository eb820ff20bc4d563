// SPDX-License-Identifier: MIT
// Two codes for the symbols of a block, dealt out to 32 lanes in turn: rANS (sources: S7.23) and
// Huffman words, each with a table for every alphabet. To compare their sizes and what decoding
// them takes; nothing of the format.
#pragma once

#include "lab/coding_trials/symbol_streams.h"

namespace presso::trials {

class InterleavedCode {
 public:
  virtual ~InterleavedCode() = default;
  /// Bits of the code words or states, and what the lanes need to be told apart.
  virtual std::uint64_t encode(const SymbolStreams& streams) = 0;
  /// What tells a decoder the code, beyond the list of code lengths that the Bit coding has.
  virtual std::uint64_t model_bits() const = 0;
  /// The symbols of what encode() made.
  virtual void decode(std::uint32_t sequences, std::vector<std::uint16_t>& symbols) const = 0;
};

/// States of 32 bits, words of 16, frequencies in 4096ths.
std::unique_ptr<InterleavedCode> make_rans();
/// Limits as the encoder's: 10 for literals and commands, 9 for all others. A sub-stream a lane.
std::unique_ptr<InterleavedCode> make_huffman();

}  // namespace presso::trials
