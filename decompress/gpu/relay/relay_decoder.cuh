// SPDX-License-Identifier: MIT
// The relay decoder: a thread block decodes a block of the file, a page of 4 KiB of plain bytes at
// a time, with the history in shared memory. Some warps parse (relay_parser.cuh), a page ahead of
// the eight that copy (half_page_copier.cuh). Sources: S7.6, S7.7, S7.16, S7.17.
//
// Takes up blocks in state kSurveyed. Leaves a final status or kFailed, or kPlanned where a page
// has more than Policy::kSegmentSlots segments. Test: tests/simt/relay_decoder_test.cpp. Benchmark:
// lab/programs/decompress_gpu/decode_rate.cpp.
#pragma once

#include "decompress/gpu/checksum/content_check.cuh"
#include "decompress/gpu/relay/relay_parser.cuh"

namespace presso::gpu {

template <class Policy>
/// The copying warps' way through a block, page by page.
class RelayCopier {
 public:
  PRESSO_DEVICE RelayCopier(const BlockPlan& plan, RelayShared<Policy>& shared)
      : plan_(plan), shared_(shared), half_pages_(shared) {}

  PRESSO_DEVICE void run() {
    const u32 pages = (plan_.plain_bytes + Policy::kPageBytes - 1) / Policy::kPageBytes;
    Byte* out = plan_.out;
    u32 left = plan_.plain_bytes;
    take(0);
    half_pages_.prepare(0, 0);
    Sync::sync();
    PRESSO_NO_UNROLL
    for (u32 page = 0; page < pages; ++page) {
      const u32 tables = page % 2 * kTablesBytes;
      u32 base = 0u - static_cast<u32>(sizeof(SegmentSlot));
      half_pages_.copy(base, out, left);
      half_pages_.prepare(tables, kHalfPageBytes);
      Sync::sync();
      half_pages_.copy(base, out + kHalfPageBytes, left - kHalfPageBytes);
      out += Policy::kPageBytes;
      left -= Policy::kPageBytes;
      simt::bulk_fence();  // the copy engine writes to the ring next
      if (page + 1 < pages) {
        if (page + 2 < pages) give_back(page);
        take(page + 1);
        half_pages_.prepare(kTablesBytes - tables, 0);
      }
      Sync::sync();
      if ((page + 1) % Policy::kHashedPages == 0) hash(page + 1);
    }
  }

  /// How many bytes of a block of this size run() hashes.
  static PRESSO_DEVICE u32 hashed(u32 plain_bytes) {
    constexpr u32 kBytes = Policy::kHashedPages * Policy::kPageBytes;
    return plain_bytes / kBytes * kBytes;
  }

 private:
  using Shared = RelayShared<Policy>;
  static constexpr u32 kTablesBytes = TableOffsets<Shared>::kBytes;
  static_assert(Policy::kPageBytes == 2 * kHalfPageBytes);

  struct Sync {
    static PRESSO_DEVICE void sync() { simt::named_barrier_sync(kCopierBarrier, kCopierThreads); }
  };

  /// Says that the page's tables may be written again.
  PRESSO_DEVICE void give_back(u32 page) { simt::mbarrier_arrive(&shared_.free[page % 2]); }

  /// Waits until the page's tables and literals are there.
  PRESSO_DEVICE void take(u32 page) { simt::mbarrier_wait(&shared_.full[page % 2], page / 2 % 2); }

  /// Hashes the kHashedPages pages before page `end`, which the ring still has, a warp each; only
  /// where the plan wants hashes.
  PRESSO_DEVICE void hash(u32 end) {
    constexpr u32 kSegments = Policy::kPageBytes / kHashSegmentBytes;
    const u32 back = Policy::kHashedPages - simt::warp_in_block();
    if (plan_.segment_hashes == nullptr || simt::warp_in_block() >= Policy::kHashedPages ||
        end * Policy::kPageBytes > plan_.plain_bytes) {
      return;
    }
    const u32 place = half_pages_.ring() + Policy::kRing - back * Policy::kPageBytes;
    hash_in_ring<kSegments, Policy::kRing>(plan_, (end - back) * Policy::kPageBytes, shared_.ring,
                                           place < Policy::kRing ? place : place - Policy::kRing);
  }

  const BlockPlan& plan_;
  Shared& shared_;
  HalfPageSteps<Policy, Shared, Sync> half_pages_;
};

/// Decodes the block of this thread block. kBit: whether it may be a Bit block; kUnpackedHere:
/// whether the same kernel has unpacked it.
template <class Policy, bool kBit, bool kUnpackedHere = false>
PRESSO_DEVICE void relay_decode(const BlockPlan& plan, u32* status) {
  auto& shared = *reinterpret_cast<RelayShared<Policy>*>(simt::shared_memory());
  clear_tables(shared);
  const u32 thread = simt::thread_in_block();
  if (thread < 2) {
    simt::mbarrier_init(&shared.full[thread], Policy::kParsers * simt::kWarpSize);
    simt::mbarrier_init(&shared.free[thread], kCopierThreads);
    shared.starts[thread] = {0, 0};
  }
  if (thread == 0) shared.result = decoded_status(plan);
  simt::block_sync();
  if (simt::warp_in_block() < kCopiers) {
    RelayCopier<Policy>(plan, shared).run();
  } else if (!kBit || plan.is(Coding::kByte)) {
    RelayParser<Policy, UnitParser>(plan, unit_records(plan), shared).run();
  } else {
    using Parser = RecordUnitParser<kUnpackedHere>;
    RelayParser<Policy, Parser>(plan, unit_records(plan), shared).run();
  }
  simt::block_sync();
  finish_block(plan, shared.result, RelayCopier<Policy>::hashed(plan.plain_bytes), status);
}

/// kBit: whether it is for Bit blocks, too.
template <class Policy, bool kBit = true>
PRESSO_DEVICE void relay_decoder_body(const BlockPlan* plans, u32* statuses) {
  const u32 block = simt::block_index();
  if (statuses[block] != kSurveyed) return;
  const BlockPlan plan = plans[block];
  relay_decode<Policy, kBit>(plan, statuses + block);
}

}  // namespace presso::gpu
