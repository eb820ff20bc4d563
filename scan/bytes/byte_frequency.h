// SPDX-License-Identifier: MIT
// How common each byte is in text and logs. Searches decide by this which bytes of a pattern to
// look for. The table was made by make_byte_frequency.py from logs, prose, mark-up and tables;
// other text makes searches slower, never wrong.
#pragma once

#include "presso/bytes.h"

namespace presso::scan_detail {

/// The frequency on a logarithmic scale: 16 * (16 + log2 of the probability), with 0 for bytes
/// rarer than 1 in 65,536.
unsigned byte_frequency(Byte value);
/// The probability that a byte chosen at random is `value`.
double byte_probability(Byte value);

}  // namespace presso::scan_detail
