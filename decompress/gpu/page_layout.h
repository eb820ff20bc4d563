// SPDX-License-Identifier: MIT
// Shared memory and policies of the two decoders that keep the history in shared memory, the page
// decoder (page_decoder.cuh) and the relay decoder (relay_decoder.cuh), and what the survey
// (survey.cuh) leaves for them in device memory.
#pragma once

#include <cstddef>

#include "decompress/gpu/block_plan.h"

namespace presso::gpu {

constexpr std::uint32_t kWarp = 32;  // allow(bare-32): simt.h, which has kWarpSize, is for kernels
constexpr std::uint32_t kUnitSequences = 4 * kWarp;  ///< parsed by a warp at a time
constexpr std::uint32_t kTileBytes = 2048;           ///< copied between two barriers
constexpr std::uint32_t kCopiers = 8;                ///< warps that copy a tile
constexpr std::uint32_t kCopierThreads = kCopiers * kWarp;
constexpr std::uint32_t kChunkBytes = kTileBytes / kCopiers;  ///< of a tile, a warp; 8 a lane

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

/// Where a page of plain bytes begins.
struct PageStart {
  std::uint32_t literals;  ///< before its first byte
  std::uint32_t segments;  ///< before the segment that holds its first byte
};
struct alignas(16) PageRecord {
  PageStart start;
  std::uint32_t unit;  ///< that holds its first byte
  std::uint32_t reserved;
};

/// One more than there are full units: the last one holds the literals behind the last sequence.
PRESSO_HD constexpr std::uint32_t units_of(std::uint32_t sequences) {
  return sequences / kUnitSequences + 1;
}
/// Pages of the page decoder, and one behind the last.
constexpr std::uint32_t kDensePageBytes = 4 * kTileBytes;
PRESSO_HD constexpr std::uint32_t pages_of(std::uint32_t plain_bytes) {
  return (plain_bytes + kDensePageBytes - 1) / kDensePageBytes;
}

/// A block's records in the cells that its plan has.
struct SurveyRecords {
  UnitRecord* units;  ///< units_of(sequences)
  PageRecord* pages;  ///< pages_of(plain_bytes) and one more

  PRESSO_HD explicit SurveyRecords(const BlockPlan& plan)
      : units(reinterpret_cast<UnitRecord*>(plan.survey)),
        pages(reinterpret_cast<PageRecord*>(plan.survey +
                                            units_of(plan.sequences) * sizeof(UnitRecord))) {}
  /// Whether the cells are enough.
  static PRESSO_HD bool fit(const BlockPlan& plan) {
    return 2 * units_of(plan.sequences) + pages_of(plan.plain_bytes) + 1 <=
           survey_cells_of(plan.plain_bytes);
  }
};
static_assert(sizeof(UnitRecord) == 2 * kSurveyCellBytes && sizeof(PageRecord) == kSurveyCellBytes);

/// A segment's slot: 16 bits that say where its bytes come from, see tile_copier.cuh.
using Slot = std::uint16_t;

/// What parsers tell copiers of a page of kBytes.
template <std::uint32_t kBytes, std::uint32_t kSlots>
struct alignas(16) PageTables {
  /// For each byte that begins a segment sizeof(Slot), else 0.
  Byte marks[kBytes];
  Slot slots[kSlots];
};

/// A policy changes speed, never results.
/// kTiles: history in shared memory, in tiles; the page being made and literals are in it too.
/// kSlots: segments of a page, at most; blocks with more are left to the warp decoder.
/// kBlocks: thread blocks on a multiprocessor, for the register budget.
template <std::uint32_t kTiles, std::uint32_t kSlots_, std::uint32_t kBlocks>
struct PagePolicy {
  static constexpr std::uint32_t kPageBytes = kDensePageBytes;
  static constexpr std::uint32_t kThreads = kCopierThreads;
  static constexpr std::uint32_t kRing = kTiles * kTileBytes;
  static constexpr std::uint32_t kSlots = kSlots_;
  static constexpr std::uint32_t kBlocksPerMultiprocessor = kBlocks;
  /// Literals of a page lie in the ring so that those of a tile lie behind it: they end a tile and
  /// up to 16 bytes behind the page. They are requested before the last tile of the page before.
  static constexpr std::uint32_t kMostDistance = kRing - kPageBytes - 2 * kTileBytes - 16;
  static_assert(kMostDistance >= kPageBytes);  // the page before is hashed while one is parsed
  static_assert(kRing < 61000);
};

/// kParsers: warps that parse, beside the eight that copy.
template <std::uint32_t kTiles, std::uint32_t kSlots_, std::uint32_t kParsers_,
          std::uint32_t kBlocks>
struct RelayPolicy {
  static constexpr std::uint32_t kPageBytes = 2 * kTileBytes;
  static constexpr std::uint32_t kParsers = kParsers_;
  static constexpr std::uint32_t kThreads = kCopierThreads + kParsers * kWarp;
  static constexpr std::uint32_t kRing = kTiles * kTileBytes;
  static constexpr std::uint32_t kSlots = kSlots_;
  static constexpr std::uint32_t kBlocksPerMultiprocessor = kBlocks;
  /// A page's literals lie in the ring where the page behind it will be, and there are two pages at
  /// a time.
  static constexpr std::uint32_t kMostDistance = kRing - 3 * kPageBytes - 16;
  /// Pages whose bytes are all in the ring when the last of them is done, for the copiers to hash.
  static constexpr std::uint32_t kHashedPages =
      kMostDistance / kPageBytes < kCopiers ? kMostDistance / kPageBytes : kCopiers;
  static_assert(kHashedPages > 0 && kRing < 61000);
};

template <class Policy>
struct alignas(128) PageShared {
  using Tables = PageTables<Policy::kPageBytes, Policy::kSlots>;
  Byte ring[Policy::kRing];
  Tables pages[1];
  std::uint32_t chunk_marks[kCopiers];  ///< of the next tile's chunks, the sum of the marks
  std::uint64_t literal_barrier;
  std::uint32_t result;  ///< the block's state to be
};

template <class Policy>
struct alignas(128) RelayShared {
  using Tables = PageTables<Policy::kPageBytes, Policy::kSlots>;
  Byte ring[Policy::kRing];
  Tables pages[2];
  std::uint32_t chunk_marks[kCopiers];  ///< of the next tile's chunks, the sum of the marks
  std::uint64_t literal_barriers[2];    ///< of the pages
  std::uint32_t has_literals[2];        ///< likewise
  PageStart starts[2];                  ///< likewise
  std::uint32_t result;                 ///< the block's state to be
};

/// Where a page's tables are in shared memory: these plus `tables` of the page.
template <class Shared>
struct TableOffsets {
  static constexpr std::uint32_t kMarks =
      offsetof(Shared, pages) + offsetof(typename Shared::Tables, marks);
  static constexpr std::uint32_t kSlots =
      offsetof(Shared, pages) + offsetof(typename Shared::Tables, slots);
  static constexpr std::uint32_t kBytes = sizeof(typename Shared::Tables);
};

}  // namespace presso::gpu
