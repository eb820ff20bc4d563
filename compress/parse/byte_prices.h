// SPDX-License-Identifier: MIT
// What sequences cost in the Byte coding, for the optimal parser, which minimises the cost: whole
// bytes. Only the lengths vary from which a token needs an escape; they are those of the layout
// that suits the sequences of the pass before (sequence_statistics.h). The interface is that of
// BitPrices.
#pragma once

#include <algorithm>

#include "compress/parse/sequence_statistics.h"
#include "format/bit_code.h"

namespace presso {

/// The prices of one block.
class BytePrices {
 public:
  static constexpr std::uint32_t kBit = 64;         ///< units in a bit
  static constexpr std::uint32_t kRuledSpan = 512;  ///< as BitPrices::kRuledSpan
  static constexpr bool kHasRepeats = false;
  using Counts = SequenceStatistics;

  void guess(Bytes, Byte min_match) {
    *this = {};  // forgets the block before
    min_match_ = min_match;
  }
  void learn(const Counts& counts) {
    const TokenLayout layout = choose_layout(counts, min_match_);
    literal_limit_ = layout.literal_limit();
    match_limit_ = layout.match_limit();
  }

  std::uint32_t literal(Byte) const { return kByte; }
  std::uint32_t literal_length(std::uint32_t length) const {
    return escapes(length, literal_limit_);
  }
  /// The price as a function of the match value; literals and offset do not matter in this coding.
  auto match_values(std::uint32_t, std::uint32_t) const {
    return [limit = match_limit_](std::uint32_t value) { return escapes(value, limit); };
  }
  std::uint32_t offset(std::uint32_t value) const {
    return (value - bit::kRepeats > 0xFFFF ? 4 : 3) * kByte;
  }

  static void count_literal(Counts&, Byte) {}
  static void count_match(Counts& counts, std::uint32_t literals, std::uint32_t match_value,
                          std::uint32_t offset) {
    constexpr std::uint32_t kLast = Counts::kCounted - 1;
    ++counts.literals[std::min(literals, kLast)];
    ++counts.matches[std::min(match_value, kLast)];
    counts.far_offsets += offset - bit::kRepeats > 0xFFFF;
  }

 private:
  static constexpr std::uint32_t kByte = 8 * kBit;

  static std::uint32_t escapes(std::uint32_t length, std::uint32_t limit) {
    return length < limit ? 0 : (length < limit + 255 ? kByte : 3 * kByte);
  }

  Byte min_match_ = 4;
  std::uint32_t literal_limit_ = 15, match_limit_ = 15;
};

}  // namespace presso
