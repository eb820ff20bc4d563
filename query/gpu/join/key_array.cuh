// SPDX-License-Identifier: MIT
// kDirect: an array over the range of the build side's keys, in which places[key - least] is a
// build row. A look-up is one load, without hashing, and neighbouring keys share cache lines.
// Tested by tests/simt/joins_in_emulator_test.cpp.
#pragma once

#include "presso/no_row.h"
#include "query/gpu/join/key_hash.cuh"

namespace presso::gpu {

/// A Finder (look_up.cuh).
template <class KeyType>
struct KeyArray {
  using Key = KeyType;
  static constexpr u32 kSharedBytes = 0;
  static constexpr bool kTellsRepeats = true;

  u32* places = nullptr;  ///< must hold kNoRow before building
  Key least = 0;
  Key last = 0;  ///< the greatest key minus the least one

  /// A key below `least` wraps around, so that one comparison covers both ends of the range.
  template <u32 kItems>
  PRESSO_DEVICE void find(u64, const Key (&keys)[kItems], u32 joins, u32 (&found)[kItems],
                          Byte*) const {
    PRESSO_UNROLL
    for (u32 item = 0; item < kItems; ++item) {
      const Key place = keys[item] - least;
      const bool is_inside = (joins >> item & 1) != 0 && place <= last;
      found[item] = is_inside ? simt::load_readonly(places + place) : kNoRow;
    }
  }
};

}  // namespace presso::gpu
