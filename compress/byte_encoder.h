// SPDX-License-Identifier: MIT
// Writes sequences in the Byte coding (FORMAT.md 6; catalogue S7.2): seven streams behind one
// another, each an array, so that a decoder finds sequence i of any stream without parsing.
#pragma once

#include "compress/sequence.h"
#include "presso/byte_stream.h"
#include "presso/wire.h"

namespace presso {

/// Chooses the token layout that makes these sequences smallest. `min_match` as the parser used it.
TokenLayout choose_layout(const Sequences& sequences, Byte min_match);

/// Bytes that the streams of these sequences take under `layout`, literals included.
std::uint64_t payload_bytes(const Sequences& sequences, const TokenLayout& layout,
                            std::uint32_t plain_bytes);

/// Appends the payload to `to` and fills the stream counts, payload size and layout of `header`.
/// The sequences must be within the layout's limits.
void write_byte_payload(Bytes plain, const Sequences& sequences, const TokenLayout& layout,
                        BlockHeader& header, Buffer& to);

}  // namespace presso
