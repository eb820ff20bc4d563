// SPDX-License-Identifier: MIT
// What the survey leaves for the page decoder, and the shared memory and policies of that decoder
// (page_decoder.cuh has the idea).
#pragma once

#include "decompress/gpu/block_plan.h"

namespace presso::gpu {

constexpr std::uint32_t kWarp = 32;  // allow(bare-32): simt.h, which has kWarpSize, is for kernels
constexpr std::uint32_t kUnitSequences = 4 * kWarp;  ///< parsed by a warp at a time
constexpr std::uint32_t kTileBytes = 2048;           ///< copied between two barriers
constexpr std::uint32_t kPageTiles = 2;
constexpr std::uint32_t kPageBytes = kPageTiles * kTileBytes;  ///< handed on by the parsers

/// Where a unit of 128 sequences begins in each stream of the block.
struct alignas(16) UnitRecord {
  std::uint32_t plain = 0;     ///< position in the block
  std::uint32_t literals = 0;  ///< literals before it
  std::uint32_t segments = 0;  ///< literal runs and matches before it, empty ones not counted
  std::uint32_t long_lengths = 0;
  std::uint32_t literal_escapes = 0;
  std::uint32_t match_escapes = 0;
  std::uint32_t reserved[2] = {0, 0};
};

/// Records of all blocks of a batch: `unit_stride` for each block.
struct SurveyRecords {
  UnitRecord* units;
  std::uint32_t unit_stride;
};

/// One more than there are full units: the last one holds the literals behind the last sequence.
PRESSO_HD constexpr std::uint32_t units_of(std::uint32_t sequences) {
  return sequences / kUnitSequences + 1;
}
/// Of a block whose payload is smaller than its plain bytes: a sequence takes three bytes.
PRESSO_HD constexpr std::uint32_t most_units(std::uint32_t plain_bytes) {
  return units_of(plain_bytes / 3);
}

/// kTiles: history in shared memory, in tiles; the page being made and literals are in it too.
/// kSlots: segments of a page, at most.
/// kParsers: warps that parse, beside the eight that copy.
/// kBlocks: thread blocks on a multiprocessor, for the register budget.
template <std::uint32_t kTiles_, std::uint32_t kSlots_, std::uint32_t kParsers_,
          std::uint32_t kBlocks_>
struct PagePolicy {
  static constexpr std::uint32_t kCopiers = 8;  ///< warps
  static constexpr std::uint32_t kParsers = kParsers_;
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
struct alignas(16) PageTables {
  /// For each byte that begins a segment sizeof(Slot), else 0.
  Byte marks[kPageBytes];
  Slot slots[Policy::kSlots];
};

/// Where a page begins in the streams.
struct PageStart {
  std::uint32_t literals;  ///< before its first byte
  std::uint32_t segments;  ///< before the segment that holds its first byte
};

template <class Policy>
struct alignas(128) PageShared {
  Byte ring[Policy::kRing];
  PageTables<Policy> pages[2];
  std::uint32_t chunk_marks[Policy::kCopiers];  ///< of the next tile's chunks, the sum of the marks
  std::uint64_t literal_barriers[2];            ///< of the pages
  std::uint32_t has_literals[2];                ///< of the pages
  PageStart starts[2];                          ///< likewise
  std::uint32_t result;                         ///< the block's state to be
  std::uint32_t changed;                        ///< the last round in which a byte has changed
};

}  // namespace presso::gpu
