// SPDX-License-Identifier: MIT
// The first stage of Bit decoding (FORMAT.md 13) in the reference decoder: Huffman codes become the
// block's literals and sequences as arrays, with repeated distances resolved. The second stage,
// which copies literals and matches, is that of the Byte coding (reference_decoder.cpp).
#pragma once

#include <vector>

#include "presso/error.h"
#include "presso/wire.h"

namespace presso {

/// A sequence: a number of literals, then a match.
struct BitSequence {
  std::uint32_t literals;
  std::uint32_t match;     ///< length less min_match
  std::uint32_t distance;  ///< 0: no match
};

/// All literals of a block in order, and how sequences divide them.
struct BitSymbols {
  std::vector<Byte> literals;
  std::vector<BitSequence> sequences;
};

/// Decodes the first stage bit by bit, straight from FORMAT.md. Errors: kBadPayloadSize,
/// kBadTree, kBadBits. The header must be validated. Reads nothing outside of the payload.
Result<BitSymbols> reference_decode_symbols(const BlockHeader& header, const Byte* payload);

}  // namespace presso
