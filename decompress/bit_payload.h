// SPDX-License-Identifier: MIT
// Finds the sub-streams of a Bit-coded payload (sub_stream.h, FORMAT.md 13.2): where each begins,
// and for sub-blocks how many literals come before it. The payload's head gives their sizes only,
// so places are running sums. Used by all CPU decoders; GPUs do the same in decompress/gpu/bit.
#pragma once

#include <vector>

#include "decompress/sub_stream.h"
#include "format/bit_list.h"
#include "presso/error.h"
#include "presso/wire.h"

namespace presso {

/// Returns all sub-streams and one more entry for the end. The header must be validated. Error:
/// kBadPayloadSize if they do not end in the payload's last byte, or if sub-blocks do not have as
/// many literals together as the block.
inline Result<std::vector<SubStream>> find_sub_streams(const BlockHeader& header,
                                                       const Byte* payload) {
  const BitFields& fields = header.bit;
  bit::BitReader head(payload, fields.head_bytes, 0);
  const auto take = [&](unsigned bits) {
    const unsigned low_bits = bits < 16 ? bits : 16;
    const std::uint32_t low = head.take(low_bits);
    return low | head.take(bits - low_bits) << low_bits;
  };
  std::vector<SubStream> streams;
  const std::uint32_t count = detail::sub_streams_of(header);
  streams.reserve(count + std::size_t{1});
  const std::uint64_t payload_bits = 8 * std::uint64_t{header.payload_bytes};
  std::uint64_t at = 8 * std::uint64_t{fields.head_bytes};
  std::uint64_t literals = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    streams.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(literals)});
    at += std::uint64_t{fields.least_bits} + take(fields.size_bits);
    literals += take(fields.count_bits);
    if (at > payload_bits || literals > header.literals) {
      return make_error(ErrorCode::kBadPayloadSize, "sub-streams");
    }
  }
  streams.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(literals)});
  const bool all_literals = fields.layout == kLaneLayout || literals == header.literals;
  if (payload_bits - at >= 8 || !all_literals) {
    return make_error(ErrorCode::kBadPayloadSize, "sub-streams");
  }
  return streams;
}

}  // namespace presso
