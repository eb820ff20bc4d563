// SPDX-License-Identifier: MIT
// Writes sequences in the Byte coding (FORMAT.md 6; sources: S7.2): seven streams one after
// another, each an array of bytes or words, so that a decoder finds sequence i of offsets and
// tokens without parsing those before it. There is no entropy coding: this is the fast coding. It
// takes whatever sequences it is given, also where the payload becomes larger than the plain bytes.
#pragma once

#include "compress/parse/sequence_statistics.h"
#include "presso/byte_stream.h"
#include "presso/wire.h"

namespace presso {

/// Fills stream counts, payload size and layout of `header`, whose plain_bytes must be set. The
/// sizes are exact.
void plan_byte_payload(const Sequences& sequences, const SequenceStatistics& statistics,
                       const TokenLayout& layout, BlockHeader& header);

/// Appends the payload that `header` was planned for to `to`; `scratch` is overwritten.
void write_byte_payload(Bytes plain, const Sequences& sequences, const BlockHeader& header,
                        Buffer& scratch, Buffer& to);

}  // namespace presso
