// SPDX-License-Identifier: MIT
// How common each byte is in text and logs: by this, searches decide which bytes of a pattern to
// look for. The table comes from make_byte_frequency.py.
#pragma once

#include "presso/bytes.h"

namespace presso::scan_detail {

/// On a logarithmic scale: 16 * (16 + log2 of the probability), from 0 (rarer than 1 in 65,536).
unsigned byte_frequency(Byte value);
/// The probability itself, of a byte chosen at random.
double byte_probability(Byte value);

}  // namespace presso::scan_detail
