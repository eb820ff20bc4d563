// SPDX-License-Identifier: MIT
// The reference decoder of coded blocks (FORMAT.md 6, 13), for those inside this library who have
// only a payload: decode_block() calls it to name the error of a block that a fast decoder has
// refused, and reference_decode_block() to decode and check. One byte at a time, so it is slow.
#pragma once

#include "presso/error.h"
#include "presso/wire.h"

namespace presso {

/// Decodes the payload of a block in the Byte or Bit coding; checksums are not looked at.
/// `check_rule`: whether a match that breaks the block's dependency rule (FORMAT.md 6.3) is an
/// error. No slack is needed around the buffers.
Status reference_decode_payload(const BlockHeader& header, const Byte* payload, Bytes dictionary,
                                bool check_rule, Byte* out);

}  // namespace presso
