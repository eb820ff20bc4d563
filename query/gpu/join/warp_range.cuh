// SPDX-License-Identifier: MIT
// The least and the greatest number that the lanes of a warp have.
// Tested by tests/simt/ascending_lookup_test.cpp.
#pragma once

#include "decompress/gpu/simt/simt.h"

namespace presso::gpu {

using simt::kWarpSize;
using simt::u32;

/// Replaces each lane's numbers by the least and the greatest of the warp.
template <class Number>
PRESSO_DEVICE void reduce_range(Number& least, Number& most) {
  for (u32 distance = kWarpSize / 2; distance > 0; distance /= 2) {
    const Number other_least = simt::shuffle_xor(least, distance);
    const Number other_most = simt::shuffle_xor(most, distance);
    least = other_least < least ? other_least : least;
    most = other_most > most ? other_most : most;
  }
}

}  // namespace presso::gpu
