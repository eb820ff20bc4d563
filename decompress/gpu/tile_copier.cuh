// SPDX-License-Identifier: MIT
// Copies tiles of 2 KiB: what the page and the relay decoder have in common. Catalogue S7.6, S7.7,
// S7.16, S7.17.
//
// A *segment* is the literal run of a sequence or its match. Parsers have marked the byte where each
// begins and filled a *slot* that says how far back its bytes are; slots are numbered in order. A
// page's literals are in the ring too, ahead of its own bytes.
//
// Each lane of the eight copying warps owns eight consecutive bytes of a tile:
//   first wave   the sum of the marks up to a byte numbers its slot; the lane gathers byte by byte
//                and stores once
//   barrier
//   second wave  bytes whose source lies in the same tile are gathered again; where the rule does
//                not promise that once is enough, until nothing changes. The tile goes to global
//                memory from registers. Marks of the next tile are summed up
//   barrier
//
// Why that ends: a byte's source lies below it, so that in round n all bytes at the ends of at most
// n references within the tile are right.
//
// Back: ring positions are taken modulo kRing, and a byte of a segment has its source `back` below
// it: a match its distance, a literal run kRing less what its literals lie ahead. A slot is
// kSlotBias - back; that of a match which overlaps itself within a tile has a value of its own.
#pragma once

#include <cstddef>

#include "decompress/gpu/page_layout.h"
#include "decompress/gpu/simt.h"

namespace presso::gpu {

using simt::u32;
using simt::u64;

/// A slot is kSlotBias - back, or kSlotBias + kOverlapGap + distance of a match that overlaps itself
/// within a tile.
constexpr u32 kOverlapGap = 8;
constexpr u32 kSlotBias = 65535 - kOverlapGap - (kTileBytes - 1);
constexpr u32 kEachByte = 0x01010101u;

/// Initial slots: what nobody fills reads what may be read.
constexpr u32 kHarmlessSlots = (kSlotBias - kTileBytes) * 0x00010001u;

template <class Policy, class Shared>
class TileCopier {
 public:
  /// Takes the marks of the tile at `tables` (offset of the page's in shared memory) and `in_page`,
  /// and tells the sum of this warp's.
  PRESSO_DEVICE void prepare(Shared& shared, u32 tables, u32 in_page) {
    tables_ = tables;
    in_page_ = in_page;
    marks_ = simt::load_shared_u64<kMarks>(tables + in_page + mine_);
    const u32 low = static_cast<u32>(marks_);
    const u32 high = static_cast<u32>(marks_ >> 32);  // allow(bare-32): bits
    const u32 sum = simt::dot4(high, kEachByte, simt::dot4(low, kEachByte, 0));
    const u32 upto = simt::inclusive_sum(sum);
    before_ = upto - sum;
    if (simt::lane() == simt::kWarpSize - 1) shared.chunk_marks[simt::warp_in_block()] = upto;
  }

