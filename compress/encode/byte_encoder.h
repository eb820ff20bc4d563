// SPDX-License-Identifier: MIT
// Writes sequences in the Byte coding (FORMAT.md 6; catalogue S7.2): seven streams behind one
// another, each an array, so that a decoder finds sequence i of any stream without parsing.
#pragma once

#include <array>

#include "compress/parse/sequence.h"
#include "presso/byte_stream.h"
#include "presso/wire.h"

namespace presso {

/// What all layouts need to know of a block's sequences, gathered in one pass. Lengths are counted
/// by value, those of kCounted - 1 and more together.
struct SequenceStatistics {
  static constexpr std::uint32_t kCounted = 1024;

  std::array<std::uint32_t, kCounted> literals{};
  std::array<std::uint32_t, kCounted> matches{};  ///< match length minus the minimum
  std::uint64_t matched_bytes = 0;
  std::uint32_t far_offsets = 0;
};

SequenceStatistics gather_statistics(const Sequences& sequences, Byte min_match);

/// The token layout that makes these sequences smallest. `min_match` as the parser used it.
TokenLayout choose_layout(const SequenceStatistics& statistics, Byte min_match);

/// Fills stream counts, payload size and layout of `header`, whose plain_bytes must be set.
void plan_byte_payload(const Sequences& sequences, const SequenceStatistics& statistics,
                       const TokenLayout& layout, BlockHeader& header);

/// Appends the payload that `header` was planned for to `to`; `scratch` is overwritten.
void write_byte_payload(Bytes plain, const Sequences& sequences, const BlockHeader& header,
                        Buffer& scratch, Buffer& to);

}  // namespace presso
