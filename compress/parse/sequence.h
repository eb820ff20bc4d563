// SPDX-License-Identifier: MIT
// What a parser produces and an encoder writes: literals followed by one match (back-reference),
// the unit of LZ77. A sequence is the same for all codings.
#pragma once

#include <cstdint>
#include <vector>

namespace presso {

/// The longest literal run, and the longest match, of one sequence: an escape byte of 255 and a
/// 16-bit rest. Every token layout can hold it (FORMAT.md 6.2).
constexpr std::uint32_t kLongestLength = 255 + 65535;

/// Literals, and then a match, which copies bytes that stand `distance` before it.
struct Sequence {
  std::uint32_t literals = 0;
  std::uint32_t match = 0;     ///< 0: a sequence without a back-reference
  std::uint32_t distance = 0;  ///< back from the match's first byte; may reach into the dictionary
};

/// A block's sequences in order. Literals after the last one fill the rest of the block.
using Sequences = std::vector<Sequence>;

}  // namespace presso
