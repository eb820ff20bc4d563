// SPDX-License-Identifier: MIT
// One pass over a block's sequences counts lengths; layouts are then compared by arithmetic on the
// counts alone. There are three layouts, for 2 to 4 bits of literal length.
#include "compress/parse/sequence_statistics.h"

#include <algorithm>

namespace presso {

std::uint64_t escape_bytes(const SequenceStatistics::Lengths& lengths, std::uint32_t limit) {
  std::uint64_t bytes = 0;
  for (std::uint32_t length = limit; length < lengths.size(); ++length) {
    bytes += lengths[length] * (length - limit >= kEscapeLimit ? 3u : 1u);
  }
  return bytes;
}

/// The loop has no branch that depends on a sequence.
SequenceStatistics gather_statistics(const Sequences& sequences, Byte min_match) {
  constexpr std::uint32_t kFarDistance = 65536;
  constexpr std::uint32_t kLast = SequenceStatistics::kCounted - 1;
  SequenceStatistics statistics;
  std::uint64_t matched_bytes = 0;
  std::uint32_t far_offsets = 0;
  std::uint32_t without_match = 0;
  for (const Sequence& sequence : sequences) {
    ++statistics.literals[std::min(sequence.literals, kLast)];
    // Without a match the difference wraps and is counted as long; that is taken back below.
    ++statistics.matches[std::min(sequence.match - min_match, kLast)];
    matched_bytes += sequence.match;
    far_offsets += sequence.distance >= kFarDistance;
    without_match += sequence.match == 0;
  }
  statistics.matches[kLast] -= without_match;
  statistics.matched_bytes = matched_bytes;
  statistics.far_offsets = far_offsets;
  return statistics;
}

/// Ties go to the layout with fewer literal bits.
TokenLayout choose_layout(const SequenceStatistics& statistics, Byte min_match) {
  TokenLayout best;
  std::uint64_t fewest = ~std::uint64_t{0};
  for (Byte literal_bits = 2; literal_bits <= 4; ++literal_bits) {
    const TokenLayout layout{literal_bits, statistics.far_offsets > 0, min_match};
    const std::uint64_t bytes = escape_bytes(statistics.literals, layout.literal_limit()) +
                                escape_bytes(statistics.matches, layout.match_limit());
    if (bytes < fewest) {
      fewest = bytes;
      best = layout;
    }
  }
  return best;
}

}  // namespace presso
