// SPDX-License-Identifier: MIT
// Finds the seven streams of a Byte-coded payload (FORMAT.md 6.1) from the header's counts; no
// bytes are looked at. The view points into the payload.
#pragma once

#include "presso/wire.h"

namespace presso {

struct PayloadView {
  const Byte* offsets;  ///< 16-bit, one a sequence
  const Byte* tokens;   ///< one a sequence
  const Byte* far;      ///< third offset byte of far sequences
  const Byte* literal_escapes;
  const Byte* match_escapes;
  const Byte* long_lengths;  ///< 16-bit
  std::uint32_t long_count;
  const Byte* literals;
};

/// kBadPayloadSize if the streams leave half a long length. The header must be validated, which
/// makes sure that the streams fit.
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
