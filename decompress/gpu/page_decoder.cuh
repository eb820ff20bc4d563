// SPDX-License-Identifier: MIT
// The page decoder: a thread block decodes a block of the file, a page of 4 KiB of plain bytes at a
// time, with the history in shared memory. Catalogue S7.6, S7.7, S7.16, S7.17.
//
// Two warps parse (page_parser.cuh), a page ahead of those that copy. For each *segment*, which is
// the literal run of a sequence or its match, they mark the byte where it begins and fill a slot
// that says how far back its bytes are; slots are numbered in order. The page's literals are copied
// into the ring, where the next page will be.
//
// For each tile of 2 KiB of it, each lane of the eight copiers owns eight consecutive bytes:
//   first wave   it counts marks for the slots of its bytes, gathers byte by byte and stores once
//   barrier
//   second wave  bytes whose source lies in the same tile are gathered again; where the rule does
//                not promise that once is enough, until nothing changes
//   barrier      the tile is final, and goes to global memory from registers
//
// Why that ends: a byte's source lies below it, so that in round n all bytes at the ends of at most
// n references within the tile are right.
//
// Back: ring positions are taken modulo kRing, and a byte of a segment has its source `back` below
// it: a match its distance, a literal run kRing less what its literals lie ahead. A slot is
// kSlotBias - back; that of a match which overlaps itself within a tile has a value of its own.
//
// Takes up blocks in state kPlanned. Leaves kOk or kFailed, or kPlanned where it declines: other
// codings, dictionaries, far offsets, output that is not 8-aligned, a distance above
// Policy::kMostDistance, more than Policy::kSlots segments in a page.
#pragma once

#include "decompress/gpu/page_parser.cuh"

namespace presso::gpu {

template <class Policy>
class TileCopier {
 public:
  PRESSO_DEVICE TileCopier(const BlockPlan& plan, PageShared<Policy>& shared)
      : plan_(plan), shared_(shared), mine_(8 * simt::thread_in_block()) {}

  /// First wave of the tile at ring position `ring` and page position `in_page`. `valid`: of the
  /// page's bytes from there on.
  PRESSO_DEVICE void first_wave(PageTables<Policy>& tables, u32 ring, u32 in_page, u32 valid) {
    const u32 chunk = in_page / Policy::kChunkBytes + simt::warp_in_block();
    Byte* const at = tables.marks + in_page + mine_;
    const u64 marks = *reinterpret_cast<const u64*>(at);
    *reinterpret_cast<u64*>(at) = 0;
    const u32 low = static_cast<u32>(marks);
    const u32 high = static_cast<u32>(marks >> 32);  // allow(bare-32): bits
    const u32 sum = simt::dot4(high, kEachByte, simt::dot4(low, kEachByte, 0));
    const u32 slot = tables.chunk_slots[chunk] + simt::inclusive_sum(sum) - sum;
    tile_ = static_cast<int>(ring);
    place_ = ring + mine_;
    active_ = mine_ < valid;
    int top = tile_ - 1;
    if (active_) {
      constexpr u32 kUpTo[4] = {0x00000001u, 0x00000101u, 0x00010101u, 0x01010101u};
      const u32 middle = simt::dot4(low, kEachByte, slot);
      PRESSO_UNROLL
      for (u32 i = 0; i < 8; ++i) {
        const u32 mine = i < 4 ? simt::dot4(low, kUpTo[i % 4], slot)
                               : simt::dot4(high, kUpTo[i % 4], middle);
        from_[i] = slot_at(tables, mine) + static_cast<int>(place_ - kSlotBias + i);
      }
      top = highest();
    }
    if (simt::any(top > static_cast<int>(place_ + kOverlapGap))) {
      resolve_overlaps(tables, marks, in_page, chunk);
      if (active_) top = highest();
    }
    near_ = top >= tile_;
    if (!active_) return;
    u32 bytes[8];
    PRESSO_UNROLL
    for (u32 i = 0; i < 8; ++i) {
      bytes[i] = shared_.ring[wrap(from_[i] < tile_ ? from_[i] : tile_ - 1)];
    }
    value_ = eight(bytes);
    *reinterpret_cast<u64*>(shared_.ring + place_) = value_;
  }

  PRESSO_DEVICE bool has_near() const { return near_; }

  /// The second wave's bytes as they are now. True where the lane's have changed.
  PRESSO_DEVICE bool gather_near() {
    const u64 before = value_;
    u32 bytes[8];
    PRESSO_UNROLL
    for (u32 i = 0; i < 8; ++i) bytes[i] = shared_.ring[wrap(from_[i])];
    value_ = eight(bytes);
    return value_ != before;
  }

