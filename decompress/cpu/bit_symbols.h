// SPDX-License-Identifier: MIT
// What the first stage of Bit decoding gives (FORMAT.md 13): the block's literals and sequences, as
// arrays, with repeated distances resolved. The second stage is that of the Byte coding.
#pragma once

#include <vector>

#include "presso/error.h"
#include "presso/wire.h"

namespace presso {

struct BitSequence {
  std::uint32_t literals;
  std::uint32_t match;     ///< value: less min_match
  std::uint32_t distance;  ///< 0: no match
};

struct BitSymbols {
  std::vector<Byte> literals;
  std::vector<BitSequence> sequences;
};

/// The first stage bit by bit, straight from FORMAT.md. kBadPayloadSize, kBadTree, kBadBits. The
/// header must be validated; reads nothing outside of the payload.
Result<BitSymbols> reference_decode_symbols(const BlockHeader& header, const Byte* payload);

}  // namespace presso
