// SPDX-License-Identifier: MIT
#pragma once

#include "presso/error.h"
#include "presso/wire.h"

namespace presso {

/// Decodes a coded block's payload by the reference decoder. `check_rule`: whether a
/// back-reference that breaks the block's dependency rule is an error. No slack is needed
/// around the buffers.
Status reference_decode_payload(const BlockHeader& header, const Byte* payload, Bytes dictionary,
                                bool check_rule, Byte* out);

}  // namespace presso
