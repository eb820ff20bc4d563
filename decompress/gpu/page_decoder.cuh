// SPDX-License-Identifier: MIT
// The page decoder: a thread block decodes a block of the file, a page of 8 KiB of plain bytes at a
// time, with the history in shared memory. Catalogue S7.6, S7.7, S7.16, S7.17.
//
// For each page (page_parser.cuh): all warps parse, each its units of 128 sequences, as the survey
// has found where those begin. For each *segment*, which is the literal run of a sequence or its
// match, they mark the byte where it begins and fill a slot that says how far back its bytes are;
// slots are numbered in order. Meanwhile the page's literals are copied into the ring, behind what
// the page's own bytes will take before they are used.
//
// For each tile of 2 KiB of it, each lane owns eight consecutive bytes:
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
// Takes up blocks in state kSurveyed, leaves kOk or kFailed.
#pragma once

#include "decompress/gpu/page_parser.cuh"

namespace presso::gpu {

template <class Policy>
class TileCopier {
 public:
  /// `ring`, `in_page`: where the tile lies in the ring and in the page. `base`: sum of the page's
  /// marks before this warp's chunk, less those of one segment.
  PRESSO_DEVICE void first_wave(u32 ring, u32 in_page, u32 base) {
    tile_ = static_cast<int>(ring);
    place_ = ring + mine_;
    const u64 marks = simt::load_shared_u64<kMarks>(in_page + mine_);
    const u32 low = static_cast<u32>(marks);
    const u32 high = static_cast<u32>(marks >> 32);  // allow(bare-32): bits
    const u32 middle = simt::dot4(low, kEachByte, 0);
    const u32 sum = simt::dot4(high, kEachByte, middle);
    const u32 slot = base + simt::inclusive_sum(sum) - sum;
    constexpr u32 kUpTo[4] = {0x00000001u, 0x00000101u, 0x00010101u, 0x01010101u};
    PRESSO_UNROLL
    for (u32 i = 0; i < 8; ++i) {
      const u32 mine = i < 4 ? simt::dot4(low, kUpTo[i % 4], slot)
                             : simt::dot4(high, kUpTo[i % 4], slot + middle);
      from_[i] = static_cast<int>(simt::load_shared<Slot, kSlots>(mine) + place_ - kSlotBias + i);
    }
    top_ = highest();
    if (simt::any(top_ > static_cast<int>(place_ + kOverlapGap))) {
      resolve_overlaps(marks, in_page);
      top_ = highest();
    }
    u32 bytes[8];
    PRESSO_UNROLL
    for (u32 i = 0; i < 8; ++i) {
      const int below = tile_ - 1;
      bytes[i] = simt::load_shared<Byte, 0>(wrap(from_[i] < below ? from_[i] : below));
    }
    value_ = eight(bytes);
    simt::store_shared_u64<0>(place_, value_);
  }

  PRESSO_DEVICE void clear_marks(u32 in_page) const {
    simt::store_shared_u64<kMarks>(in_page + mine_, 0);
  }

  PRESSO_DEVICE bool has_near() const { return top_ >= tile_; }

  /// The second wave's bytes as they are now. True where the lane's have changed.
  PRESSO_DEVICE bool gather_near() {
    const u64 before = value_;
    u32 bytes[8];
    PRESSO_UNROLL
    for (u32 i = 0; i < 8; ++i) bytes[i] = simt::load_shared<Byte, 0>(wrap(from_[i]));
    value_ = eight(bytes);
    return value_ != before;
  }

  PRESSO_DEVICE void store_near() {
    PRESSO_UNROLL
    for (u32 i = 0; i < 8; ++i) {
      if (from_[i] >= tile_) {
        simt::store_shared_u8<0>(place_ + i, static_cast<u32>(value_ >> (8 * i)) & 255);
      }
    }
  }

