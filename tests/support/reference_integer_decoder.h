// SPDX-License-Identifier: MIT
#pragma once

#include "format/columns/integer_layout.h"

namespace presso {

/// Does the same as decode_integers(), value by value as FORMAT.md 16 defines it, with the same
/// error codes: the fast loops are compared with it.
Status reference_decode_integers(const IntegerParameters& parameters, Bytes payload,
                                 MutableBytes into);

}  // namespace presso