  PRESSO_DEVICE void store_near() {
    PRESSO_UNROLL
    for (u32 i = 0; i < 8; ++i) {
      if (from_[i] >= tile_) shared_.ring[place_ + i] = static_cast<Byte>(value_ >> (8 * i));
    }
  }

  /// To global memory. `at`: of the tile in the block.
  PRESSO_DEVICE void flush(u32 at) const {
    if (!active_) return;
    const u32 from = at + mine_;
    if (from + 8 <= plan_.plain_bytes) {
      simt::store_streaming(reinterpret_cast<u64*>(plan_.out + from), value_);
    } else {
      for (u32 i = 0; from + i < plan_.plain_bytes; ++i) {
        plan_.out[from + i] = static_cast<Byte>(value_ >> (8 * i));
      }
    }
  }

 private:
  static PRESSO_DEVICE int slot_at(const PageTables<Policy>& tables, u32 byte_offset) {
    return *reinterpret_cast<const Slot*>(reinterpret_cast<const Byte*>(tables.slots) +
                                          byte_offset);
  }

  static PRESSO_DEVICE u32 wrap(int place) {
    const u32 at = static_cast<u32>(place);
    const u32 lap = at + Policy::kRing;
    return at < lap ? at : lap;
  }

  PRESSO_DEVICE int highest() const {
    int top = from_[0];
    PRESSO_UNROLL
    for (u32 i = 1; i < 8; ++i) top = from_[i] > top ? from_[i] : top;
    return top;
  }

  static PRESSO_DEVICE u32 four(const u32* bytes) {
    return simt::byte_permute(simt::byte_permute(bytes[0], bytes[1], 0x0040),
                              simt::byte_permute(bytes[2], bytes[3], 0x0040), 0x5410);
  }
  static PRESSO_DEVICE u64 eight(const u32* bytes) {
    return four(bytes) | u64{four(bytes + 4)} << 32;  // allow(bare-32): bits
  }

  PRESSO_DEVICE bool overlaps(u32 i) const {
    return from_[i] > static_cast<int>(place_ + kOverlapGap + i);
  }
  PRESSO_DEVICE u32 overlap_distance(u32 i) const {
    return static_cast<u32>(from_[i]) - (place_ + kOverlapGap + i);
  }

  /// Bytes of matches that overlap themselves: from the repetition that is nearest and lies below
  /// the tile, or below the match if that begins in the tile.
  PRESSO_DEVICE void resolve_overlaps(const PageTables<Policy>& tables, u64 marks, u32 in_page,
                                      u32 chunk) {
    const int x = static_cast<int>(in_page + mine_);
    const u32 high = static_cast<u32>(marks >> 32);  // allow(bare-32): bits
    const u32 low = static_cast<u32>(marks);
    const u32 last = high != 0 ? 7 - simt::count_leading_zeros(high) / 8
                               : 3 - simt::count_leading_zeros(low | 1) / 8;
    const u32 below = simt::ballot(marks != 0) & ((1u << simt::lane()) - 1);
    const u32 owner = simt::kWarpSize - 1 - simt::count_leading_zeros(below | 1);
    const int other = simt::shuffle(x + static_cast<int>(last), owner);
    int start = below != 0 ? other : tables.chunk_starts[chunk];
    if (!active_) return;
    if (start < static_cast<int>(in_page)) start = static_cast<int>(in_page);
    u32 phase = 0;
    u32 back = 0;
    if (overlaps(0) && (low & 255) == 0) {
      const u32 in_match = static_cast<u32>(x - start);
      const u32 repetitions = in_match / overlap_distance(0);
      phase = in_match - repetitions * overlap_distance(0);
      back = (repetitions + 1) * overlap_distance(0);
    }
    PRESSO_UNROLL
    for (u32 i = 0; i < 8; ++i) {
      if (overlaps(i)) {
        const u32 distance = overlap_distance(i);
        if ((marks >> (8 * i) & 255) != 0) {
          phase = 0;
          back = distance;
        } else if (i > 0 && ++phase == distance) {
          phase = 0;
          back += distance;
        }
        from_[i] = static_cast<int>(place_ + i) - static_cast<int>(back);
      }
    }
  }

  const BlockPlan& plan_;
  PageShared<Policy>& shared_;
  u32 mine_;  // of the tile's bytes, this lane's first
  int tile_ = 0;
  u32 place_ = 0;
  bool active_ = false;
  bool near_ = false;  // some byte is of the second wave
  int from_[8];  // ring position of each byte's source; may be a lap too low
  u64 value_ = 0;
};

template <class Policy>
class PageCopier {
 public:
  PRESSO_DEVICE PageCopier(const BlockPlan& plan, PageShared<Policy>& shared)
      : plan_(plan),
        shared_(shared),
        copier_(plan, shared),
        once_(plan.rule == static_cast<Byte>(DependencyRule::kTile) &&
              (1u << plan.group_log2) >= kTileBytes) {}

