// SPDX-License-Identifier: MIT
// The tile decoder's shared memory and policies (tile_decoder.cuh has the idea).
#pragma once

#include "decompress/gpu/block_plan.h"

namespace presso::gpu {

constexpr std::uint32_t kTileBytes = 1024;  ///< also the segment of the content checksum
constexpr std::uint32_t kTileLog2 = 10;
constexpr std::uint32_t kWarp = 32;  // allow(bare-32): simt.h, which has kWarpSize, is for kernels

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
  static constexpr std::uint32_t kPartBytes = kTileBytes / kCopiers_;  ///< of a tile, a warp
  static constexpr std::uint32_t kLaneBytes = kPartBytes / kWarp;
  static constexpr std::uint32_t kThreads = kWarp * (kCopiers_ + 1);
  static_assert(kRing % kTileBytes == 0 && kRing >= 8 * kTileBytes);
  static_assert(kLaneBytes == 4 || kLaneBytes == 8);
};

constexpr std::uint32_t kTilesAhead = 8;     ///< tiles that the tables hold at a time
constexpr std::uint32_t kRecords = 512;      ///< sequences that they hold
constexpr std::uint32_t kNearEntries = 512;  ///< near matches; at most 1 for 4 bytes
constexpr std::uint32_t kLiteralChunk = 1024;
constexpr std::uint32_t kLiteralRing = 4 * kLiteralChunk;

/// What the parser publishes of a tile.
struct TileInfo {
  std::uint32_t near_begin;  ///< index of its first entry in the list of near matches
  std::uint32_t near_count;
  std::uint32_t external;  ///< not 0: some source lies outside shared memory
  std::uint32_t reserved;
};

/// Where its sequence's literals and its match come from: see tile_parser.cuh.
struct alignas(8) SourceWords {
  std::uint32_t literals;
  std::uint32_t match;
};

/// The segment that the byte before a warp's part of a tile belongs to, if it goes on in it.
struct alignas(8) PartStart {
  std::uint32_t slot;  ///< 4 times its slot
  std::uint32_t word;  ///< its source, for places of this tile
};

/// Of a tile's first byte.
struct alignas(8) TileStart {
  std::uint32_t literal;   ///< next in the literal stream
  std::uint32_t sequence;  ///< that it belongs to
};

template <class Policy>
struct alignas(128) TileShared {
  /// History, then a copy of its first tile so that sources may run over the end.
  Byte ring[Policy::kRing + kTileBytes];
  Byte literals[kLiteralRing + kLiteralChunk + 16];
  /// For each byte that begins a segment 4 times the step to its slot, else 0.
  Byte steps[kTilesAhead * kTileBytes];
  /// A lane goes on by at most 3 records behind its first.
  SourceWords records[kRecords + 4];
  PartStart parts[kTilesAhead * Policy::kCopiers];
  TileStart tile_starts[kTilesAhead];
  std::uint32_t near[kNearEntries];
  std::uint64_t literal_barriers[kLiteralRing / kLiteralChunk];
  TileInfo infos[kTilesAhead];
  std::uint32_t near_counts[kTilesAhead];
  std::uint32_t externals[kTilesAhead];
  std::uint32_t stop;
};

}  // namespace presso::gpu