  /// Of the tile that was prepared. `ring`: where it lies in the ring; `base`: sum of the page's
  /// marks before it, less those of one segment; becomes that of the next tile.
  PRESSO_DEVICE void first_wave(const Shared& shared, u32 ring, u32& base) {
    tile_ = static_cast<int>(ring);
    place_ = ring + mine_;
    const u32 low = static_cast<u32>(marks_);
    const u32 high = static_cast<u32>(marks_ >> 32);  // allow(bare-32): bits
    const u32 of_chunk = simt::lane() < kCopiers ? shared.chunk_marks[simt::lane()] : 0;
    const u32 below = simt::lane() < simt::warp_in_block() ? of_chunk : 0;
    const u32 slot = tables_ + before_ + base + simt::reduce_add(below);
    base += simt::reduce_add(of_chunk);
    const u32 middle = simt::dot4(low, kEachByte, slot);
    constexpr u32 kUpTo[4] = {0x00000001u, 0x00000101u, 0x00010101u, 0x01010101u};
    PRESSO_UNROLL
    for (u32 i = 0; i < 8; ++i) {
      const u32 mine = i < 4 ? simt::dot4(low, kUpTo[i % 4], slot)
                             : simt::dot4(high, kUpTo[i % 4], middle);
      from_[i] = static_cast<int>(simt::load_shared<Slot, kSlots>(mine) + place_ - kSlotBias + i);
    }
    top_ = highest();
    if (simt::any(top_ > static_cast<int>(place_ + kOverlapGap))) {
      resolve_overlaps();
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

  PRESSO_DEVICE void clear_marks() const {
    simt::store_shared_u64<kMarks>(tables_ + in_page_ + mine_, 0);
  }

  PRESSO_DEVICE bool has_near() const { return top_ >= tile_; }

  /// The second wave, where once is enough.
  PRESSO_DEVICE void second_wave() {
    u32 bytes[8];
    gather_all(bytes);
    PRESSO_UNROLL
    for (u32 i = 0; i < 8; ++i) {
      if (from_[i] >= tile_) simt::store_shared_u8<0>(place_ + i, bytes[i]);
    }
    value_ = eight(bytes);
  }

  /// The bytes as they are now. True where the lane's have changed.
  PRESSO_DEVICE bool gather_near() {
    const u64 before = value_;
    u32 bytes[8];
    gather_all(bytes);
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

  /// To global memory. `to`: of the tile; `valid`: bytes it has, or more.
  PRESSO_DEVICE void flush(Byte* to, u32 valid) const {
    if (valid >= kTileBytes || mine_ + 8 <= valid) {
      simt::store_streaming(reinterpret_cast<u64*>(to + mine_), value_);
    } else {
      for (u32 i = 0; mine_ + i < valid; ++i) to[mine_ + i] = static_cast<Byte>(value_ >> (8 * i));
    }
  }

 private:
  static constexpr u32 kMarks = TableOffsets<Shared>::kMarks;
  static constexpr u32 kSlots = TableOffsets<Shared>::kSlots;
  static_assert(offsetof(Shared, ring) == 0);

  static PRESSO_DEVICE u32 wrap(int place) {
    const u32 at = static_cast<u32>(place);
    const u32 lap = at + Policy::kRing;
    return at < lap ? at : lap;
  }

  PRESSO_DEVICE void gather_all(u32 (&bytes)[8]) const {
    PRESSO_UNROLL
    for (u32 i = 0; i < 8; ++i) bytes[i] = simt::load_shared<Byte, 0>(wrap(from_[i]));
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
  PRESSO_DEVICE u32 last_mark_before() const {
    for (u32 chunk = simt::warp_in_block(); chunk > 0; --chunk) {
      const u32 from = in_page_ + (chunk - 1) * kChunkBytes + 8 * simt::lane();
      const u64 marks = simt::load_shared_u64<kMarks>(tables_ + from);
      const u32 votes = simt::ballot(marks != 0);
      if (votes != 0) {
        return simt::shuffle(from + last_of(marks),
                             simt::kWarpSize - 1 - simt::count_leading_zeros(votes));
      }
    }
    return in_page_;
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
  PRESSO_DEVICE void resolve_overlaps() {
    const u64 marks = marks_;
    const u32 x = in_page_ + mine_;
    const u32 below = simt::ballot(marks != 0) & ((1u << simt::lane()) - 1);
    const u32 owner = simt::kWarpSize - 1 - simt::count_leading_zeros(below | 1);
    const u32 other = simt::shuffle(x + last_of(marks), owner);
    const u32 before = last_mark_before();
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
  u32 tables_ = 0, in_page_ = 0;
  u64 marks_ = 0;
  u32 before_ = 0;  // sum of the chunk's marks before this lane's
  int tile_ = 0;
  u32 place_ = 0;
  int top_ = 0;  // highest of from_
  int from_[8];  // ring position of each byte's source; may be a lap too low
  u64 value_ = 0;
};

/// The copying warps' work on a tile, from its first wave to where the next one may be prepared.
/// Sync: static void sync(), a barrier of these warps.
template <class Policy, class Shared, class Sync>
class TileSteps {
 public:
  PRESSO_DEVICE TileSteps(const BlockPlan& plan, Shared& shared)
      : shared_(shared),
        once_(plan.rule == static_cast<Byte>(DependencyRule::kTile) &&
              (1u << plan.group_log2) >= kTileBytes) {}

  /// Behind it a barrier is due.
  PRESSO_DEVICE void prepare(u32 tables, u32 in_page) { copier_.prepare(shared_, tables, in_page); }

  /// The tile that was prepared. `base`: see first_wave(). `left`: the block's bytes from the tile's
  /// start on, or below 0.
  PRESSO_DEVICE void copy(u32& base, Byte* out, u32 left) {
    copier_.first_wave(shared_, ring_, base);
    Sync::sync();
    copier_.clear_marks();
    if (once_) {
      if (copier_.has_near()) copier_.second_wave();
    } else {
      copy_near_in_rounds();
    }
    if (static_cast<int>(left) > 0) copier_.flush(out, left);
    ring_ += kTileBytes;
    if (ring_ == Policy::kRing) ring_ = 0;
  }

  /// Ring position of the next tile.
  PRESSO_DEVICE u32 ring() const { return ring_; }

 private:
  PRESSO_DEVICE void copy_near_in_rounds() {
    do {
      const bool changed = copier_.has_near() && copier_.gather_near();
      Sync::sync();
      ++round_;
      if (changed) {
        copier_.store_near();
        simt::atomic_max(&shared_.changed, round_);
      }
      Sync::sync();
    } while (shared_.changed == round_);
  }

  Shared& shared_;
  TileCopier<Policy, Shared> copier_;
  bool once_;
  u32 ring_ = 0;
  u32 round_ = 0;
};

/// Tables without marks.
template <class Shared>
PRESSO_DEVICE void clear_tables(Shared& shared) {
  using Tables = typename Shared::Tables;
  for (u32 i = simt::thread_in_block(); i < sizeof shared.pages / 4; i += simt::block_threads()) {
    const bool is_mark = i % (sizeof(Tables) / 4) < sizeof(Tables::marks) / 4;
    reinterpret_cast<u32*>(shared.pages)[i] = is_mark ? 0 : kHarmlessSlots;
  }
}

}  // namespace presso::gpu
