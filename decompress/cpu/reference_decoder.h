// SPDX-License-Identifier: MIT
#pragma once

#include "decompress/payload.h"
#include "presso/error.h"
#include "presso/wire.h"

namespace presso {

/// The reference decoder on a payload already cut into streams; `check_rule`: a back-reference that
/// breaks the block's dependency rule is an error. No slack needed anywhere.
Status reference_decode_payload(const BlockHeader& header, const PayloadView& payload,
                                Bytes dictionary, bool check_rule, Byte* out);

}  // namespace presso
