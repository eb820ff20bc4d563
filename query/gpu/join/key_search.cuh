// SPDX-License-Identifier: MIT
// Lookups of ascending keys (LookupForm::kAscending): a key is found by binary search. A warp first
// looks for the window that contains all keys of its lanes, 32 places at a time; lanes then search
// within it. If probe keys ascend, too, the window has few keys that lie together. In any other
// order it contains nearly all keys, and a lane takes as many steps as their number has bits.
// Tested by tests/simt/ascending_lookup_test.cpp.
#pragma once

#include "presso/no_row.h"
#include "query/gpu/join/key_hash.cuh"
#include "query/gpu/join/warp_range.cuh"

namespace presso::gpu {

/// The keys, ascending as signed numbers, and the row of each. A Finder that needs no block.
struct KeySearch {
  using Key = u64;

  const u64* keys = nullptr;
  const u32* rows = nullptr;
  u32 count = 0;  ///< fewer than 2^31

  /// As Finder::find() (look_up.cuh), called by all lanes of a warp; for a key that repeats it
  /// finds the last row.
  template <u32 kItems>
  PRESSO_DEVICE void find(u64, const u64 (&wanted)[kItems], u32 joins, u32 (&found)[kItems],
                          Byte*) const {
    PRESSO_UNROLL
    for (u32 item = 0; item < kItems; ++item) found[item] = kNoRow;
    if (!simt::any(joins != 0)) return;
    const Window window = window_of(wanted, joins);
    if (window.first == window.end) return;
    u32 at[kItems];
    PRESSO_UNROLL
    for (u32 item = 0; item < kItems; ++item) at[item] = window.first;
    // The last key not above the wanted one is among `size` keys from `at` on, or before them.
    for (u32 size = window.end - window.first; size > 1;) {
      const u32 half = size / 2;
      PRESSO_UNROLL
      for (u32 item = 0; item < kItems; ++item) {
        if ((joins >> item & 1) == 0) continue;
        if (key_at(at[item] + half) <= signed_key(wanted[item])) at[item] += half;
      }
      size -= half;
    }
    PRESSO_UNROLL
    for (u32 item = 0; item < kItems; ++item) {
      if ((joins >> item & 1) == 0 || key_at(at[item]) != signed_key(wanted[item])) continue;
      found[item] = simt::load_readonly(rows + at[item]);
    }
  }

 private:
  /// A range of places.
  struct Window {
    u32 first;
    u32 end;
  };

  PRESSO_DEVICE static std::int64_t signed_key(u64 key) { return static_cast<std::int64_t>(key); }
  /// The key at a place.
  PRESSO_DEVICE std::int64_t key_at(u32 place) const {
    return signed_key(simt::load_readonly(keys + place));
  }

  /// Returns the window from the first key that is not below any wanted key to after the last one
  /// that is not above all of them. Some lane wants a key.
  template <u32 kItems>
  PRESSO_DEVICE Window window_of(const u64 (&wanted)[kItems], u32 joins) const {
    auto least = static_cast<std::int64_t>(~u64{0} >> 1);
    auto most = static_cast<std::int64_t>(u64{1} << 63);
    PRESSO_UNROLL
    for (u32 item = 0; item < kItems; ++item) {
      if ((joins >> item & 1) == 0) continue;
      const std::int64_t key = signed_key(wanted[item]);
      least = key < least ? key : least;
      most = key > most ? key : most;
    }
    reduce_range(least, most);
    const u32 first = first_from(least);
    return {first, end_of(first, most)};
  }

  /// Returns the place of the first key that is not below `key`, or `count`. Each step reduces the
  /// range to a 33rd.
  PRESSO_DEVICE u32 first_from(std::int64_t key) const {
    u32 first = 0;
    for (u32 size = count; size > 0;) {
      const u32 step = (size + kWarpSize) / (kWarpSize + 1);
      const u32 mine = step * (simt::lane() + 1) - 1;
      const u32 below = simt::popcount(simt::ballot(mine < size && key_at(first + mine) < key));
      // The place is after the last probe that is below, and before the next probe.
      const u32 skipped = step * below;
      const bool has_next = below < kWarpSize && skipped + step <= size;
      first += skipped;
      size = has_next ? step - 1 : size - skipped;
    }
    return first;
  }

  /// Returns a place after all keys from `first` on that are not above `key`, at most twice as far
  /// away as necessary.
  PRESSO_DEVICE u32 end_of(u32 first, std::int64_t key) const {
    const u32 left = count - first;
    const u32 mine = 1u << simt::lane();
    const u32 inside = simt::popcount(simt::ballot(mine < left && key_at(first + mine) <= key));
    return inside >= kWordBits - 1 || (1u << inside) > left ? count : first + (1u << inside);
  }
};

}  // namespace presso::gpu
