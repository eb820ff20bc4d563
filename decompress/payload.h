// SPDX-License-Identifier: MIT
// Finds the streams of a Byte-coded payload, which stand one after another (FORMAT.md 6.1), from
// the header's counts; no bytes are looked at. CPU decoders use it; GPUs have BlockPlan
// (decompress/gpu/plan/block_plan.h).
#pragma once

#include "presso/wire.h"

namespace presso {

/// The seven streams in their order. Pointers into the payload; each stream ends where the next
/// begins.
struct PayloadView {
  const Byte* offsets;  ///< the lower 16 bits of each sequence's distance
  const Byte* tokens;   ///< one byte for each sequence: both lengths, or that they go on as escapes
  const Byte* far;      ///< the third byte of the distance, of far sequences only
  const Byte* literal_escapes;
  const Byte* match_escapes;
  const Byte* long_lengths;  ///< 16 bits for each length that an escape byte cannot hold
  std::uint32_t long_count;
  const Byte* literals;
};

/// The header must be validated, which makes sure that the streams fit. Error: kBadPayloadSize if
/// an odd number of bytes is left for the long lengths.
inline Result<PayloadView> view_payload(const BlockHeader& header, const Byte* payload) {
  PayloadView view;
  view.offsets = payload;
  view.tokens = view.offsets + 2 * std::size_t{header.sequences};
  view.far = view.tokens + header.sequences;
  view.literal_escapes = view.far + header.far_offsets;
  view.match_escapes = view.literal_escapes + header.literal_escapes;
  view.long_lengths = view.match_escapes + header.match_escapes;
  view.literals = payload + header.payload_bytes - header.literals;
  const auto long_bytes = static_cast<std::uint32_t>(view.literals - view.long_lengths);
  if (long_bytes % 2 != 0) return make_error(ErrorCode::kBadPayloadSize, "odd long lengths");
  view.long_count = long_bytes / 2;
  return view;
}

}  // namespace presso
