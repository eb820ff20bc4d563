// SPDX-License-Identifier: MIT
// The page decoder's shared memory and policies (page_decoder.cuh has the idea).
#pragma once

#include "decompress/gpu/block_plan.h"

namespace presso::gpu {

constexpr std::uint32_t kWarp = 32;  // allow(bare-32): simt.h, which has kWarpSize, is for kernels
constexpr std::uint32_t kUnitSequences = 4 * kWarp;  ///< parsed by a warp at a time
constexpr std::uint32_t kTileBytes = 2048;           ///< copied between two barriers
constexpr std::uint32_t kPageTiles = 2;
constexpr std::uint32_t kPageBytes = kPageTiles * kTileBytes;  ///< handed on by the parsers

/// kTiles: history in shared memory, in tiles; pages being made and their literals are in it too.
/// kSlots: segments of a page, at most.
/// kBlocks: thread blocks on a multiprocessor, for the register budget.
template <std::uint32_t kTiles_, std::uint32_t kSlots_, std::uint32_t kBlocks_>
struct PagePolicy {
  static constexpr std::uint32_t kCopiers = 8;  ///< warps
  static constexpr std::uint32_t kParsers = 2;  ///< warps
  static constexpr std::uint32_t kCopierThreads = kCopiers * kWarp;
  static constexpr std::uint32_t kThreads = kCopierThreads + kParsers * kWarp;
  static constexpr std::uint32_t kChunkBytes = kTileBytes / kCopiers;  ///< of a tile, a warp
  static constexpr std::uint32_t kLaneBytes = kChunkBytes / kWarp;
  static constexpr std::uint32_t kTiles = kTiles_;
  static constexpr std::uint32_t kRing = kTiles_ * kTileBytes;
  static constexpr std::uint32_t kSlots = kSlots_;
  static constexpr std::uint32_t kBlocksPerMultiprocessor = kBlocks_;
  /// A page's literals lie in the ring where the page behind it will be, and there are two pages at
  /// a time.
  static constexpr std::uint32_t kMostDistance = kRing - 3 * kPageBytes - 16;
  static_assert(kLaneBytes == 8 && kRing > 4 * kPageBytes && kRing < 61000);
};

/// A segment's slot: 16 bits that say where its bytes come from, see page_decoder.cuh.
using Slot = std::uint16_t;

/// What parsers tell copiers of a page.
template <class Policy>
struct PageTables {
  /// For each byte that begins a segment sizeof(Slot), else 0.
  Byte marks[kPageBytes];
  Slot slots[Policy::kSlots];
  /// For each chunk, the slot of the segment that holds the byte before it, times sizeof(Slot).
  std::uint32_t chunk_slots[kPageBytes / Policy::kChunkBytes];
  /// And where that segment begins, from the page's first byte.
  std::int32_t chunk_starts[kPageBytes / Policy::kChunkBytes];
  std::uint64_t literal_barrier;
  std::uint32_t has_literals;  ///< requested, and not yet seen by the copiers
  std::uint32_t stopped;       ///< parsing ended in or before this page
};

/// Where a page begins in the streams.
struct PageStart {
  std::uint32_t literals;  ///< before its first byte
  std::uint32_t segments;  ///< before the segment that holds its first byte
};

/// Where a unit begins in each stream: what one parser hands to the other.
struct Cursor {
  std::uint32_t plain = 0;     ///< position in the block
  std::uint32_t literals = 0;  ///< literals before it
  std::uint32_t segments = 0;  ///< literal runs and matches before it, empty ones not counted
  std::uint32_t long_lengths = 0;
  std::uint32_t literal_escapes = 0;
  std::uint32_t match_escapes = 0;
  PageStart page = {0, 0};  ///< of the page that holds the byte before
};

template <class Policy>
struct alignas(128) PageShared {
  Byte ring[Policy::kRing];
  PageTables<Policy> pages[2];
  Cursor cursor;
  std::uint32_t stopped;  ///< parsing has ended early, for who has the turn
  std::uint32_t result;   ///< the block's state to be
  std::uint32_t changed;  ///< the last round in which a byte has changed
};

}  // namespace presso::gpu
