// SPDX-License-Identifier: MIT
// Copies long runs of literals by a warp: 16 bytes a lane and several of these under way, at any
// addresses. A byte a lane (segment_copy.cuh) would wait for memory once for each 128 bytes. Test:
// tests/simt/run_copy_test.cpp.
#pragma once

#include "decompress/gpu/simt/global_memory.h"

namespace presso::gpu {

/// Shorter runs are not worth it.
inline constexpr u32 kLongRunBytes = 512;

namespace detail {

constexpr u32 kRunVector = sizeof(simt::Vec4);
constexpr u32 kRunWord = sizeof(u32);

/// Copies fewer bytes than there are lanes, one a lane.
PRESSO_DEVICE void copy_few(u64 to, u64 from, u32 bytes) {
  if (simt::lane() < bytes) store_global(to + simt::lane(), load_global<Byte>(from + simt::lane()));
}

/// 16 bytes from anywhere: `from` is that of an aligned word, `shift` the bits of it that come
/// before them. No word is read that has none of them.
PRESSO_DEVICE simt::Vec4 load_shifted(u64 from, u32 shift) {
  u32 words[5];
  PRESSO_UNROLL
  for (u32 i = 0; i < 4; ++i) words[i] = load_global<u32>(from + i * kRunWord);
  words[4] = shift == 0 ? 0 : load_global<u32>(from + 4 * kRunWord);
  return {simt::funnel_shift_right(words[0], words[1], shift),
          simt::funnel_shift_right(words[1], words[2], shift),
          simt::funnel_shift_right(words[2], words[3], shift),
          simt::funnel_shift_right(words[3], words[4], shift)};
}

}  // namespace detail

/// Copies `bytes` bytes by a whole warp. `to` and `from` may have any alignment, but must not
/// overlap. The caller's warp_sync makes the bytes visible.
PRESSO_DEVICE void copy_run(u64 to, u64 from, u32 bytes) {
  using detail::kRunVector;
  const u32 to_boundary = static_cast<u32>(-to % kRunVector);
  const u32 head = to_boundary < bytes ? to_boundary : bytes;
  detail::copy_few(to, from, head);
  to += head;
  from += head;
  const u32 count = (bytes - head) / kRunVector;
  const u32 shift = static_cast<u32>(from % detail::kRunWord) * 8;
  const u64 words = from - from % detail::kRunWord;
  constexpr u32 kInFlight = 2;
  u32 i = simt::lane();
  PRESSO_NO_UNROLL
  for (; i + (kInFlight - 1) * kWarpSize < count; i += kInFlight * kWarpSize) {
    simt::Vec4 values[kInFlight];
    PRESSO_UNROLL
    for (u32 k = 0; k < kInFlight; ++k) {
      values[k] = detail::load_shifted(words + (i + k * kWarpSize) * kRunVector, shift);
    }
    PRESSO_UNROLL
    for (u32 k = 0; k < kInFlight; ++k) {
      store_global(to + (i + k * kWarpSize) * kRunVector, values[k]);
    }
  }
  PRESSO_NO_UNROLL
  for (; i < count; i += kWarpSize) {
    store_global(to + i * kRunVector, detail::load_shifted(words + i * kRunVector, shift));
  }
  const u32 done = count * kRunVector;
  detail::copy_few(to + done, from + done, bytes - head - done);
}

}  // namespace presso::gpu