  PRESSO_DEVICE void run() {
    const u32 pages = (plan_.plain_bytes + kPageBytes - 1) / kPageBytes;
    PRESSO_NO_UNROLL
    for (u32 page = 0; page < pages; ++page) {
      PageTables<Policy>& tables = shared_.pages[page % 2];
      PageBarriers::wait<PageBarriers::kFull, Policy::kThreads>(page % 2 != 0);
      if (tables.has_literals != 0) {
        simt::bulk_copy_wait(&tables.literal_barrier, (parities_ >> (page % 2)) & 1);
        parities_ ^= 1u << (page % 2);
      }
      if (tables.stopped == 0) copy_page(page, tables);
      simt::bulk_fence();
      if (page + 2 < pages) {
        if (tables.stopped != 0) sync();  // all have read has_literals
        if (simt::thread_in_block() == 0) tables.has_literals = 0;
        PageBarriers::arrive<PageBarriers::kFree, Policy::kThreads>(page % 2 != 0);
      }
    }
  }

 private:
  static PRESSO_DEVICE void sync() {
    simt::named_barrier_sync(PageBarriers::kCopiers, Policy::kCopierThreads);
  }

  PRESSO_DEVICE void copy_page(u32 page, PageTables<Policy>& tables) {
    const u32 at = page * kPageBytes;
    const u32 left = plan_.plain_bytes - at;
    const u32 valid = left < kPageBytes ? left : kPageBytes;
    PRESSO_NO_UNROLL
    for (u32 in_page = 0; in_page < valid; in_page += kTileBytes) {
      copier_.first_wave(tables, ring_, in_page, valid - in_page);
      sync();
      if (once_) {
        if (copier_.has_near()) {
          copier_.gather_near();
          copier_.store_near();
        }
        sync();
      } else {
        copy_near_in_rounds();
      }
      copier_.flush(at + in_page);
      ring_ += kTileBytes;
      if (ring_ == Policy::kRing) ring_ = 0;
    }
  }

  PRESSO_DEVICE void copy_near_in_rounds() {
    do {
      const bool changed = copier_.has_near() && copier_.gather_near();
      sync();
      ++round_;
      if (changed) {
        copier_.store_near();
        simt::atomic_max(&shared_.changed, round_);
      }
      sync();
    } while (shared_.changed == round_);
  }

  const BlockPlan& plan_;
  PageShared<Policy>& shared_;
  TileCopier<Policy> copier_;
  bool once_;
  u32 ring_ = 0;  // position of the next tile
  u32 round_ = 0;
  u32 parities_ = 0;  // of the literal barriers, a bit each
};

template <class Policy>
PRESSO_DEVICE bool page_decoder_takes(const BlockPlan& plan) {
  return plan.coding == static_cast<Byte>(Coding::kByte) && plan.far == 0 &&
         plan.dictionary_bytes == 0 && reinterpret_cast<u64>(plan.out) % 8 == 0;
}

template <class Policy>
PRESSO_DEVICE void page_decoder_body(const BlockPlan* plans, u32* statuses) {
  const u32 block = simt::block_index();
  const BlockPlan plan = plans[block];
  if (statuses[block] != kPlanned || !page_decoder_takes<Policy>(plan)) return;
  auto& shared = *reinterpret_cast<PageShared<Policy>*>(simt::shared_memory());
  const u32 thread = simt::thread_in_block();
  for (u32 i = 8 * thread; i < 2 * kPageBytes; i += 8 * Policy::kThreads) {
    *reinterpret_cast<u64*>(shared.pages[i / kPageBytes].marks + i % kPageBytes) = 0;
  }
  if (thread < 2) {
    PageTables<Policy>& tables = shared.pages[thread];
    simt::bulk_barrier_init(&tables.literal_barrier);
    tables.has_literals = 0;
    tables.stopped = 0;
    tables.chunk_slots[0] = 0u - static_cast<u32>(sizeof(Slot));
    tables.chunk_starts[0] = 0;
  }
  if (thread == 0) {
    shared.cursor = Cursor{};
    shared.stopped = 0;
    shared.result = 0;
    shared.changed = 0;
  }
  simt::block_sync();
  if (simt::warp_in_block() < Policy::kCopiers) {
    PageCopier<Policy>(plan, shared).run();
  } else {
    PageParser<Policy>(plan, shared).run();
  }
  simt::block_sync();
  if (thread == 0) statuses[block] = shared.result;
}

}  // namespace presso::gpu
