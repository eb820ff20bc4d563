// SPDX-License-Identifier: MIT
// Implements byte_frequency.h; its table of 256 frequencies is in byte_frequency.inc, which
// make_byte_frequency.py wrote.
#include "scan/bytes/byte_frequency.h"

#include <cmath>

namespace presso::scan_detail {
namespace {

#include "scan/bytes/byte_frequency.inc"

}  // namespace

unsigned byte_frequency(Byte value) {
  return kByteFrequency[value];
}

double byte_probability(Byte value) {
  return std::exp2(kByteFrequency[value] / 16.0 - 16);
}

}  // namespace presso::scan_detail
