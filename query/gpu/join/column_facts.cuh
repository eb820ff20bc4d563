// SPDX-License-Identifier: MIT
// Kernels that DeviceJoiner runs on columns before and after a join: finding the range of keys,
// copying bitmaps that begin at any bit, and marking which numbers of the answer are rows. Each
// reads its input once. Tested by tests/simt/device_joiner_test.cpp.
#pragma once

#include "query/gpu/join/match_tile.cuh"
#include "query/gpu/join/warp_range.cuh"

namespace presso::gpu {

/// Arguments of FindKeyRange. The two results are updated by all thread blocks.
struct KeyRangeArguments {
  JoinRows rows;
  u64 sign = 0;          ///< the highest bit for signed keys, else 0
  u64* least = nullptr;  ///< must hold all ones before; keys are stored exclusive-or `sign`
  u64* most = nullptr;   ///< must hold 0 before
};

/// Finds the least and greatest key among rows that take part. Threads to data: thread blocks take
/// tiles in turn; at the end each warp has one atomic of either kind. No shared memory.
template <class Key>
struct FindKeyRange {
  using Arguments = KeyRangeArguments;
  static constexpr const char* kName = "looking for the range of keys";
  static constexpr u32 kThreads = kTileThreads;
  static constexpr u32 kBlocks = 4;
  static constexpr bool kWholeGrid = false;
  static constexpr u32 kSharedBytes = 0;

  /// With the sign bit flipped, signed keys compare as unsigned numbers do, so that one kernel
  /// suffices.
  PRESSO_DEVICE static void run(const Arguments& to) {
    const auto* const keys = static_cast<const Key*>(to.rows.d_keys);
    const auto sign = static_cast<Key>(to.sign);
    u64 least = ~u64{0}, most = 0;
    for_each_row(to.rows.count, [&](u64 row) {
      if (!takes_part(to.rows, row)) return;
      const u64 key = simt::load_streaming(keys + row) ^ sign;
      least = key < least ? key : least;
      most = key > most ? key : most;
    });
    reduce_range(least, most);
    if (simt::lane() != 0 || least > most) return;
    simt::atomic_min(to.least, least);
    simt::atomic_max(to.most, most);
  }
};

/// Arguments of CopyBits.
struct CopyBitsArguments {
  const Byte* from = nullptr;
  u64 first_bit = 0;
  u64 bits = 0;
  u32* to = nullptr;  ///< whole words; bits after the last one are unspecified
};

/// Copies bits that begin anywhere to whole words, and reads no byte without any of them. A thread
/// makes a word.
struct CopyBits {
  using Arguments = CopyBitsArguments;
  static constexpr const char* kName = "copying bits of rows";
  static constexpr u32 kThreads = kTileThreads;
  static constexpr u32 kBlocks = 4;
  static constexpr bool kWholeGrid = false;
  static constexpr u32 kSharedBytes = 0;

  /// Five bytes hold any 32 bits that begin within a byte.
  PRESSO_DEVICE static void run(const Arguments& of) {
    const u64 words = (of.bits + kWordBits - 1) / kWordBits;
    const u64 end = (of.first_bit + of.bits + 7) / 8;
    const u64 step = u64{simt::grid_blocks()} * kThreads;
    for (u64 word = u64{simt::block_index()} * kThreads + simt::thread_in_block(); word < words;
         word += step) {
      const u64 bit = of.first_bit + word * kWordBits;
      u64 all = 0;
      PRESSO_UNROLL
      for (u32 i = 0; i <= sizeof(u32); ++i) {
        const u64 at = bit / 8 + i;
        if (at < end) all |= u64{simt::load_readonly(of.from + at)} << (8 * i);
      }
      of.to[word] = static_cast<u32>(all >> (bit & 7));
    }
  }
};

/// Arguments of WritePresence.
struct PresenceArguments {
  const u32* rows = nullptr;
  u64 count = 0;
  u32* bits = nullptr;  ///< whole words
};

/// Writes a bit for each number of an answer: whether it is a row (and not kNoRow). A warp makes a
/// word.
struct WritePresence {
  using Arguments = PresenceArguments;
  static constexpr const char* kName = "marking rows of the answer";
  static constexpr u32 kThreads = kTileThreads;
  static constexpr u32 kBlocks = 4;
  static constexpr bool kWholeGrid = false;
  static constexpr u32 kSharedBytes = 0;

  PRESSO_DEVICE static void run(const Arguments& of) {
    constexpr u32 kWarps = kThreads / kWarpSize;
    const u64 words = (of.count + kWordBits - 1) / kWordBits;
    for (u64 word = u64{simt::block_index()} * kWarps + simt::warp_in_block(); word < words;
         word += u64{simt::grid_blocks()} * kWarps) {
      const u64 at = word * kWordBits + simt::lane();
      const u32 bits = simt::ballot(at < of.count && simt::load_streaming(of.rows + at) != kNoRow);
      if (simt::lane() == 0) of.bits[word] = bits;
    }
  }
};

}  // namespace presso::gpu
