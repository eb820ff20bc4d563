// SPDX-License-Identifier: MIT
// The tile decoder's shared memory and policies (tile_decoder.cuh has the idea).
#pragma once

#include "decompress/gpu/block_plan.h"

namespace presso::gpu {

constexpr std::uint32_t kTileBytes = 1024;  ///< also the segment of the content checksum
constexpr std::uint32_t kTileLog2 = 10;

/// How a thread block divides its work and its shared memory. A policy changes speed, never
/// results.
/// kRing: bytes of history in shared memory, a multiple of kTileBytes; what lies further back is
///   read from the output in global memory.
/// kCopiers: warps that copy, beside the one that parses; each lane owns
///   kTileBytes / (32 * kCopiers) bytes of a tile.
/// kBlocksPerMultiprocessor: for the register budget.
template <std::uint32_t kRing_, std::uint32_t kCopiers_, std::uint32_t kBlocks_>
struct TilePolicy {
  static constexpr std::uint32_t kRing = kRing_;
  static constexpr std::uint32_t kCopiers = kCopiers_;
  static constexpr std::uint32_t kBlocksPerMultiprocessor = kBlocks_;
  static constexpr std::uint32_t kLaneBytes = kTileBytes / (32 * kCopiers_);  // allow(bare-32): warp
  static constexpr std::uint32_t kThreads = 32 * (kCopiers_ + 1);             // allow(bare-32): warp
  static_assert(kRing % kTileBytes == 0 && kRing >= 8 * kTileBytes);
  static_assert(kLaneBytes == 4 || kLaneBytes == 8);
};

/// What the parser publishes of a tile.
struct TileInfo {
  std::uint32_t near_begin;  ///< index of its first entry in the list of near matches
  std::uint32_t near_count;
  std::uint32_t external;  ///< not 0: some source lies outside shared memory
  std::uint32_t reserved;
};

/// A bitmap word and the slot that a byte before its first set bit belongs to.
struct alignas(8) OwnerWord {
  std::uint32_t starts;
  std::uint32_t slot;
};

constexpr std::uint32_t kTilesAhead = 4;       ///< tiles that tables hold at a time
constexpr std::uint32_t kTileWords = kTileBytes / 32;  // allow(bare-32): bits of a word
constexpr std::uint32_t kSlots = 1024;         ///< segment slots, a ring
constexpr std::uint32_t kSlotsOfATile = 416;   ///< at most: 2 for 5 bytes, and a continued one
constexpr std::uint32_t kNearEntries = 512;    ///< a ring too; at most 1 for 4 bytes
constexpr std::uint32_t kLiteralChunk = 1024;
constexpr std::uint32_t kLiteralRing = 4 * kLiteralChunk;

template <class Policy>
struct alignas(128) TileShared {
  /// History, then a copy of its first tile so that sources may run over the end.
  Byte ring[Policy::kRing + kTileBytes];
  Byte literals[kLiteralRing + kLiteralChunk + 16];
  OwnerWord owners[kTilesAhead * kTileWords];
  std::uint32_t slots[kSlots + kSlotsOfATile];
  std::uint32_t near[kNearEntries];
  std::uint32_t starts[kTilesAhead * kTileWords];
  std::uint64_t literal_barriers[kLiteralRing / kLiteralChunk];
  TileInfo infos[kTilesAhead];
  std::uint32_t near_counts[kTilesAhead];
  std::uint32_t externals[kTilesAhead];
  std::uint32_t literal_at[2 * kTilesAhead];
  std::uint32_t stop;
};

}  // namespace presso::gpu
