// SPDX-License-Identifier: MIT
// How kernels read the packed codes of strings that are stored as tokens (coding 5, FORMAT.md 17):
// a lane takes its codes by tiles of four steps, 48 bits at a time. And how a thread block brings a
// table or a dictionary into shared memory. Used by conditions on strings in queries on GPUs
// (query/gpu). Tests: tests/simt/string_suite.cpp; lab/tests/token_column_suite.cpp.
#pragma once

#include "decompress/columns/gpu/column_batch.h"
#include "decompress/columns/gpu/lane_values.cuh"
#include "decompress/columns/gpu/payload_check.cuh"

namespace presso::gpu {

/// Words of `codes` packed codes.
PRESSO_DEVICE u32 token_words(u32 codes) {
  return codes / kVectorRows * kTokenVectorWords + lane_words(codes % kVectorRows, kTokenBits);
}

/// Codes are unpacked by tiles of four steps: 48 bits of each lane, in two words.
inline constexpr u32 kTileSteps = 4;
inline constexpr u32 kTileCodes = kTileSteps * kWarpSize;
inline constexpr u32 kTileBits = kTileSteps * kTokenBits;

struct TileCodes {
  u32 low = 0;
  u32 high = 0;

  /// The codes of tile `tile` of a vector, whose lanes have `words` words each.
  PRESSO_DEVICE static TileCodes load(const u32* lane, u32 words, u32 tile) {
    const u32 bit = tile * kTileBits;
    const u32 word = bit / kWordBits;
    if (word >= words) return {};
    const u32 first = simt::load_readonly(lane + word * kLanes);
    const u32 second = word + 1 < words ? simt::load_readonly(lane + (word + 1) * kLanes) : 0;
    const u32 shift = bit % kWordBits;
    return {simt::funnel_shift_right(first, second, shift), second >> shift};
  }
  /// `step` should be a constant.
  PRESSO_DEVICE u32 at(u32 step) const {
    const u32 bit = step * kTokenBits;
    const u32 bits =
        bit < kWordBits ? simt::funnel_shift_right(low, high, bit) : high >> (bit - kWordBits);
    return bits % kMaxTokens;
  }
};

PRESSO_DEVICE u32 lane_words_of(u32 codes) {
  return lane_words(codes, kTokenBits) / kLanes;
}

/// Copies `bytes`, a multiple of 16, by all threads of the block.
PRESSO_DEVICE void copy_to_shared(const Byte* from, u32 bytes, Byte* to) {
  for (u32 at = 16 * simt::thread_in_block(); at < bytes; at += 16 * simt::block_threads()) {
    simt::copy_async_16(to + at, from + at);
  }
  simt::copy_async_commit();
  simt::copy_async_wait<0>();
}

}  // namespace presso::gpu