  /// To global memory. `to`: of the tile; `valid`: bytes it has.
  PRESSO_DEVICE void flush(Byte* to, u32 valid) const {
    if (mine_ + 8 <= valid) {
      simt::store_streaming(reinterpret_cast<u64*>(to + mine_), value_);
    } else {
      for (u32 i = 0; mine_ + i < valid; ++i) to[mine_ + i] = static_cast<Byte>(value_ >> (8 * i));
    }
  }

 private:
  static constexpr u32 kMarks = offsetof(PageShared<Policy>, marks);
  static constexpr u32 kSlots = offsetof(PageShared<Policy>, slots);
  static_assert(offsetof(PageShared<Policy>, ring) == 0);

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

  /// Position of the tile's last mark before this warp's chunk; the tile's start where there is
  /// none. Marks of the tile stay until the barrier behind the first wave.
  PRESSO_DEVICE u32 last_mark_before(u32 in_page) const {
    for (u32 chunk = simt::warp_in_block(); chunk > 0; --chunk) {
      const u32 from = in_page + (chunk - 1) * Policy::kChunkBytes + 8 * simt::lane();
      const u64 marks = simt::load_shared_u64<kMarks>(from);
      const u32 votes = simt::ballot(marks != 0);
      if (votes != 0) {
        return simt::shuffle(from + last_of(marks),
                             simt::kWarpSize - 1 - simt::count_leading_zeros(votes));
      }
    }
    return in_page;
  }

  /// Index of the last byte that is not 0, if there is one.
  static PRESSO_DEVICE u32 last_of(u64 marks) {
    const u32 high = static_cast<u32>(marks >> 32);  // allow(bare-32): bits
    const u32 low = static_cast<u32>(marks);
    return high != 0 ? 7 - simt::count_leading_zeros(high) / 8
                     : 3 - simt::count_leading_zeros(low | 1) / 8;
  }

