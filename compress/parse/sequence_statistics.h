// SPDX-License-Identifier: MIT
// Counts the lengths of a block's literal runs and matches, and chooses the token layout of the
// Byte coding that suits them: how many bits of a token's byte are for either length (TokenLayout
// in wire.h, FORMAT.md 6.1). The optimal parser takes its prices from here, and the Byte encoder
// the sizes of its streams. One count serves all layouts, because a layout only moves the two
// limits from which a length needs an escape byte.
#pragma once

#include <array>

#include "compress/parse/sequence.h"
#include "presso/wire.h"

namespace presso {

constexpr std::uint32_t kEscapeLimit = 255;  ///< an escape byte of 255 continues in the long stream

/// What choosing among layouts needs to know of a block's sequences. Lengths are counted by value,
/// those of kCounted - 1 and more together.
struct SequenceStatistics {
  static constexpr std::uint32_t kCounted = 1024;
  using Lengths = std::array<std::uint32_t, kCounted>;

  Lengths literals{};
  Lengths matches{};  ///< match length minus the minimum
  std::uint64_t matched_bytes = 0;
  std::uint32_t far_offsets = 0;
};

/// Gathers the statistics in one pass.
SequenceStatistics gather_statistics(const Sequences& sequences, Byte min_match);

/// Bytes of escapes and of the long stream if lengths of `limit` and more are escaped.
std::uint64_t escape_bytes(const SequenceStatistics::Lengths& lengths, std::uint32_t limit);

/// The token layout that makes these sequences smallest. `min_match` must be the parser's.
TokenLayout choose_layout(const SequenceStatistics& statistics, Byte min_match);

}  // namespace presso
