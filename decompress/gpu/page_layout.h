// SPDX-License-Identifier: MIT
// What the survey leaves for the page decoder, and the shared memory and policies of that decoder
// (page_decoder.cuh has the idea).
#pragma once

#include "decompress/gpu/block_plan.h"

namespace presso::gpu {

constexpr std::uint32_t kWarp = 32;  // allow(bare-32): simt.h, which has kWarpSize, is for kernels
constexpr std::uint32_t kUnitSequences = 4 * kWarp;  ///< parsed by a warp at a time
constexpr std::uint32_t kTileBytes = 2048;           ///< copied between two barriers
constexpr std::uint32_t kPageTiles = 4;
constexpr std::uint32_t kPageBytes = kPageTiles * kTileBytes;  ///< parsed between two barriers

/// Where a unit of 128 sequences begins in each stream of the block.
struct alignas(16) UnitRecord {
  std::uint32_t plain;     ///< position in the block
  std::uint32_t literals;  ///< literals before it
  std::uint32_t segments;  ///< literal runs and matches before it, empty ones not counted
  std::uint32_t long_lengths;
  std::uint32_t literal_escapes;
  std::uint32_t match_escapes;
  std::uint32_t reserved[2];
};

/// Where a page of plain bytes begins.
struct alignas(16) PageRecord {
  std::uint32_t unit;      ///< that holds its first byte
  std::uint32_t literals;  ///< literals before that byte
  std::uint32_t segments;  ///< segments before the one that holds that byte
  std::uint32_t reserved;
};

/// Records of all blocks of a batch: `unit_stride` and `page_stride` for each block.
struct SurveyRecords {
  UnitRecord* units;
  PageRecord* pages;
  std::uint32_t unit_stride;
  std::uint32_t page_stride;
};

/// One more than there are full units: the last one holds the literals behind the last sequence.
PRESSO_HD constexpr std::uint32_t units_of(std::uint32_t sequences) {
  return sequences / kUnitSequences + 1;
}
/// A sequence takes three bytes of a payload that is smaller than the plain bytes, or else the
/// block is none for the page decoder.
PRESSO_HD constexpr std::uint32_t most_units(std::uint32_t plain_bytes) {
  return units_of(plain_bytes / 3);
}
PRESSO_HD constexpr std::uint32_t pages_of(std::uint32_t plain_bytes) {
  return (plain_bytes + kPageBytes - 1) / kPageBytes;
}

/// kTiles: history in shared memory, in tiles; it holds the page being made and its literals too.
/// kSlots: segments of a page, at most.
/// kBlocks: thread blocks on a multiprocessor, for the register budget.
template <std::uint32_t kTiles_, std::uint32_t kSlots_, std::uint32_t kBlocks_>
struct PagePolicy {
  static constexpr std::uint32_t kWarps = 8;
  static constexpr std::uint32_t kThreads = kWarps * kWarp;
  static constexpr std::uint32_t kChunkBytes = kTileBytes / kWarps;  ///< of a tile, a warp
  static constexpr std::uint32_t kLaneBytes = kChunkBytes / kWarp;
  static constexpr std::uint32_t kTiles = kTiles_;
  static constexpr std::uint32_t kRing = kTiles_ * kTileBytes;
  static constexpr std::uint32_t kSlots = kSlots_;
  static constexpr std::uint32_t kBlocksPerMultiprocessor = kBlocks_;
  /// Literals of a page lie in the ring so that those of a tile end behind it: they take the place
  /// of what is a page and a tile younger than the oldest, and up to 16 bytes.
  static constexpr std::uint32_t kMostDistance = kRing - kPageBytes - kTileBytes - 16;
  static_assert(kLaneBytes == 8 && kRing > 2 * kPageBytes && kRing < 61000);
};

/// A segment's slot: 16 bits that say where its bytes come from, see page_decoder.cuh.
using Slot = std::uint16_t;

template <class Policy>
struct alignas(128) PageShared {
  Byte ring[Policy::kRing];
  /// For each byte of the page that begins a segment sizeof(Slot), else 0.
  Byte marks[kPageBytes];
  Slot slots[Policy::kSlots];
  /// For each chunk, the slot of the segment that holds the byte before it, times sizeof(Slot).
  std::uint32_t chunk_slots[kPageBytes / Policy::kChunkBytes];
  /// And where that segment begins, from the page's first byte.
  std::int32_t chunk_starts[kPageBytes / Policy::kChunkBytes];
  std::uint64_t literal_barrier;
  std::uint32_t bad;
};

}  // namespace presso::gpu