  /// Bytes of matches that overlap themselves: from the repetition that is nearest and lies below
  /// the tile, or below the match if that begins in the tile.
  PRESSO_DEVICE void resolve_overlaps(u64 marks, u32 in_page) {
    const u32 x = in_page + mine_;
    const u32 below = simt::ballot(marks != 0) & ((1u << simt::lane()) - 1);
    const u32 owner = simt::kWarpSize - 1 - simt::count_leading_zeros(below | 1);
    const u32 other = simt::shuffle(x + last_of(marks), owner);
    const u32 before = last_mark_before(in_page);
    const u32 start = below != 0 ? other : before;
    u32 phase = 0;
    u32 back = 0;
    if (overlaps(0) && (marks & 255) == 0) {
      const u32 distance = overlap_distance(0);
      const u32 repetitions = (x - start) / distance;
      phase = x - start - repetitions * distance;
      back = (repetitions + 1) * distance;
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

  u32 mine_ = 8 * simt::thread_in_block();  // of the tile's bytes, this lane's first
  int tile_ = 0;
  u32 place_ = 0;
  int top_ = 0;  // highest of from_
  int from_[8];  // ring position of each byte's source; may be a lap too low
  u64 value_ = 0;
};

template <class Policy>
class PageDecoder {
 public:
  PRESSO_DEVICE PageDecoder(const BlockPlan& plan, const SurveyRecords& records, u32 block,
                            PageShared<Policy>& shared)
      : plan_(plan),
        pages_(records.pages + u64{block} * records.page_stride),
        shared_(shared),
        parser_(plan, records.units + u64{block} * records.unit_stride, shared),
        once_(plan.rule == static_cast<Byte>(DependencyRule::kTile) &&
              (1u << plan.group_log2) >= kTileBytes) {}

  /// False where a distance reaches below the block.
  PRESSO_DEVICE bool decode() {
    const u32 pages = pages_of(plan_.plain_bytes);
    PageRecord from = simt::load_readonly(pages_);
    parser_.prefetch(from);
    PRESSO_NO_UNROLL
    for (u32 page = 0; page < pages; ++page) {
      const PageRecord to = simt::load_readonly(pages_ + page + 1);
      parser_.parse(page, from, to, ring_);
      simt::block_sync();
      count_marks();
      simt::block_sync();
      parser_.await_literals();
      if (shared_.result != 0) return false;
      copy_page(page);
      from = to;
    }
    return true;
  }

 private:
  static constexpr u32 kMarks = offsetof(PageShared<Policy>, marks);

  /// Sums up the marks of this warp's chunks.
  PRESSO_DEVICE void count_marks() {
    u32 mine = 0;
    PRESSO_UNROLL
    for (u32 tile = 0; tile < kPageTiles; ++tile) {
      const u64 marks =
          simt::load_shared_u64<kMarks>(tile * kTileBytes + 8 * simt::thread_in_block());
      const u32 low = simt::dot4(static_cast<u32>(marks), kEachByte, 0);
      const u32 sum =
          simt::reduce_add(simt::dot4(static_cast<u32>(marks >> 32),  // allow(bare-32): bits
                                      kEachByte, low));
      if (simt::lane() == tile) mine = sum;
    }
    if (simt::lane() < kPageTiles) {
      shared_.chunk_marks[simt::lane() * Policy::kWarps + simt::warp_in_block()] = mine;
    }
  }

  PRESSO_DEVICE void copy_page(u32 page) {
    const u32 count = shared_.chunk_marks[simt::lane()];
    const u32 before = simt::inclusive_sum(count) - count - static_cast<u32>(sizeof(Slot));
    const u32 at = page * kPageBytes;
    const u32 left = plan_.plain_bytes - at;
    const u32 valid = left < kPageBytes ? left : kPageBytes;
    PRESSO_NO_UNROLL
    for (u32 in_page = 0; in_page < valid; in_page += kTileBytes) {
      const u32 chunk = in_page / Policy::kChunkBytes + simt::warp_in_block();
      copier_.first_wave(ring_, in_page, simt::shuffle(before, chunk));
      simt::block_sync();
      copier_.clear_marks(in_page);
      if (once_) {
        if (copier_.has_near()) {
          copier_.gather_near();
          copier_.store_near();
        }
        if (in_page + kTileBytes >= valid) simt::bulk_fence();
        simt::block_sync();
      } else {
        copy_near_in_rounds();
      }
      copier_.flush(plan_.out + at + in_page, valid - in_page);
      ring_ += kTileBytes;
      if (ring_ == Policy::kRing) ring_ = 0;
    }
  }

  PRESSO_DEVICE void copy_near_in_rounds() {
    bool changed;
    do {
      changed = copier_.has_near() && copier_.gather_near();
      simt::block_sync();
      if (changed) copier_.store_near();
      simt::bulk_fence();
    } while (simt::block_sync_or(changed));
  }

  const BlockPlan& plan_;
  const PageRecord* pages_;
  PageShared<Policy>& shared_;
  PageParser<Policy> parser_;
  TileCopier<Policy> copier_;
  bool once_;
  u32 ring_ = 0;  // position of the next tile
};

template <class Policy>
PRESSO_DEVICE void page_decoder_body(const BlockPlan* plans, u32* statuses,
                                     const SurveyRecords& records) {
  const u32 block = simt::block_index();
  if (statuses[block] != kSurveyed || !simt::shared_memory_is_at_base()) return;
  const BlockPlan plan = plans[block];
  auto& shared = *reinterpret_cast<PageShared<Policy>*>(simt::shared_memory());
  const u32 thread = simt::thread_in_block();
  for (u32 i = 8 * thread; i < kPageBytes; i += 8 * Policy::kThreads) {
    *reinterpret_cast<u64*>(shared.marks + i) = 0;
  }
  if (thread == 0) {
    simt::bulk_barrier_init(&shared.literal_barrier);
    shared.result = 0;
  }
  simt::block_sync();
  PageDecoder<Policy> decoder(plan, records, block, shared);
  const bool good = decoder.decode();
  if (thread == 0) statuses[block] = good ? u32{0} : u32{kFailed};
}

}  // namespace presso::gpu
