// SPDX-License-Identifier: MIT
#pragma once

#include "format/columns/integer_layout.h"

namespace presso {

/// What decode_integers does, value by value as FORMAT.md 16 says it: what the fast loops are
/// compared with. The codes are the same.
Status reference_decode_integers(const IntegerParameters& parameters, Bytes payload,
                                 MutableBytes into);

}  // namespace presso
