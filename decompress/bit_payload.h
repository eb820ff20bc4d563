// SPDX-License-Identifier: MIT
// Where the lanes' sub-streams of a Bit-coded payload begin (FORMAT.md 14.2).
#pragma once

#include <vector>

#include "format/bit_list.h"
#include "presso/error.h"
#include "presso/wire.h"

namespace presso {

/// Bit positions in the payload where each lane begins and, as one more, where the last one ends.
/// kBadPayloadSize where that is not in the payload's last byte. The header must be validated.
inline Result<std::vector<std::uint32_t>> find_lanes(const BlockHeader& header,
                                                     const Byte* payload) {
  const BitFields& fields = header.bit;
  bit::BitReader sizes(payload, fields.head_bytes, 0);
  std::vector<std::uint32_t> begins;
  begins.reserve(fields.lanes() + 1);
  const std::uint64_t payload_bits = 8 * std::uint64_t{header.payload_bytes};
  std::uint64_t at = 8 * std::uint64_t{fields.head_bytes};
  begins.push_back(static_cast<std::uint32_t>(at));
  for (std::uint32_t lane = 0; lane < fields.lanes(); ++lane) {
    const unsigned low_bits = fields.size_bits < 16u ? fields.size_bits : 16u;
    std::uint32_t more = sizes.take(low_bits);
    more |= sizes.take(fields.size_bits - low_bits) << low_bits;
    at += fields.least_bits + more;
    if (at > payload_bits) return make_error(ErrorCode::kBadPayloadSize, "sub-streams");
    begins.push_back(static_cast<std::uint32_t>(at));
  }
  if (payload_bits - at >= 8) return make_error(ErrorCode::kBadPayloadSize, "sub-streams");
  return begins;
}

}  // namespace presso
