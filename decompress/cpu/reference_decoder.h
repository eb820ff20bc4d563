// SPDX-License-Identifier: MIT
#pragma once

#include "presso/error.h"
#include "presso/wire.h"

namespace presso {

/// The reference decoder on a coded block's payload; `check_rule`: a back-reference that breaks the
/// block's dependency rule is an error. No slack needed anywhere.
Status reference_decode_payload(const BlockHeader& header, const Byte* payload, Bytes dictionary,
                                bool check_rule, Byte* out);

}  // namespace presso
