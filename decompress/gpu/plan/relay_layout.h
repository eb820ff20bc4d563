// SPDX-License-Identifier: MIT
// Shared memory and policies of the relay decoder (relay_decoder.cuh), and what survey.cuh (for Bit
// blocks bit_unpack.cuh) leaves for it in device memory.
#pragma once

#include <cstddef>

#include "decompress/gpu/plan/block_plan.h"

namespace presso::gpu {

constexpr std::uint32_t kWarp = 32;  // allow(bare-32): simt.h, which has kWarpSize, is for kernels
constexpr std::uint32_t kUnitSequences = 4 * kWarp;  ///< parsed by a warp at a time
constexpr std::uint32_t kHalfPageBytes = 2048;       ///< copied between two barriers
constexpr std::uint32_t kCopiers = 8;                ///< warps that copy a half page
constexpr std::uint32_t kCopierThreads = kCopiers * kWarp;
/// The part of a half page that one warp copies: 8 bytes a lane.
constexpr std::uint32_t kWarpBytes = kHalfPageBytes / kCopiers;

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

/// One more than there are full units: the last one holds the literals after the last sequence.
PRESSO_HD constexpr std::uint32_t units_of(std::uint32_t sequences) {
  return sequences / kUnitSequences + 1;
}

/// Where the block's unit records are; there are units_of(sequences) of them.
PRESSO_HD inline UnitRecord* unit_records(const BlockPlan& plan) {
  return reinterpret_cast<UnitRecord*>(plan.survey);
}

/// Whether the block's unit records fit into the cells that its plan has.
PRESSO_HD constexpr bool unit_records_fit(const BlockPlan& plan) {
  return 2 * units_of(plan.sequences) <= survey_cells_of(plan.plain_bytes);
}
static_assert(sizeof(UnitRecord) == 2 * kSurveyCellBytes);

/// Whether the relay decoder can take the block, as far as its plan tells: tile rule with tiles of
/// a half page or more, no dictionary, output at a multiple of 8.
PRESSO_HD inline bool history_fits(const BlockPlan& plan) {
  return plan.rule == static_cast<Byte>(DependencyRule::kTile) &&
         (1u << plan.group_log2) >= kHalfPageBytes && plan.dictionary_bytes == 0 &&
         reinterpret_cast<std::uintptr_t>(plan.out) % 8 == 0;
}

/// A segment's slot: 16 bits that say where its bytes come from, see half_page_copier.cuh.
using SegmentSlot = std::uint16_t;

/// What the parsing warps tell the copying warps about a page of kBytes plain bytes. A segment is a
/// run of literals or a match.
template <std::uint32_t kBytes, std::uint32_t kSegmentSlots>
struct alignas(16) PageTables {
  /// For each byte that begins a segment sizeof(SegmentSlot), else 0.
  Byte marks[kBytes];
  SegmentSlot slots[kSegmentSlots];
};

/// The sizes of a relay decoder, as compile-time constants; they change speed, never results.
/// kHalfPages: history in shared memory, in half pages; the page being made and literals are in it
/// too. kSegmentSlots: segments of a page, at most; blocks with more are left to the warp decoder.
/// kParsers: warps that parse, beside the eight that copy. kBlocks: thread blocks on a
/// multiprocessor, for the register budget.
template <std::uint32_t kHalfPages, std::uint32_t kSegmentSlots_, std::uint32_t kParsers_,
          std::uint32_t kBlocks>
struct RelayPolicy {
  static constexpr std::uint32_t kPageBytes = 2 * kHalfPageBytes;
  static constexpr std::uint32_t kParsers = kParsers_;
  static constexpr std::uint32_t kThreads = kCopierThreads + kParsers * kWarp;
  static constexpr std::uint32_t kRing = kHalfPages * kHalfPageBytes;
  static constexpr std::uint32_t kSegmentSlots = kSegmentSlots_;
  static constexpr std::uint32_t kBlocksPerMultiprocessor = kBlocks;
  /// The longest distance of a match that the ring allows: a page's literals lie where the next
  /// page will be, and there are two pages at a time.
  static constexpr std::uint32_t kMostDistance = kRing - 3 * kPageBytes - 16;
  /// Pages whose bytes are all in the ring when the last of them is done, for the copiers to hash.
  static constexpr std::uint32_t kHashedPages =
      kMostDistance / kPageBytes < kCopiers ? kMostDistance / kPageBytes : kCopiers;
  static_assert(kHashedPages > 0 && kRing < 61000);
};

template <class Policy>
struct alignas(128) RelayShared {
  using Tables = PageTables<Policy::kPageBytes, Policy::kSegmentSlots>;
  Byte ring[Policy::kRing];
  Tables pages[2];
  std::uint32_t warp_marks[kCopiers];  ///< for each warp, its marks of the next half page summed up
  std::uint64_t full[2];               ///< mbarriers: parsers arrive, copiers wait
  std::uint64_t free[2];               ///< the other way round
  PageStart starts[2];                 ///< where each of the two pages begins
  std::uint32_t result;                ///< the block's state to be
};

/// Where the tables of the first page are in shared memory; kBytes is the distance to the second's.
template <class Shared>
struct TableOffsets {
  static constexpr std::uint32_t kMarks =
      offsetof(Shared, pages) + offsetof(typename Shared::Tables, marks);
  static constexpr std::uint32_t kSegmentSlots =
      offsetof(Shared, pages) + offsetof(typename Shared::Tables, slots);
  static constexpr std::uint32_t kBytes = sizeof(typename Shared::Tables);
};

}  // namespace presso::gpu
